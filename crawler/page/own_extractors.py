"""Our own extractors: feeds and sitemaps, PDF files, and pages of markup."""

import re
from contextlib import suppress
from html import escape

from lxml import etree

from crawler.errors import ParseError
from crawler.page.charset.decoding import decode
from crawler.page.collect import MAX_ATTRIBUTES, Collector, EnoughError, TooDeepError
from crawler.page.collected import Collected
from crawler.page.extractors import Document, Extract, Extracted, Shape
from crawler.page.flat_scan import scan_flat
from crawler.page.lists.listing import collect_listing, listing_kind
from crawler.page.pdf.pdf_pages import collect_pdf, is_pdf
from crawler.reasons import Reason

# An error of the target only surfaces when a piece ends; until then the parser
# goes on, at a cost that grows with the square of the depth.
_PIECE_BYTES = 32_768
# The parser gives up a single thing of ten million bytes and takes what is in it, a comment's
# say, for text.
_LIBXML_BYTES = 10_000_000
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{2000,}")
# A value in quotes is one thing, as in an SVG path. What the parser skips as broken counts to
# the next white space, as there.
_ATTRIBUTE = re.compile(
    r"""[A-Za-z_:][\w:.-]*+[ \t\r\n]*+=[ \t\r\n]*+(?:"[^"]*+"|'[^']*+'|[^ \t\r\n"'][^ \t\r\n]*+)"""
    r"|[^ \t\r\n]++",
    re.ASCII,
)
# No character has so long a number. The parser reads one in squared time, and Python refuses it.
_LONG_NUMBER = re.compile(r"(&#[0-9]{16})[0-9]+|(&#[xX][0-9A-Fa-f]{16})[0-9A-Fa-f]+")


class Listings:
    """Reads a feed or sitemap as a list of links."""

    name = "listing"

    def extract(self, document: Document) -> Extracted | None:
        """Return its entries; a ParseError as of `collect_listing`."""
        kind = listing_kind(document.body, document.url)
        if not kind:
            return None
        found = collect_listing(kind, document.body, document.url, document.content_type)
        return Extracted(found, Shape.LIST)


class PdfFiles:
    """Reads the first pages of a PDF file."""

    name = "pdf"

    def extract(self, document: Document) -> Extracted | None:
        """Return its paragraphs; a ParseError as of `collect_pdf`."""
        if not is_pdf(document.body):
            return None
        return Extracted(collect_pdf(document.body), Shape.FILE)


class Markup:
    """Reads whatever else there is as HTML, or as plain text."""

    name = "markup"

    def extract(self, document: Document) -> Extracted:
        """Return its elements; a ParseError EMPTY for no bytes but white space."""
        markup, charset, guessed = decode(document.body, document.content_type)
        found = collect_markup(markup, document.content_type)
        if found is None:
            n_bytes = len(document.body)
            raise ParseError(Reason.EMPTY, f"{n_bytes} bytes of {charset}, no character in them")
        if guessed:
            found.flags.add("charset_guessed")
        return Extracted(found, charset=charset)


def article_of(extract: Extract) -> Extracted | None:
    """Collect the article that an extractor found; None if its markup is empty."""
    head = (
        f'<html lang="{escape(extract.language)}"><title>{escape(extract.title)}</title>'
        f'<meta name="author" content="{escape(extract.byline)}">'
        f'<meta property="article:published_time" content="{escape(extract.published)}"><body>'
    )
    if not extract.markup.strip():
        return None
    found = collect_markup(head + extract.markup, "text/html")
    return None if found is None else Extracted(found, Shape.FILE)


def collect_markup(markup: str, content_type: str) -> Collected | None:
    """Read characters as HTML, or as plain text; None if there is none but white space."""
    markup = markup.replace("\0", "")
    # To look for the pattern in a page without it takes as long as to read the page's tags.
    if "&#" in markup:
        markup = _LONG_NUMBER.sub(r"\1\2", markup)
    return None if not markup or markup.isspace() else _collect(markup, content_type)


def _collect(markup: str, content_type: str) -> Collected:
    """Read the markup with the parser, or flat where the parser would go under."""
    if content_type.lstrip()[:10].lower() == "text/plain":
        return _collect_plain(markup)
    markup_bytes = markup.encode("utf-8", "replace")
    if len(markup_bytes) < _LIBXML_BYTES and not _has_monster_tag(markup):
        collector = Collector()
        # lxml calls the target itself; the text goes in as UTF-8, whatever its meta says.
        parser = etree.HTMLParser(
            target=collector, huge_tree=False, no_network=True, recover=True, encoding="utf-8"
        )
        try:
            for place in range(0, len(markup_bytes), _PIECE_BYTES):
                parser.feed(markup_bytes[place : place + _PIECE_BYTES])
            found: Collected = parser.close()
            return found
        except TooDeepError:
            pass  # The flat scan below reads it without nesting.
        except (EnoughError, etree.XMLSyntaxError):
            # A limit was reached, or the page has no element: what was collected is kept.
            return collector.close()
    collector = Collector()
    collector.found.flags.add("truncated")
    # At a limit, which is flagged, the page stands as far as it was read.
    with suppress(EnoughError):
        scan_flat(markup, collector)
    return collector.close()


def _has_monster_tag(markup: str) -> bool:
    """Look for a tag of more than `MAX_ATTRIBUTES` attributes."""
    return any(_n_pieces(tag) > MAX_ATTRIBUTES for tag in _LONG_TAG.findall(markup))


def _n_pieces(tag: str) -> int:
    """How many attributes a tag has; no more are counted than it has pieces between blanks."""
    if len(tag.split(None)) <= MAX_ATTRIBUTES:
        return 0
    return sum(1 for _ in _ATTRIBUTE.finditer(tag))


def _collect_plain(text: str) -> Collected:
    collector = Collector()
    # At a limit, which is flagged, the text stands as far as it was read.
    with suppress(EnoughError):
        for line in text.split("\n"):
            collector.start("p", {})
            collector.data(line)
            collector.end("p")
    return collector.close()
