"""What kind of thing a phrase names."""

import pytest

from crawler.text.hypernyms import MAX_PHRASE_CHARS, path_of, senses_of
from crawler.text.noun_table import noun_table


def part_of(phrase: str) -> float:
    return sum(sense.weight for sense in senses_of(phrase))


def first_sense(phrase: str) -> int:
    return senses_of(phrase)[0].number


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("Emperor Penguin", "emperor penguin"),
        ("Owls", "owl"),
        ("Foxes", "fox"),
        ("Cities", "city"),
        ("Owl (bird)", "owl"),
        ("Owl - The Free Encyclopaedia", "owl"),
        ("Owl | Birds", "owl"),
        ("George III of the United Kingdom", "george iii"),
        ("List of owls", "list"),
        ("Battle of Hastings", "battle of hastings"),
        ("企鵝", "企鹅"),
        ("企鹅（鸟）", "企鹅"),
        ("南极企鹅", "企鹅"),
    ],
)
def test_a_phrase_names_a_noun(phrase: str, noun: str) -> None:
    assert first_sense(phrase) == noun_table().senses(noun)[0]


@pytest.mark.parametrize(
    "phrase", ["", " ", "()", "qwertzuiop", "的", "a b c d e f g h owl", "owl " * MAX_PHRASE_CHARS]
)
def test_a_phrase_that_names_nothing_known_has_no_sense(phrase: str) -> None:
    assert senses_of(phrase) == ()


def test_senses_weigh_the_less_the_rarer_they_are() -> None:
    weights = [sense.weight for sense in senses_of("mercury")]

    assert weights == sorted(weights, reverse=True)
    assert len(weights) > 1
    assert sum(weights) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("phrase", "part"), [("owl", 1.0), ("qwertz owl", 0.5), ("南极企鹅", 0.5), ("企鹅", 1.0)]
)
def test_a_part_of_a_phrase_counts_as_that_part(phrase: str, part: float) -> None:
    assert part_of(phrase) == pytest.approx(part)


def test_a_path_leads_from_the_most_general_kind_to_the_thing() -> None:
    path = path_of(first_sense("owl"))

    assert path[-1] == first_sense("owl")
    assert first_sense("bird") in path
    shares = [noun_table().share(kind) for kind in path]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1.0
