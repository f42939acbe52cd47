"""Phrases of English, and whether they end in a noun."""

import pytest

from crawler.text.noun_phrases import noun_phrases


@pytest.mark.parametrize(
    ("text", "words", "noun"),
    [
        ("", (), None),
        ("of the branch predictor.", ("branch", "predictor"), 1),
        ("Branch predictors of it", ("branch", "predictors"), None),
        ("the processor waits for it", ("processor", "waits"), 0),
        ("by reading it", ("reading",), None),
        ("of the GPU", ("GPU",), 0),
        ("GPUs", ("GPUs",), None),
        ("it is off. Turbines,", ("turbines",), None),
        ("the Intel compiler", ("Intel", "compiler"), 1),
        ("的 smart meters 电表", ("smart", "meters"), None),
        ("an out-of-core 64-bit bus", ("bit", "bus"), None),
    ],
)
def test_a_phrase_stands_between_words_of_no_content(
    text: str, words: tuple[str, ...], noun: int | None
) -> None:
    found = list(noun_phrases(text))
    last = found[-1] if found else None
    assert (last.words if last else ()) == words
    assert (last.noun if last else None) == noun


def test_marks_and_stop_words_part_phrases() -> None:
    found = [one.words for one in noun_phrases("Cache lines, memory banks and the core.")]
    assert found == [("cache", "lines"), ("memory", "banks"), ("core",)]
