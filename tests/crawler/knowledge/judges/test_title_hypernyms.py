"""What titles add to the inner product of pages, and to a page's logit."""

import numpy as np
import pytest

from crawler.knowledge.judges.title_hypernyms import (
    SHARE,
    TitleWeights,
    mixed,
    names_of,
    shared_titles,
    text_scales,
)
from crawler.text.noun_table import noun_table

TITLES = ["Owl", "Penguin", "France", "", "qwertzuiop"]


def test_a_page_keeps_its_length_with_and_without_a_known_title() -> None:
    text = np.full((len(TITLES), len(TITLES)), 0.5) + 0.5 * np.eye(len(TITLES))

    gram = mixed(text, TITLES)

    assert np.diag(gram) == pytest.approx(1.0)
    assert gram == pytest.approx(gram.T)
    assert gram[0, 1] > gram[0, 2]
    # Of pages without a known title the text alone counts.
    assert gram[3, 4] == text[3, 4]
    assert text_scales(TITLES).tolist() == pytest.approx([(1 - SHARE) ** 0.5] * 3 + [1.0] * 2)


def test_a_title_of_many_pages_says_nothing() -> None:
    titles = ["Page"] * 5 + ["Owl"] * 2 + ["Penguin"]
    shared = shared_titles(titles)
    weights = TitleWeights.of(np.array([1.0]), ["Book"], shared)

    assert shared == {"Page"}
    assert weights.logit("Page") == 0
    assert weights.strongest_kind("Page") is None
    assert weights.text_scales(["Page", ""]).tolist() == [1.0, 1.0]
    assert weights.logit("Book") > 0


@pytest.mark.parametrize(
    ("noun", "names"),
    [
        ("bird", ("bird", "鸟")),
        ("aquatic bird", ("aquatic bird", "鸟")),
        ("entity", ("entity", "")),
    ],
)
def test_a_kind_without_a_chinese_name_has_that_of_the_kind_around_it(
    noun: str, names: tuple[str, str]
) -> None:
    assert names_of(noun_table().senses(noun)[0]) == names


def test_weights_give_what_the_inner_products_with_the_fitted_pages_give() -> None:
    dual = np.array([2.0, 1.0, -3.0, 0.5, 0.0])
    weights = TitleWeights.of(dual, TITLES)
    nothing = np.zeros((len(TITLES) + 1, len(TITLES) + 1))
    gram = mixed(nothing, [*TITLES, "Sparrow"])

    assert weights.logit("Sparrow") == pytest.approx(float(gram[-1, :-1] @ dual))
    together = weights.logits([*TITLES, "Sparrow"])
    assert together == pytest.approx([weights.logit(title) for title in [*TITLES, "Sparrow"]])
    assert weights.logit("Sparrow") > 0 > weights.logit("Spain")
