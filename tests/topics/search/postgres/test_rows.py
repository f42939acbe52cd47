"""What the tables hold of a page: tokens of each field, and one string for phrases."""

import pytest

from topics.search.analysis import phrase_tokens
from topics.search.document import Document
from topics.search.postgres.rows import MAX_BYTES, SEPARATOR, TITLE_TIMES, row_of, spelled_phrase


def exact(title: str, body: str = "") -> str:
    return row_of(Document(1, title, body)).exact


@pytest.mark.parametrize(
    ("phrase", "text", "holds"),
    [
        ("深度学习", "关于深度学习的书", True),
        ("学习深度", "关于深度学习的书", False),
        ("5月", "5月1日", True),
        ("在GPT", "我在GPT里", True),
        ("在GPT", "存在，GPT", True),
        ("电网，调度", "电网调度", False),
        ("电网调度", "电网，调度", False),
        ("grid power", "the grid, power", True),
        ("grid power", "the grids power", False),
        ("grid", "gridlock", False),
        ("c++ is", "C++ is old", True),
        ("one two", "one\ntwo", False),
    ],
)
def test_a_phrase_is_a_part_of_the_string_of_a_text_that_holds_it(
    phrase: str, text: str, holds: bool
) -> None:
    assert (spelled_phrase(phrase_tokens(phrase)) in exact("", text)) is holds
    assert (spelled_phrase(phrase_tokens(phrase)) in exact(text)) is holds


def test_a_phrase_does_not_reach_from_the_title_into_the_text() -> None:
    assert spelled_phrase(["one", "two"]) not in exact("one", "two")


def test_a_word_of_the_title_counts_more() -> None:
    row = row_of(Document(1, "grid", "grid power grid"))

    assert sorted(row.times) == [1, 2 + TITLE_TIMES]
    assert row.length == 4


def test_every_token_stands_behind_the_letter_of_its_field() -> None:
    row = row_of(Document(1, "Grids", "电网"))

    assert sorted(row.lexemes.split(SEPARATOR)) == sorted(
        ["ngrids", "tgrid", "wgrid", "w电网", "x电网", "x网", "xgrids", "ygrids"]
    )


def test_half_characters_and_nul_are_stored_without_error() -> None:
    row = row_of(Document(1, "a\ud800b", "c\0d"))

    row.lexemes.encode()
    assert "\0" not in row.lexemes + row.exact


def test_a_page_with_too_many_tokens_for_a_vector_is_long() -> None:
    body = " ".join(f"w{number}" for number in range(MAX_BYTES // 10))

    assert row_of(Document(1, "", body)).is_long
    assert not row_of(Document(1, "", "w1 " * MAX_BYTES)).is_long
