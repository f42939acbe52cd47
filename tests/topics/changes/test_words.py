"""The difference of two texts in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topics.changes.words import (
    HAN_WEIGHT,
    MAX_TOKENS,
    DiffKind,
    DiffPiece,
    around_changes,
    difference,
    is_small,
    weight,
)

SAME, INSERTED, DELETED = DiffKind.SAME, DiffKind.INSERTED, DiffKind.DELETED


def told(before: str, after: str) -> list[tuple[str, str]]:
    return [(piece.kind.value, piece.text) for piece in difference(before, after)]


def test_words_are_inserted_and_deleted() -> None:
    assert told("The old cache is slow today.", "The new cache is slow today.") == [
        ("same", "The "),
        ("deleted", "old"),
        ("inserted", "new"),
        ("same", " cache is slow today."),
    ]


def test_chinese_is_compared_by_character() -> None:
    assert told("电网调度中心很忙", "电网调度中心不忙") == [
        ("same", "电网调度中心"),
        ("deleted", "很"),
        ("inserted", "不"),
        ("same", "忙"),
    ]


def test_a_lone_equal_word_between_changes_belongs_to_the_change() -> None:
    pieces = told("a b c one the two d e f", "a b c three the four d e f")
    assert pieces == [
        ("same", "a b c "),
        ("deleted", "one the two"),
        ("inserted", "three the four"),
        ("same", " d e f"),
    ]


@pytest.mark.parametrize(
    ("before", "after"), [("", "all new"), ("all gone", ""), ("", ""), ("x", "y"), ("same", "same")]
)
def test_the_ends(before: str, after: str) -> None:
    pieces = difference(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind is not INSERTED) == before
    assert "".join(piece.text for piece in pieces if piece.kind is not DELETED) == after


@given(st.text("ab 电网1.\n", max_size=60), st.text("ab 电网1.\n", max_size=60))
def test_both_texts_can_be_read_from_the_pieces(before: str, after: str) -> None:
    pieces = difference(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind is not DELETED) == after
    old = "".join(piece.text for piece in pieces if piece.kind is not INSERTED)
    assert old == before
    assert all(piece.text for piece in pieces)


TEXT = "The grid of the north is stable. Operators watch it day and night."


@pytest.mark.parametrize(
    ("before", "after", "small"),
    [
        (TEXT, TEXT + " Updated 3 minutes ago.", True),
        (
            f"{TEXT} 12 May 2026, 1,204 views",
            f"{TEXT} 13 June 2026, 98,311 views, 5 comments",
            True,
        ),
        (f"{TEXT} 阅读 120 次", f"{TEXT} 阅读 3400 次 评论 5 条 2026年5月1日", True),
        (TEXT, TEXT.replace("stable", "stabel"), True),
        (TEXT, f"{TEXT} A second line failed near the coast this morning.", False),
        (f"{TEXT} A second line failed near the coast this morning.", TEXT, False),
        ("电网运行平稳。", "电网运行平稳。沿海线路今晨发生故障。", False),
    ],
)
def test_dates_counters_and_slips_are_small(before: str, after: str, *, small: bool) -> None:
    assert is_small(difference(before, after)) is small


def test_the_weight_counts_words() -> None:
    pieces = difference("", "two words 2026 电网")
    assert weight(pieces, INSERTED) == pytest.approx(2 + 2 * HAN_WEIGHT)
    assert weight(pieces, DELETED) == 0


def test_a_long_text_is_compared_in_its_beginning() -> None:
    pieces = difference("a " * MAX_TOKENS, "b " * MAX_TOKENS)
    assert len("".join(piece.text for piece in pieces if piece.kind is INSERTED)) <= MAX_TOKENS * 2


def test_the_short_form_has_the_changes_with_a_few_words_around() -> None:
    before = f"{'start ' * 50}old word {'end ' * 50}"
    pieces = around_changes(difference(before, before.replace("old word", "new thing")), 12, 200)

    assert [piece.kind for piece in pieces] == [SAME, DELETED, INSERTED, SAME]
    assert pieces[0].text.endswith("… start start ")
    assert pieces[1:3] == [DiffPiece(DELETED, "old word"), DiffPiece(INSERTED, "new thing")]
    assert pieces[3].text.startswith(" end end end")
    assert sum(len(piece.text) for piece in pieces) < 80


def context(word: str) -> list[str]:
    """What stands before and after a change in a long text of one word."""
    old = f"{word * 50}old {word * 50}"
    pieces = around_changes(difference(old, old.replace("old", "new")), 14, 200)
    return [piece.text.strip() for piece in pieces if piece.kind is SAME]


def test_the_words_around_a_change_are_whole() -> None:
    for text in context("nanosecond "):
        assert set(text.split()) == {"nanosecond", "…"}
    # Each character of Chinese may end the context.
    assert [len(text.replace("…", "").strip()) for text in context("电网")] == [14, 13]


def test_a_long_change_is_cut() -> None:
    pieces = around_changes(difference("", "word " * 500), 12, 100)
    assert len(pieces) == 1
    assert len(pieces[0].text) == 101
