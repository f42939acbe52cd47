"""How much of a page is about a topic, by what each of its words says of it."""

import numpy as np
import pytest

from crawler.knowledge.density import (
    density_weights,
    topic_densities,
    topic_density,
    with_own_words,
)
from crawler.knowledge.judge import Judge, Verdict
from crawler.knowledge.page_matrix import PageMatrix
from crawler.page.page_terms import text_terms
from crawler.page.parsed import PageTerms

TOPIC = {"solar": 1.0, "panel": 0.5}


@pytest.mark.parametrize(
    ("text", "density"),
    [
        ("", 0.0),
        ("wine cheese bread", 0.0),
        ("solar", 1.0),
        ("solar panel", 0.75),
        ("solar panel wine cheese", 0.375),
        # Said three times it counts 1 + ln 3.
        ("solar solar solar wine cheese", (1 + np.log(3)) / (3 + np.log(3))),
        ("光伏 solar", 0.5),
    ],
)
def test_density_is_the_mean_weight_of_the_words(text: str, density: float) -> None:
    assert topic_density(text_terms(text), TOPIC) == pytest.approx(density)


def test_only_the_beginning_of_a_page_counts() -> None:
    other = " ".join(f"word{number}" for number in range(300))

    assert topic_density(text_terms(f"{other} solar panel"), TOPIC) == 0
    assert topic_density(text_terms(f"solar panel {other}"), TOPIC) == pytest.approx(1.5 / 250)


def test_of_two_pages_the_one_that_says_more_is_denser() -> None:
    thin = "solar panel " * 2 + "wine cheese bread butter salt oil " * 5
    full = "solar panel " * 9 + "wine cheese bread butter salt oil " * 2

    assert topic_density(text_terms(full), TOPIC) > 2 * topic_density(text_terms(thin), TOPIC)


def test_many_pages_at_once_have_the_same_densities() -> None:
    long = " ".join(f"word{number} solar" for number in range(200))
    texts = ["", "wine", "solar solar panel wine", long, f"{long} panel"]
    pages = [text_terms(text) for text in texts]

    alone = [topic_density(page, TOPIC) for page in pages]

    assert topic_densities(PageMatrix.of(pages), TOPIC) == pytest.approx(alone, abs=1e-6)
    assert len(set(alone)) >= 3


class Plain:
    """A judge that knows the topic's words, and weighs none."""

    topic_terms = frozenset({"solar", "panel"})

    def judge(self, page: PageTerms) -> Verdict:
        return Verdict(1.0)


class Weighing(Plain):
    term_weights = {"solar": 0.8, "panel": 0.2}


@pytest.mark.parametrize(
    ("judge", "weights"),
    [(Plain(), {"solar": 1.0, "panel": 1.0}), (Weighing(), {"solar": 1.0, "panel": 0.25})],
)
def test_the_strongest_word_counts_one(judge: Judge, weights: dict[str, float]) -> None:
    assert density_weights(judge, {}) == pytest.approx(weights)


def test_a_term_that_top_pages_share_counts_by_its_larger_weight() -> None:
    shared = {"solar": 0.5, "panel": 0.75, "rooftop": 0.3}

    weights = density_weights(Weighing(), shared)

    assert weights == pytest.approx({"solar": 1.0, "panel": 0.75, "rooftop": 0.3})


@pytest.mark.parametrize(
    ("learnt", "own", "weights"),
    [
        ({"cedar": 2.0, "solar": 0.5}, {"solar": 1.0}, {"cedar": 2.0, "solar": 2.0}),
        ({"cedar": 2.0, "solar": 0.5}, {"solar": 3.0}, {"cedar": 2.0, "solar": 2.0}),
        ({"cedar": 2.0, "cell": 0.5}, {"solar": 1.0}, {"cedar": 2.0, "cell": 0.5}),
        (
            {"solar": 2.0, "cell": 0.5, "panel": 1.5},
            {"solar": 4.0, "cell": 2.0, "panel": 1.0},
            {"solar": 2.0, "cell": 1.0, "panel": 1.5},
        ),
        ({"cedar": 2.0}, {}, {"cedar": 2.0}),
        ({}, {"solar": 1.0}, {}),
    ],
)
def test_a_persons_own_words_say_as_much_as_any(
    learnt: dict[str, float], own: dict[str, float], weights: dict[str, float]
) -> None:
    assert with_own_words(learnt, own) == weights
