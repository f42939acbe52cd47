"""Snippets: what is marked, what is cut, and that nothing else changes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topics.search.query import parse_query
from topics.search.snippet import MAX_FRAGMENTS, WIDTH, Fragment, cut_fragments, mark_all


def marked(text: str, query: str) -> list[str]:
    fragments = cut_fragments(text, parse_query(query))
    return [piece.text for fragment in fragments for piece in fragment.pieces if piece.is_marked]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("本市推广新能源汽车。", "新能源", ["新能源"]),
        ("本市推廣新能源汽車。", "汽车", ["汽車"]),
        ("发展新 能源", "新能源", ["新 能源"]),
        ("能源结构与汽车", "能源汽车", ["能源", "汽车"]),
        ("能源汽车与能源", "能源汽车", ["能源汽车"]),
        ("A crawler and crawlers crawl.", "crawler", ["crawler", "crawlers"]),
        ("The ＣＲＡＷＬＥＲ waits.", "crawler", ["ＣＲＡＷＬＥＲ"]),
        ("Deep  learning, deep sea", '"deep learning"', ["Deep  learning"]),
        ("Newton's law", "newton", ["Newton"]),
        ("C++ is not C", "c++", ["C++"]),
        ("ecart cart", "cart", ["cart"]),
        ("Straße frei", "strasse", ["Straße"]),
        ("grid news", "grid -news", ["grid"]),
        ("用 ﷺ 与 ㎞ 表示", "km", ["㎞"]),
        # Letters with marks as characters of their own, as some systems write them.
        ("the cafe\u0301 of Metz", "café", ["cafe\u0301"]),
        ("the cafe\u0301s of Metz", "caf*", ["cafe\u0301s"]),
        (
            "a \u1112\u1161\u11ab\u1100\u1173\u11af b",
            "한글",
            ["\u1112\u1161\u11ab\u1100\u1173\u11af"],
        ),
        ("ﾊﾟｿｺﾝ 电脑", "パソコン", ["ﾊﾟｿｺﾝ"]),
    ],
)
def test_terms_are_marked_whole_as_they_stand(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


def test_fragments_show_different_words_of_the_query() -> None:
    text = "The grid is old.\n" * 5 + "x " * 400 + "\nA transformer hums.\n" + "The grid.\n" * 3

    shown = [str(fragment) for fragment in cut_fragments(text, parse_query("grid transformer"))]

    assert len(shown) == MAX_FRAGMENTS
    assert "grid" in shown[0]
    assert "transformer" in shown[1]


def test_a_fragment_of_a_long_line_says_that_it_is_cut() -> None:
    (fragment,) = cut_fragments("word " * 100 + "grid " + "word " * 100, parse_query("grid"))

    assert str(fragment).startswith("… word")
    assert str(fragment).endswith(" …")
    assert len(str(fragment)) <= WIDTH + 4


@pytest.mark.parametrize(
    ("before", "between", "found"),
    [("甲" * 30 + "，", "乙", "电动"), ("word " * 30 + "(see there).", " a", " grid")],
)
def test_a_fragment_begins_with_no_mark_that_closes_what_was_cut(
    before: str, between: str, found: str
) -> None:
    for n_between in range(20):
        text = before + between * n_between + found
        (fragment,) = cut_fragments(text, parse_query(found))
        assert fragment.starts_inside
        assert fragment.pieces[0].text[0] not in "，).", str(fragment)


def test_without_a_match_the_text_begins_with_its_first_telling_line() -> None:
    text = "Home\nNews\nThis line is long enough to tell what the page is about.\n"

    (fragment,) = cut_fragments(text, parse_query("absent"))

    assert str(fragment) == "This line is long enough to tell what the page is about."


def test_an_empty_text_gives_no_fragment() -> None:
    assert cut_fragments("", parse_query("grid")) == []


def test_a_cut_does_not_part_an_accent_or_an_emoji_from_its_base() -> None:
    accents = "e\u0301" * 300
    family = "👩\u200d👩\u200d👧" * 120
    for text in (f"{accents}grid{accents}", f"{family}grid{family}"):
        (fragment,) = cut_fragments(text, parse_query("grid" if "👩" in text else accents[:60]))
        shown = "".join(piece.text for piece in fragment.pieces)
        assert shown[0] not in "\u0301\u200d"
        assert not shown.endswith("\u200d")


def test_mark_all_keeps_the_whole_title() -> None:
    title = mark_all("新能源 and " + "more " * 100, parse_query("新能源"))

    assert str(title) == "新能源 and " + "more " * 100
    assert title.pieces[0].text == "新能源"


def test_a_long_page_full_of_matches_is_quick() -> None:
    text = "电网调度自动化与新能源消纳研究，\n" * 20_000
    started = time.process_time()

    fragments = cut_fragments(text, parse_query("新能源 电网 调度"))

    assert len(fragments) == MAX_FRAGMENTS
    assert time.process_time() - started < 0.5


_ANY = st.text(st.characters(codec="utf-8"), max_size=300)
_LIKELY = st.text("电网新能源 grid\n<&>'\"é́👩‍ß㎞", max_size=400)


@given(
    text=st.one_of(_ANY, _LIKELY), query=st.sampled_from(["新能源", "grid 电网", '"grid 电"', "e"])
)
def test_fragments_are_pieces_of_the_text_in_order(text: str, query: str) -> None:
    fragments = cut_fragments(text, parse_query(query))

    position = 0
    for fragment in fragments:
        shown = "".join(piece.text for piece in fragment.pieces)
        position = text.index(shown, position) + len(shown)
        assert all(piece.text for piece in fragment.pieces)
        assert "\n" not in shown or any("\n" in p.text for p in fragment.pieces if p.is_marked)
    assert len(fragments) <= MAX_FRAGMENTS


@given(_ANY)
def test_mark_all_never_changes_a_text(text: str) -> None:
    assert str(mark_all(text, parse_query("e 电 grid"))) == text


def test_a_fragment_as_text_has_no_marks() -> None:
    assert str(Fragment(())) == ""
