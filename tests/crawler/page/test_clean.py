import pytest

from crawler.page.clean import clean_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        (" \t\n\x0b\u3000 ", ""),
        ("a  b\nc\u3000d\xa0e", "a b c d e"),
        ("a\0b\x07c\x7f\x9fd", "abcd"),
        ("\u202eevil\u2066\u200f", "evil"),
        ("\ud800x\udfff", "x"),
        ("\ufffe\uffff\ufdd0\U0001fffe\U0010ffffx\ufeff", "x"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("光伏 电池", "光伏 电池"),
    ],
)
def test_clean_line_drops_what_cannot_be_shown(text: str, line: str) -> None:
    assert clean_line(text, 100) == line


@pytest.mark.parametrize(
    ("max_chars", "line"), [(0, ""), (1, "a"), (2, "a"), (3, "a b"), (99, "a b c")]
)
def test_clean_line_is_cut_without_a_blank_at_its_end(max_chars: int, line: str) -> None:
    assert clean_line("a b  c", max_chars) == line
