"""Titles from the web become one quiet line."""

import pytest

from topics.delivery.mime import MAX_TITLE, one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A\n title\twith  \r\n breaks", "A title with breaks"),
        ("Bell\x07 and null\x00", "Bell and null"),
        ("\u202eevil\u202c \u2066turn\u2069", "evil turn"),
        ("智能电网　调度", "智能电网 调度"),
        ("Subject\r\nBcc: all@the.test", "Subject Bcc: all@the.test"),
        ("half a pair \ud800, no character \ufffe", "half a pair , no character"),
        ("第一句。\n第二句！ third. Fourth", "第一句。第二句！third. Fourth"),
        ("“Quoted” word", "“Quoted” word"),
        ("", ""),
    ],
)
def test_a_title_is_one_line_without_tricks(text: str, line: str) -> None:
    assert one_line(text) == line


def test_a_long_title_is_cut() -> None:
    line = one_line("字" * 1000)
    assert len(line) == MAX_TITLE
    assert line.endswith("…")
