"""Lines of a PDF file to paragraphs: running heads go, divided words come together."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

from crawler.page.pdf.pdf_lines import PdfLine, PdfPiece
from crawler.text.fold import HAN

#: Lines of a page that may be a running head or foot: those on its first and last heights.
_EDGE_HEIGHTS: Final = 2
#: Type so much larger than the body's is a heading's.
_LARGER: Final = 1.15
_MAX_HEADING_CHARS: Final = 200

_DIGITS = re.compile(r"\d+|\b[ivxl]+\b")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？：；…][\"'”’)）」』\]]*$")
_BULLETS = "•▪■●◦○□➢✓"
_MARKED = re.compile(
    rf"[{_BULLETS}·–—*-]\s|\[?\d{1, 3}[\].)、]|[（(][\d一二三四五六七八九十a-z]{1, 3}[)）]"
    r"|[一二三四五六七八九十]{1,3}、"
)
_EAST_ASIAN = f"[{HAN}\u3000-\u303f\u3041-\u30ff\uff00-\uffef]"
_EAST_ASIAN_END = re.compile(f"{_EAST_ASIAN}$")
_EAST_ASIAN_START = re.compile(_EAST_ASIAN)
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_LAST_WORD = re.compile(r"([^\W\d_]+)$")
_FIRST_WORD = re.compile(r"([^\W\d_]+)")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together, as one text with the links in it."""

    size: float
    pieces: list[PdfPiece] = field(default_factory=list)
    is_heading: bool = False

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(piece.text for piece in self.pieces)


def body_lines(pages: Sequence[Sequence[PdfLine]]) -> list[list[PdfLine]]:
    """Leave out page numbers, and heads and feet that repeat from page to page.

    A head may change in its numbers only, and must stand at the same height in the same type.
    """
    edges = [_edge_lines(lines) for lines in pages]
    counts = Counter(key for keys in edges for key in set(keys.values()))
    kept = [
        [
            line
            for index, line in enumerate(lines)
            if index not in keys or not (counts[keys[index]] > 1 or keys[index][0] == "#")
        ]
        for lines, keys in zip(pages, edges, strict=True)
    ]
    return kept if any(kept) else [list(lines) for lines in pages]


_Key = tuple[str, int, int]


def _edge_lines(lines: Sequence[PdfLine]) -> dict[int, _Key]:
    """What the lines at the top and bottom of a page say, by their index."""
    heights = sorted({round(line.bottom) for line in lines})
    edges = {*heights[:_EDGE_HEIGHTS], *heights[-_EDGE_HEIGHTS:]}
    return {
        index: (_without_numbers(line.text), round(line.bottom / 3), round(line.size))
        for index, line in enumerate(lines)
        if round(line.bottom) in edges
    }


def _without_numbers(text: str) -> str:
    text = "".join(text.split(" ")).casefold().strip("-–—|[]()·.")
    return _DIGITS.sub("#", text)


def body_size(pages: Sequence[Sequence[PdfLine]]) -> float:
    """Return the size of type in which most of the text stands."""
    weights: dict[float, int] = defaultdict(int)
    for lines in pages:
        for line in lines:
            weights[round(line.size, 1)] += len(line.text)
    return max(weights, key=weights.__getitem__, default=0.0)


def paragraphs(pages: Sequence[Sequence[PdfLine]]) -> list[Paragraph]:
    """Put the lines of a file together to paragraphs.

    Parameters
    ----------
    pages : sequence of sequence of PdfLine
        As of `body_lines`; within a page in the order in which it is drawn.
    """
    size = body_size(pages)
    distance = _line_distance(pages)
    hyphened = {
        word.casefold()
        for lines in pages
        for line in lines
        for word in _HYPHENED.findall(line.text)
    }
    found: list[Paragraph] = []
    for group in _groups(pages, distance):
        pieces = list(_joined(group, hyphened))
        paragraph = Paragraph(group[0].size, pieces)
        paragraph.is_heading = (
            group[0].size > _LARGER * size and len(paragraph.text) <= _MAX_HEADING_CHARS
        )
        found.append(paragraph)
    return found


def _line_distance(pages: Sequence[Sequence[PdfLine]]) -> float:
    """How far the next line of a paragraph usually is below, in sizes of its type."""
    distances = [
        (upper.bottom - lower.bottom) / upper.size
        for lines in pages
        for upper, lower in pairwise(lines)
        if upper.size and _is_below(upper, lower, 2.5)
    ]
    return median(distances) if distances else 1.2


def _is_below(upper: PdfLine, lower: PdfLine, sizes: float) -> bool:
    """True if a line stands under another in its column, at most so far."""
    fall = upper.bottom - lower.bottom
    return (
        upper.is_upright == lower.is_upright
        and abs(upper.size - lower.size) <= 0.15 * max(upper.size, lower.size)
        and 0.3 * upper.size < fall <= sizes * upper.size
        and min(upper.right, lower.right) > max(upper.left, lower.left)
    )


def _groups(pages: Sequence[Sequence[PdfLine]], distance: float) -> Iterator[list[PdfLine]]:
    """The lines of each paragraph."""
    group: list[PdfLine] = []
    right = 0.0
    for lines in pages:
        for line in lines:
            if group and _belongs(group, line, right, 1.3 * distance):
                group.append(line)
                right = max(right, line.right)
                continue
            if group:
                yield group
            group, right = [line], line.right
    if group:
        yield group


def _belongs(group: Sequence[PdfLine], line: PdfLine, right: float, sizes: float) -> bool:
    """True if a line goes on with a paragraph whose lines reach to `right`."""
    last = group[-1]
    if not _is_below(last, line, sizes):
        return _goes_on_elsewhere(last, line)
    if last.is_divided:
        return True
    if line.text[0] in _BULLETS:
        return False
    is_first = len(group) == 1
    is_in, is_out = line.left > last.left + 0.7 * line.size, line.left < last.left - 0.7 * line.size
    hangs = is_first and _MARKED.match(last.text) is not None
    if (is_in and not hangs and not _is_centred(last, line)) or (is_out and not is_first):
        return False
    if not _ENDS_SENTENCE.search(last.text):
        return True
    is_short = last.right < max(right, line.right) - 0.15 * (line.right - line.left)
    return not is_short and _MARKED.match(line.text) is None


def _is_centred(upper: PdfLine, lower: PdfLine) -> bool:
    return abs(upper.left + upper.right - lower.left - lower.right) < 0.5 * lower.size


def _goes_on_elsewhere(last: PdfLine, line: PdfLine) -> bool:
    """True if a line goes on with what broke off at the end of a column or page."""
    if last.bottom > line.bottom - line.size or not (last.is_upright and line.is_upright):
        return False  # A column and a page go on further up.
    if abs(last.size - line.size) > 0.1 * line.size or _ENDS_SENTENCE.search(last.text):
        return False
    text = line.text
    if last.is_divided or text[:1].islower():
        return True
    is_full = last.right - last.left > 0.85 * (line.right - line.left)
    return is_full and bool(_EAST_ASIAN_END.search(last.text) and _EAST_ASIAN_START.match(text))


def _joined(lines: Sequence[PdfLine], hyphened: set[str]) -> Iterator[PdfPiece]:
    """The pieces of lines, with what belongs between them."""
    for index, line in enumerate(lines):
        yield from line.pieces
        if index + 1 < len(lines):
            between = _between(line, lines[index + 1].text, hyphened)
            if between:
                yield PdfPiece(between)


def _between(line: PdfLine, following: str, hyphened: set[str]) -> str:
    """What comes between a line and the next one: nothing, a blank or a hyphen."""
    text = line.text
    if line.is_divided:
        before, after = _LAST_WORD.search(text), _FIRST_WORD.match(following)
        if before is None or after is None:
            return "-"
        if not after[1][0].islower() and not (before[1].isupper() and after[1].isupper()):
            return "-"
        return "-" if f"{before[1]}-{after[1]}".casefold() in hyphened else ""
    if _EAST_ASIAN_END.search(text) and _EAST_ASIAN_START.match(following):
        return ""
    return " "
