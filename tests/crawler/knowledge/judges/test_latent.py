"""Latent dimensions of pages: what they say of a page is the same one by one and together."""

import random

import numpy as np
import pytest

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judges.features import FeatureMatrix, term_weights
from crawler.knowledge.judges.latent import MOST_AXES, MOST_SHARE, LatentSpace, LatentWeights
from crawler.knowledge.page_matrix import PageMatrix
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import other_page, page_of, solar_page

EMPTY = PageTerms()


def pages_of(n_pages: int) -> list[PageTerms]:
    rng = random.Random(3)
    return [(solar_page if n % 2 else other_page)(rng) for n in range(n_pages)]


def space_of(pages: list[PageTerms]) -> tuple[LatentSpace, FeatureMatrix, DocumentFrequencies]:
    frequencies = DocumentFrequencies()
    frequencies.add(pages)
    vectors = [(page.vocabulary, term_weights(page, frequencies)) for page in pages]
    features = FeatureMatrix.of(vectors[:2], vectors[2:])
    return LatentSpace.of(features, 2), features, frequencies


def test_a_page_has_the_same_place_alone_and_among_others() -> None:
    pages = pages_of(60)
    space, features, frequencies = space_of(pages)
    unseen = [*pages, EMPTY, page_of("opera singer solar")]

    together = space.coordinates_in(PageMatrix.of(unseen), frequencies)
    alone = np.concatenate([space.coordinates_of(page, frequencies) for page in unseen])

    assert together == pytest.approx(alone, abs=1e-5)
    assert together[: len(pages)] == pytest.approx(space.coordinates(features.vectors), abs=1e-5)


def test_pages_about_the_same_are_nearer_than_pages_about_something_else() -> None:
    pages = pages_of(60)
    space, _, frequencies = space_of(pages)
    rng = random.Random(9)

    solar, other_solar, football = (
        space.coordinates_of(page, frequencies)[0]
        for page in (solar_page(rng), solar_page(rng), other_page(rng))
    )

    assert solar @ other_solar > 0.3 > solar @ football


@pytest.mark.parametrize(("n_pages", "n_axes"), [(4, 1), (62, 12), (402, MOST_AXES)])
def test_few_pages_have_few_dimensions_that_count_for_little(n_pages: int, n_axes: int) -> None:
    space, _, _ = space_of(pages_of(n_pages))

    assert space.axes.shape[1] == n_axes
    assert space.share == pytest.approx(MOST_SHARE * (n_pages - 2) / (n_pages + 98))


def test_pages_without_a_word_or_with_the_same_words_have_a_place_too() -> None:
    space, _, frequencies = space_of([page_of("solar panel")] * 10 + [EMPTY] * 2)
    weights = LatentWeights.of(space, np.ones(1), space.coordinates_of(EMPTY, frequencies))

    assert np.isfinite(space.coordinates_of(EMPTY, frequencies)).all()
    assert np.isfinite(weights.logit(page_of("opera"), frequencies))
