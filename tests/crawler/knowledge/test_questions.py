"""Which pages become questions."""

import random

import numpy as np
import pytest

from crawler.knowledge.questions import (
    LEAST_COMPARED,
    MOST_COMPARED,
    choose_questions,
    ranks_to_compare,
)
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import (
    other_page,
    solar_examples,
    solar_page,
    training_set_of,
)

LIBRARY = training_set_of(*solar_examples(5), n_background=60)
_RNG = random.Random(3)
PAGES = [solar_page(_RNG) for _ in range(12)] + [other_page(_RNG) for _ in range(12)]
NONE = np.zeros(len(PAGES), np.bool_)


def chosen(relevances: np.ndarray, answered: np.ndarray = NONE, n: int = 5) -> list[int]:
    return choose_questions(PAGES, relevances, answered, LIBRARY.background, LIBRARY.frequencies, n)


@pytest.mark.parametrize(
    ("n_pages", "n_kept", "n_compared"),
    [
        (0, 0, 0),
        (3, 1, 3),
        (100, 0, LEAST_COMPARED),
        (100, 5, LEAST_COMPARED),
        (100, 30, 60),
        (100, 100, 100),
        (5000, 4000, MOST_COMPARED),
    ],
)
def test_pages_are_compared_down_to_twice_the_number_kept(
    n_pages: int, n_kept: int, n_compared: int
) -> None:
    relevances = np.where(np.arange(n_pages) < n_kept, 0.9, 0.1)
    found = ranks_to_compare(relevances, np.zeros(n_pages, np.bool_), 0.5)
    assert len(found) == n_compared
    assert (relevances[found] >= 0.5).sum() >= min(n_kept, n_compared / 2)


def test_pages_with_an_answer_are_compared_wherever_they_rank() -> None:
    relevances, answered = np.linspace(1, 0, 100), np.zeros(100, np.bool_)
    answered[97] = True
    assert 97 in ranks_to_compare(relevances, answered, 0.9)


def test_five_different_pages_are_chosen_of_both_kinds() -> None:
    found = chosen(np.full(len(PAGES), 0.6))
    assert len(set(found)) == 5
    assert {place < 12 for place in found} == {True, False}


def test_no_page_is_chosen_again() -> None:
    first = chosen(np.full(len(PAGES), 0.6))
    answered = NONE.copy()
    answered[first] = True
    assert not set(first) & set(chosen(np.full(len(PAGES), 0.6), answered))


def test_a_kind_that_was_answered_gives_way_to_the_other() -> None:
    answered = NONE.copy()
    answered[:6] = True
    assert chosen(np.full(len(PAGES), 0.6), answered, 1)[0] >= 12


def test_of_equal_pages_one_whose_answer_is_open_is_chosen() -> None:
    pages = [PAGES[0]] * 4
    relevances = np.array([0.999, 0.5, 0.999, 0.999])
    assert choose_questions(pages, relevances, NONE[:4], (), LIBRARY.frequencies, 1) == [1]


@pytest.mark.parametrize("n_pages", [0, 1, 3])
def test_fewer_pages_give_fewer_questions(n_pages: int) -> None:
    found = choose_questions(
        PAGES[:n_pages], np.full(n_pages, 0.6), NONE[:n_pages], (), LIBRARY.frequencies
    )
    assert sorted(found) == list(range(n_pages))


def test_pages_without_terms_do_no_harm() -> None:
    pages = [PageTerms(), *PAGES[:6]]
    found = choose_questions(pages, np.full(7, 0.6), NONE[:7], (), LIBRARY.frequencies)
    assert len(set(found)) == 5
