"""A PDF file as what the pass over a page's tags would give."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from crawler.errors import ParseError
from crawler.page.collect import Collector, EnoughError
from crawler.page.collected import Collected
from crawler.page.parsed import PDF
from crawler.page.pdf.pdf_layout import Paragraph, body_lines, body_size, paragraphs
from crawler.page.pdf.pdf_lines import PdfLine, read_pdf
from crawler.reasons import Reason

# Readers accept a few lines before the mark, such as printer commands.
_MARK = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?\s*|[\r\n])%PDF-")
_MARK_WITHIN: Final = 1024
_MARKUP = re.compile(rb"<(?:!doctype|html|head|body|\?xml|rss)", re.IGNORECASE)

_MIN_TITLE_LETTERS: Final = 3
_MAX_TITLE_CHARS: Final = 300
#: How much larger than the body the title's type must be.
_LARGER: Final = 1.1
#: Where the words of a title must be found again, in characters from the beginning.
_BEGINNING: Final = 6000
_FILE_NAME = re.compile(
    r"\.(?:docx?|pdf|tex|dvi|e?ps|pptx?|xlsx?|rtf|odt|odp|wpd|wps|indd|qxd|p65|txt|html?)\s*$",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"\(?(?:untitled|anonymous|unknown|no title|none|title|document|presentation|slide|print"
    r"|powerpoint presentation|microsoft (?:word|powerpoint|excel)|无标题|未命名|幻灯片)\b.*"
    r"|(?:doi|arxiv)\s*:.*|https?://\S*",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = re.compile(r"[^\W\d_]+")
_CREATED = re.compile(
    r"(?:D:)?(?P<day>\d{8})(?P<clock>\d{6})?"
    r"(?:(?P<zone>Z)|(?P<offset>[+-]\d\d)'?(?P<minutes>\d\d)?)?"
)


def is_pdf(body: bytes) -> bool:
    """True if a body is a PDF file, whatever it is called."""
    match = _MARK.search(body, 0, _MARK_WITHIN)
    # A page may well show the mark.
    return match is not None and not _MARKUP.search(body, 0, match.start())


def collect_pdf(body: bytes) -> Collected:
    """Read a PDF file into paragraphs, headings, links, title and date.

    Raises
    ------
    ParseError
        PDF_WITHOUT_TEXT if it holds only pictures of text; PDF_ENCRYPTED and
        PDF_UNREADABLE as of `read_pdf`.
    """
    pdf = read_pdf(body)
    if not pdf.pages:
        raise ParseError(Reason.PDF_UNREADABLE, "none of its pages can be read")
    pages = body_lines(pdf.pages)
    found = paragraphs(pages)
    if not any(_WORDS.search(paragraph.text) for paragraph in found):
        raise ParseError(Reason.PDF_WITHOUT_TEXT, f"{len(pdf.pages)} pages without a word")
    title = find_title(pdf.title, pages, found)
    collector = Collector()
    collector.found.flags.add(PDF)
    if pdf.is_cut:
        collector.found.flags.add("text_cut")
    # At a limit, which is flagged, the page stands as far as it was read.
    with suppress(EnoughError):
        for paragraph in found:
            _add(collector, paragraph, title)
        for href in pdf.pictures:
            collector.start("a", {"href": href})
            collector.end("a")
    collected = collector.close()
    collected.title = title
    collected.meta_texts = list(filter(None, (pdf.subject[:1000], pdf.keywords[:1000])))
    collected.language = pdf.language
    collected.clues.created = created_date(pdf.created)
    return collected


def _add(collector: Collector, paragraph: Paragraph, title: str) -> None:
    tag = "p"
    if paragraph.is_heading:
        tag = "h1" if paragraph.text.strip() in title else "h2"
    collector.start(tag, {})
    for piece in paragraph.pieces:
        if piece.href:
            collector.start("a", {"href": piece.href})
        collector.data(piece.text)
        if piece.href:
            collector.end("a")
    collector.end(tag)


def find_title(said: str, pages: Sequence[Sequence[PdfLine]], found: Sequence[Paragraph]) -> str:
    """Find a file's title: what it says, if that is one, else what stands largest.

    Parameters
    ----------
    said : str
        The title among its properties: often that of a template, or a file's name.
    """
    said = " ".join(said.split())[:_MAX_TITLE_CHARS]
    largest = _largest(pages)
    beginning = "".join(paragraph.text for paragraph in found)[:_BEGINNING].casefold()
    if _is_title(said) and (not largest or _share_within(said, beginning) >= 0.5):
        return said
    if largest:
        return largest
    texts = (line.text.strip() for lines in pages for line in lines)
    return next(filter(_has_letters, texts), "")[:_MAX_TITLE_CHARS]


def _is_title(text: str) -> bool:
    if not _has_letters(text) or _NO_TITLE.fullmatch(text) or _FILE_NAME.search(text):
        return False
    # Names of files, numbers of manuscripts: one word with a digit or an underscore in it.
    return not (text.isascii() and " " not in text and re.search(r"[\d_]", text))


def _has_letters(text: str) -> bool:
    letters = "".join(_WORDS.findall(text))
    return len(letters) >= (_MIN_TITLE_LETTERS if letters.isascii() else 2)


def _share_within(title: str, beginning: str) -> float:
    """How much of a title's words stands at the beginning of the text."""
    words = _WORDS.findall(title.casefold())
    found = sum(len(word) for word in words if word in beginning)
    return found / max(1, sum(map(len, words)))


def _largest(pages: Sequence[Sequence[PdfLine]]) -> str:
    """What stands in the largest type on the first page with text; "" if nothing stands out."""
    lines = next(([*page] for page in pages if any(_has_letters(line.text) for line in page)), [])
    least = _LARGER * body_size(pages)
    upright = [line for line in lines if line.is_upright and line.size >= least]
    for size in sorted({line.size for line in upright}, reverse=True)[:5]:
        first = next(
            index for index, line in enumerate(lines) if line in upright and line.size == size
        )
        texts = []
        for line in lines[first:]:
            if not line.is_upright or line.size < 0.9 * size:
                break
            texts.append(line.text + ("-" if line.is_divided else " "))
        title = " ".join("".join(texts).split())
        if _has_letters(title) and len(title) <= _MAX_TITLE_CHARS:
            return title
    return ""


def created_date(text: str) -> str:
    """Return a date as PDF writes it, D:20260303120000+08'00', as ISO 8601 does; "" for none."""
    match = _CREATED.match(text)
    if match is None:
        return ""
    day, clock = match["day"], match["clock"]
    date = f"{day[:4]}-{day[4:6]}-{day[6:]}"
    if clock is None:
        return date
    zone = "Z" if match["zone"] else ""
    if match["offset"]:
        zone = f"{match['offset']}:{match['minutes'] or '00'}"
    return f"{date}T{clock[:2]}:{clock[2:4]}:{clock[4:]}{zone}"
