"""What pages were worth under links that name the same kind of thing."""

import pytest

from crawler.strategies.hypernym_worth import MAX_LIFTS, HypernymWorth

MEAN = 0.3
BIRDS = [("Owl", 1.0), ("Penguin", 1.0), ("Albatross", 1.0)]


def test_other_things_of_a_kind_with_good_pages_are_lifted() -> None:
    worth = HypernymWorth(BIRDS, MEAN)

    assert worth.lift("Sparrow") > 2
    assert worth.lift("Sparrow") > worth.lift("Mouse") > worth.lift("France")


def test_a_kind_with_poor_pages_is_lowered() -> None:
    worth = HypernymWorth([*BIRDS, ("France", 0.0), ("Spain", 0.0), ("Italy", 0.0)], MEAN)

    assert worth.lift("Portugal") < 0 < worth.lift("Sparrow")


def test_chinese_names_are_of_the_same_kinds() -> None:
    assert HypernymWorth(BIRDS, MEAN).lift("麻雀") > 2


@pytest.mark.parametrize("phrase", ["", "qwertzuiop", "的"])
def test_what_names_nothing_is_neither_lifted_nor_lowered(phrase: str) -> None:
    assert HypernymWorth(BIRDS, MEAN).lift(phrase) == 0.0


def test_a_part_of_a_name_lifts_by_that_part() -> None:
    worth = HypernymWorth(BIRDS, MEAN)

    assert worth.lift("qwertz sparrow") == pytest.approx(worth.lift("sparrow") / 2)


def test_a_million_links_are_rated_without_remembering_each() -> None:
    worth = HypernymWorth(BIRDS, MEAN)
    first = worth.lift("Sparrow")

    for number in range(MAX_LIFTS + 10):
        worth.lift(f"{number} sparrows")

    assert worth.lift("Sparrow") == first
    assert len(worth._lifts) <= MAX_LIFTS


def test_nothing_is_known_before_the_first_page() -> None:
    assert HypernymWorth([], MEAN).lift("Sparrow") == pytest.approx(0.0)


def test_examples_of_many_kinds_lift_a_kind_far_less_than_examples_of_one() -> None:
    mixed = [("Owl", 1.0), ("France", 1.0), ("Mozart", 1.0), ("Calculus", 1.0), ("Iron", 1.0)]

    of_many, of_one = HypernymWorth(mixed, MEAN), HypernymWorth(BIRDS, MEAN)
    assert of_many.lift("Bicycle") < of_one.lift("Sparrow") / 2
