"""A PDF file to lines of text with their places on the page; PDFium does the reading.

PDFium is not thread-safe: only one thread of a process may be in here.
"""

import re
from collections.abc import Iterator
from ctypes import POINTER, byref, c_char, c_int, create_string_buffer
from dataclasses import dataclass, field, replace
from itertools import repeat
from math import isfinite
from statistics import median
from typing import Any, Final

import pypdfium2
from pypdfium2 import raw

from crawler.errors import ParseError
from crawler.reasons import Reason

#: What follows the first so many pages is not read.
MAX_PAGES: Final = 60
#: Nor what follows the page on which so many characters are reached.
MAX_CHARS: Final = 1_000_000
#: Links with an area on the page, and addresses found in the text, of one page.
MAX_PAGE_LINKS: Final = 300
MAX_PAGE_LINES: Final = 2000
_MAX_META_CHARS: Final = 2000
_MAX_URL_BYTES: Final = 4096

# PDFium ends a line with CR LF, or puts a mark of its own where a hyphen divides a word.
_LINE_END: Final = re.compile("\r\n|[\x02\ufffe]")


def _leave_system_fonts_alone() -> None:
    """Start PDFium anew with no folder of fonts.

    Else it looks through the machine's fonts for what a file does not embed: text is the same
    without them, in a tenth of the time, and the parse child opens no file.
    """
    raw.FPDF_DestroyLibrary()
    no_folders = (POINTER(c_char) * 1)()
    raw.FPDF_InitLibraryWithConfig(raw.FPDF_LIBRARY_CONFIG(version=2, m_pUserFontPaths=no_folders))


_leave_system_fonts_alone()


@dataclass(frozen=True, slots=True)
class PdfPiece:
    """A run of text on one line, and the address it leads to, "" for none."""

    text: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line of text; the origin is the page's lower left corner, the unit 1/72 inch.

    Attributes
    ----------
    size : float
        Height of its type.
    is_upright : bool
        False for text that runs upwards beside the page, say.
    is_divided : bool
        A hyphen at its end divides a word; the hyphen is not in the text.
    """

    pieces: list[PdfPiece]
    left: float
    bottom: float
    right: float
    top: float
    size: float
    is_upright: bool = True
    is_divided: bool = False

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(slots=True)
class PdfText:
    """What is read of a PDF file.

    Attributes
    ----------
    pages : list of list of PdfLine
        In the order in which the file draws them.
    pictures : list of str
        Addresses that areas without text lead to.
    title, subject, keywords, created, language : str
        As the file says, "" if it does not.
    is_cut : bool
        There is more than was read.
    """

    pages: list[list[PdfLine]] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    title: str = ""
    subject: str = ""
    keywords: str = ""
    created: str = ""
    language: str = ""
    is_cut: bool = False


def read_pdf(body: bytes) -> PdfText:
    """Read the text and links of the first pages. Scripts and attachments are skipped.

    Raises
    ------
    ParseError
        PDF_ENCRYPTED if it opens with a password only, PDF_UNREADABLE if it is damaged
        beyond repair or has no page.
    """
    # PDFium keeps the error of an earlier file where it names none for this one: set a known one.
    raw.FPDF_LoadMemDocument64(b"", 0, None)
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        reason = Reason.PDF_ENCRYPTED if locked else Reason.PDF_UNREADABLE
        raise ParseError(reason, str(error)) from error
    with document:
        found = PdfText(
            title=_meta(document, b"Title"),
            subject=_meta(document, b"Subject"),
            keywords=_meta(document, b"Keywords"),
            created=_meta(document, b"CreationDate"),
            language=_language(document),
        )
        n_pages, n_chars = len(document), 0
        for number in range(min(n_pages, MAX_PAGES)):
            if n_chars >= MAX_CHARS:
                found.is_cut = True
                break
            n_chars += _read_page(document, number, found, MAX_CHARS - n_chars)
        found.is_cut |= n_pages > MAX_PAGES
    return found


def _meta(document: Any, key: bytes) -> str:
    n_bytes = raw.FPDF_GetMetaText(document.raw, key, None, 0)
    buffer = create_string_buffer(n_bytes)
    raw.FPDF_GetMetaText(document.raw, key, buffer, n_bytes)
    return buffer.raw[: 2 * _MAX_META_CHARS].decode("utf-16-le", "replace").strip("\0 ")


def _language(document: Any) -> str:
    n_units = raw.FPDFCatalog_GetLanguage(document.raw, None, 0)
    if not 0 < n_units <= 100:
        return ""
    buffer = (raw.FPDF_WCHAR * n_units)()
    raw.FPDFCatalog_GetLanguage(document.raw, buffer, n_units)
    return bytes(buffer).decode("utf-16-le", "replace").strip("\0 ")


def _read_page(document: Any, number: int, found: PdfText, most_chars: int) -> int:
    """Add a page to what is found; return how many characters of it were read."""
    page = raw.FPDF_LoadPage(document.raw, number)
    text_page = raw.FPDFText_LoadPage(page) if page else None
    try:
        if not text_page:
            # One damaged page must not lose the others.
            found.is_cut = True
            return 0
        n_chars: int = max(0, raw.FPDFText_CountChars(text_page))
        n_read = min(n_chars, most_chars)
        codes = map(raw.FPDFText_GetUnicode, repeat(text_page), range(n_read))
        text = b"".join(code.to_bytes(4, "little") for code in codes).decode("utf-32-le", "replace")
        spans = list(_lines(text_page, text))
        areas = [*_link_areas(document, page), *_addresses(text_page, n_read)]
        lines = [_with_links(text_page, text, span, areas) for span in spans]
        found.pages.append(lines)
        linked = {piece.href for line in lines for piece in line.pieces}
        found.pictures += dict.fromkeys(area.href for area in areas if area.href not in linked)
        found.is_cut |= n_read < n_chars or len(spans) >= MAX_PAGE_LINES
        return n_read
    finally:
        if text_page:
            raw.FPDFText_ClosePage(text_page)
        if page:
            raw.FPDF_ClosePage(page)


@dataclass(frozen=True, slots=True)
class _Span:
    """A line as characters `start` to `end` of its page."""

    start: int
    end: int
    line: PdfLine


@dataclass(frozen=True, slots=True)
class _Area:
    """Where a link is: characters `start` to `end` if these are known, else a rectangle."""

    href: str
    box: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    start: int = 0
    end: int = 0


def _lines(text_page: Any, text: str) -> Iterator[_Span]:
    start = n_lines = 0
    while start < len(text) and n_lines < MAX_PAGE_LINES:
        match = _LINE_END.search(text, start)
        end = match.start() if match else len(text)
        is_divided = match is not None and match[0] != "\r\n"
        if said := text[start:end].strip():
            first = text.index(said[0], start)
            line = _placed(text_page, text, first, first + len(said), is_divided)
            yield _Span(first, first + len(said), line)
            n_lines += 1
        start = match.end() if match else end


def _placed(text_page: Any, text: str, start: int, end: int, is_divided: bool) -> PdfLine:
    # One letter may be a raised mark or a large initial; of three the middle one is right.
    middle = (start + end - 1) // 2
    first, inner, last = (_box(text_page, place) for place in (start, middle, end - 1))
    size = median(abs(top - bottom) for _, bottom, _, top in (first, inner, last))
    angle = raw.FPDFText_GetCharAngle(text_page, middle)
    return PdfLine(
        pieces=[PdfPiece(text[start:end])],
        left=min(first[0], last[0]),
        bottom=inner[1],
        right=max(first[2], last[2]),
        top=inner[3],
        size=size,
        is_upright=angle < 0.1 or angle > 6.18,
        is_divided=is_divided,
    )


_NOWHERE: Final = (0.0, 0.0, 0.0, 0.0)


def _box(text_page: Any, place: int) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a character's place on its line."""
    box = raw.FS_RECTF()
    if not raw.FPDFText_GetLooseCharBox(text_page, place, byref(box)):
        return _NOWHERE
    corners = box.left, box.bottom, box.right, box.top
    # The matrix of a damaged file may make no number of a place.
    return corners if all(map(isfinite, corners)) else _NOWHERE


def _link_areas(document: Any, page: Any) -> Iterator[_Area]:
    """Links that lead to an address, by their areas; those within the file are left out."""
    place, link = c_int(0), raw.FPDF_LINK()
    for _ in range(MAX_PAGE_LINKS):
        if not raw.FPDFLink_Enumerate(page, byref(place), byref(link)):
            return
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        n_bytes = raw.FPDFAction_GetURIPath(document.raw, action, None, 0)
        if not 1 < n_bytes <= _MAX_URL_BYTES:
            continue
        buffer = create_string_buffer(n_bytes)
        raw.FPDFAction_GetURIPath(document.raw, action, buffer, n_bytes)
        href = buffer.value.decode("utf-8", "replace")
        for box in _boxes_of(link):
            yield _Area(href, box)


def _boxes_of(link: Any) -> Iterator[tuple[float, float, float, float]]:
    """The rectangles of a link: one on each line it covers, or one for all."""
    n_quads = min(raw.FPDFLink_CountQuadPoints(link), 20)
    for index in range(n_quads):
        quad = raw.FS_QUADPOINTSF()
        if raw.FPDFLink_GetQuadPoints(link, index, byref(quad)):
            across = (quad.x1, quad.x2, quad.x3, quad.x4)
            upwards = (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(across), min(upwards), max(across), max(upwards)
    box = raw.FS_RECTF()
    if n_quads <= 0 and raw.FPDFLink_GetAnnotRect(link, byref(box)):
        left, right = sorted((box.left, box.right))
        bottom, top = sorted((box.bottom, box.top))
        yield left, bottom, right, top


def _addresses(text_page: Any, n_chars: int) -> Iterator[_Area]:
    """Addresses that stand in the text, without a link on them."""
    found = raw.FPDFLink_LoadWebLinks(text_page)
    try:
        for index in range(min(raw.FPDFLink_CountWebLinks(found), MAX_PAGE_LINKS)):
            n_units = raw.FPDFLink_GetURL(found, index, None, 0)
            start, count = c_int(0), c_int(0)
            raw.FPDFLink_GetTextRange(found, index, byref(start), byref(count))
            if 1 < n_units <= _MAX_URL_BYTES and 0 <= start.value < n_chars:
                buffer = (raw.c_ushort * n_units)()
                raw.FPDFLink_GetURL(found, index, buffer, n_units)
                href = bytes(buffer).decode("utf-16-le", "replace").strip("\0")
                yield _Area(href, start=start.value, end=start.value + count.value)
    finally:
        raw.FPDFLink_CloseWebLinks(found)


def _with_links(text_page: Any, text: str, span: _Span, areas: list[_Area]) -> PdfLine:
    """Divide a line where links begin and end; of two in one place the first counts."""
    line = span.line
    pieces: list[PdfPiece] = []
    place = span.start
    linked = sorted(
        (start, end, area.href)
        for area in areas
        for start, end in [_covered(text_page, span, area)]
        if start < end
    )
    for start, end, href in linked:
        if start >= place:
            pieces += [PdfPiece(text[place:start]), PdfPiece(text[start:end], href)]
            place = end
    if not pieces:
        return line
    pieces.append(PdfPiece(text[place : span.end]))
    return replace(line, pieces=[piece for piece in pieces if piece.text])


def _covered(text_page: Any, span: _Span, area: _Area) -> tuple[int, int]:
    """Which characters of a line are in an area: the first, and the one after the last."""
    if area.end:
        return max(area.start, span.start), min(area.end, span.end)
    left, bottom, right, top = area.box
    line = span.line
    if not (
        bottom < (line.bottom + line.top) / 2 < top and left < line.right and right > line.left
    ):
        return 0, 0
    if left <= line.left and line.right <= right:
        return span.start, span.end
    inside = [
        place
        for place in range(span.start, span.end)
        for box in [_box(text_page, place)]
        if left < (box[0] + box[2]) / 2 < right
    ]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)
