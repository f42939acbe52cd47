"""The text of an article: its lines, and what each of them is."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

from crawler.page.clean import strip_unshowable, tidy
from crawler.page.collected import Collected

MAX_TEXT_BYTES: Final = 2 * 1024 * 1024
#: Longest line of code, in characters; what is longer is data.
MAX_CODE_CHARS: Final = 500

#: What a line may be: a paragraph, or what the element around it says.
PARAGRAPH, HEADING, ITEM, CODE, QUOTE, CELL = "p", "h", "l", "c", "q", "t"
_KINDS: Final = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), HEADING),
    **dict.fromkeys(("li", "dt", "dd"), ITEM),
    **dict.fromkeys(("td", "th"), CELL),
    "pre": CODE,
    "blockquote": QUOTE,
}


def article_text(found: Collected) -> tuple[str, str]:
    """Return the text that is left of a page, and one letter for each of its lines.

    Returns
    -------
    text : str
        Cleaned for display, at most `MAX_TEXT_BYTES` in UTF-8. Code keeps its lines and
        their indent; everything else is one line for each block element.
    kinds : str
        As many letters as `text` has lines: what each of them is.
    """
    lines: list[str] = []
    kinds: list[str] = []
    by_line = _kinds_by_line(found)
    for number, text in _lines(found):
        kind = by_line.get(number, PARAGRAPH)
        shown = _code(text) if kind == CODE else [tidy(text.replace("\n", " "))]
        shown = [line for line in shown if line]
        lines += shown
        kinds += kind * len(shown)
    text = _cut("\n".join(lines), found)
    return text, "".join(kinds)[: text.count("\n") + 1] if text else ""


def _lines(found: Collected) -> Iterator[tuple[int, str]]:
    numbered = zip(found.lines, found.segments, strict=True)
    for number, segments in groupby(numbered, key=itemgetter(0)):
        text = "".join(segment for _, segment in segments)
        if text:
            yield number, text


def _kinds_by_line(found: Collected) -> dict[int, str]:
    """The role of the innermost element around each line that has one."""
    kinds: dict[int, str] = {}
    n_left = 4 * len(found.line_blocks)
    for (first, last), tag in zip(found.block_spans, found.blocks.tags, strict=True):
        kind = _KINDS.get(tag)
        if kind and last - first <= n_left:
            # Elements nest, so that a hostile page could make this grow with its square.
            n_left -= last - first
            kinds.update(dict.fromkeys(range(first, last), kind))
    return kinds


def _code(text: str) -> list[str]:
    lines = strip_unshowable(text[:MAX_TEXT_BYTES]).splitlines()
    return [line.rstrip()[:MAX_CODE_CHARS].expandtabs(4)[:MAX_CODE_CHARS] for line in lines]


def _cut(text: str, found: Collected) -> str:
    if 3 * len(text) <= MAX_TEXT_BYTES:
        return text
    whole = text.encode()
    if len(whole) <= MAX_TEXT_BYTES:
        return text
    found.flags.add("text_cut")
    return whole[:MAX_TEXT_BYTES].decode("utf-8", "ignore")
