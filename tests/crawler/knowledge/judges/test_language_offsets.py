"""Logits of pages with the topic's words have nearly the same mean in each language."""

import numpy as np
import pytest

from crawler.knowledge.judges.language_offsets import (
    FEWEST_PAGES,
    PRIOR_PAGES,
    language_offsets,
    offsets_of,
)


def offsets(logits: dict[str, list[float]], n_without_words: int = 0) -> dict[str, float]:
    """Of pages with the topic's words, by language; so many others have a logit of -9."""
    languages = [language for language, values in logits.items() for _ in values]
    values = [value for values in logits.values() for value in values]
    words = [True] * len(values) + [False] * n_without_words
    languages += ["zh"] * n_without_words
    values += [-9.0] * n_without_words
    return language_offsets(np.array(values), languages, np.array(words))


def test_the_language_that_is_judged_lower_is_raised_and_the_other_lowered() -> None:
    found = offsets({"en": [1.0] * 100, "zh": [-1.0] * 100})

    assert found["zh"] == pytest.approx(1 * 100 / (100 + PRIOR_PAGES))
    assert found["en"] == -found["zh"]


def test_few_pages_move_little() -> None:
    few = offsets({"en": [1.0] * 100, "zh": [-1.0] * FEWEST_PAGES})
    many = offsets({"en": [1.0] * 100, "zh": [-1.0] * 100})

    assert 0 < few["zh"] < 2 * many["zh"]
    assert abs(few["en"]) < 0.2


def test_pages_without_the_topics_words_say_nothing_of_their_language() -> None:
    assert offsets({"en": [1.0] * 50, "zh": [1.0] * 50}, 500) == {"en": 0.0, "zh": 0.0}


@pytest.mark.parametrize(
    "logits",
    [
        {},
        {"en": [1.0] * 50},
        {"en": [1.0] * 50, "zh": [-1.0] * (FEWEST_PAGES - 1)},
        {"en": [1.0] * 50, "": [-1.0] * 50},
    ],
    ids=["no page", "one language", "few pages of the other", "an unknown language"],
)
def test_without_two_languages_to_compare_nothing_is_moved(logits: dict[str, list[float]]) -> None:
    assert offsets(logits) == {}


def test_a_page_in_a_language_that_was_not_compared_is_not_moved() -> None:
    assert offsets_of(["zh", "en", "", "fr"], {"zh": 0.5, "en": -0.25}).tolist() == [
        0.5,
        -0.25,
        0.0,
        0.0,
    ]
