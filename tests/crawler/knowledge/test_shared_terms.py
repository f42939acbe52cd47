"""Words that the most relevant pages share are words of the topic, too."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.page_matrix import Vector
from crawler.knowledge.shared_terms import N_TOP, top_pages, weigh_shared_terms
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import other_page, page_of, solar_page


def seen(*pages: PageTerms) -> DocumentFrequencies:
    frequencies = DocumentFrequencies()
    frequencies.add(pages)
    return frequencies


def top_of(relevances: Vector, languages: list[str]) -> list[int]:
    """The top pages where all are kept and trusted."""
    every = np.ones(len(relevances), np.bool_)
    return top_pages(relevances, np.ones(len(relevances)), every, every, languages)


def others(n: int = 100) -> list[PageTerms]:
    rng = random.Random(3)
    return [other_page(rng) for _ in range(n)]


def test_words_of_the_top_pages_weigh_more_than_words_of_all_pages() -> None:
    rng = random.Random(7)
    top = [solar_page(rng) for _ in range(10)]

    weights = weigh_shared_terms(top, seen(*top, *others()))

    assert max(weights.values()) == 1
    assert weights["photovolta"] > 0.5
    assert weights.get("market", 0) < 0.4 * weights["photovolta"]


def test_a_word_that_stands_as_often_elsewhere_has_no_weight() -> None:
    top = [page_of("solar grid") for _ in range(5)]
    elsewhere = [page_of("river grid") for _ in range(50)]

    assert weigh_shared_terms(top, seen(*top, *elsewhere)).keys() == {"solar"}


@pytest.mark.parametrize(("n_held", "is_shared"), [(2, False), (3, True)])
def test_a_word_of_two_pages_may_be_there_by_chance(n_held: int, is_shared: bool) -> None:
    top = [page_of("solar rooftop" if n < n_held else "solar") for n in range(10)]

    assert ("rooftop" in weigh_shared_terms(top, seen(*top, *others()))) is is_shared


def test_the_more_top_pages_hold_a_word_the_more_it_weighs() -> None:
    top = [page_of("solar rooftop" if n < 4 else "solar") for n in range(10)]

    weights = weigh_shared_terms(top, seen(*top, *others()))

    assert 0 < weights["rooftop"] < weights["solar"]


def test_only_the_beginning_of_a_page_is_read() -> None:
    long = " ".join(f"word{number}" for number in range(300))
    top = [page_of(f"solar {long} imprint") for _ in range(10)]

    weights = weigh_shared_terms(top, seen(*top, *others()))

    assert "solar" in weights and "imprint" not in weights


def test_the_strongest_word_of_each_language_weighs_the_same() -> None:
    """The fewer pages of a language were seen, the less each of its words stands out."""
    top = [page_of("光伏", "zh") for _ in range(5)] + [page_of("solar") for _ in range(5)]
    chinese = [page_of("河流", "zh") for _ in range(200)]
    english = [page_of("river") for _ in range(10)]

    weights = weigh_shared_terms(top, seen(*top, *chinese, *english))

    assert (weights["光伏"], weights["solar"]) == (1, 1)


def test_pages_are_compared_with_pages_of_their_language() -> None:
    """Among many English pages each Chinese word is rare, those of every page too."""
    top = [page_of("光伏 的确", "zh") for _ in range(5)]
    chinese = [page_of("河流 的确", "zh") for _ in range(50)]

    weights = weigh_shared_terms(top, seen(*top, *chinese, *others(500)))

    assert weights.keys() == {"光伏"}


def test_each_language_has_its_top_pages() -> None:
    relevances = np.array([0.9, 0.8, *[0.99] * 20, 0.0])

    found = top_of(relevances, ["zh", "zh", *["en"] * 21])

    assert sorted(found) == [0, 1, *range(2, 2 + N_TOP)]
    assert found[-2:] == [0, 1]


def test_a_page_without_relevance_is_never_read() -> None:
    assert top_of(np.array([0.0, 0.6, 0.0]), ["en"] * 3) == [1]
    assert top_of(np.zeros(0), []) == []


def test_stuffed_pages_and_those_that_are_not_kept_are_never_read() -> None:
    relevances, trusts = np.array([0.99, 0.9, 0.8]), np.array([0.49, 0.5, 1.0])

    every, is_kept = np.ones(3, np.bool_), np.array([True, True, False])
    assert top_pages(relevances, trusts, is_kept, every, ["en"] * 3) == [1]


def test_later_pages_are_read_only_where_first_ones_are_too_few() -> None:
    n_first = N_TOP - 2
    relevances = np.array([0.6] * n_first + [0.9, 0.8, 0.95] + [0.7])
    is_first = np.array([True] * n_first + [False] * 4)
    trusts, is_kept = np.ones(len(relevances)), np.ones(len(relevances), np.bool_)

    found = top_pages(relevances, trusts, is_kept, is_first, ["en"] * (n_first + 3) + ["zh"])

    assert found == [*range(n_first), n_first + 2, n_first, n_first + 3]


words = st.lists(st.sampled_from("solar panel grid river boat 光伏 电网".split()), max_size=8)


@given(
    st.lists(st.tuples(words, st.sampled_from(["en", "zh", ""])), max_size=12), st.integers(0, 9)
)
def test_weights_are_above_0_and_the_strongest_is_1(
    texts: list[tuple[list[str], str]], n_top: int
) -> None:
    pages = [page_of(" ".join(text), language) for text, language in texts]

    weights = weigh_shared_terms(pages[:n_top], seen(*pages))

    assert all(0 < weight <= 1 for weight in weights.values())
    assert not weights or max(weights.values()) == 1
