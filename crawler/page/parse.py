"""Fetched bytes to a ParsedPage, in one pass over the tags."""

import re
from collections.abc import Collection
from contextlib import suppress

from lxml import etree

from crawler.errors import ParseError
from crawler.page.article import drop_frame, find_article
from crawler.page.article_text import article_text
from crawler.page.byline import find_byline
from crawler.page.charset import decode
from crawler.page.clean import clean_line
from crawler.page.collect import MAX_ATTRIBUTES, Collector, EnoughError, TooDeepError
from crawler.page.collected import Collected
from crawler.page.date_hints import find_hints
from crawler.page.fingerprint import simhash
from crawler.page.flat_scan import scan_flat
from crawler.page.links import LinkBuilder
from crawler.page.listing import collect_listing, listing_kind
from crawler.page.own_text import own_fingerprint
from crawler.page.page_terms import page_terms, tokenise_page
from crawler.page.parsed import ParsedPage
from crawler.page.pdf import collect_pdf, is_pdf
from crawler.page.robots_meta import read_robots_header
from crawler.page.site_frame import article_lines, without_frame
from crawler.page.titles import MAX_TITLE_CHARS, article_title
from crawler.reasons import Reason
from crawler.text.language import detect_language

MAX_FEEDS = 20

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


def parse_page(
    body: bytes,
    url: str,
    content_type: str = "",
    robots_header: str = "",
    site_frame: Collection[int] = (),
) -> ParsedPage:
    """Parse a page: title, weighted terms, text, links, and what its head says.

    A feed or sitemap is read as a page of links; see `ParsedPage.is_listing`. Of a PDF file
    the first pages are read.

    Parameters
    ----------
    body : bytes
        Of the answer, without content encoding.
    url : str
        Canonical URL the bytes came from.
    content_type, robots_header : str, default ""
        The Content-Type and X-Robots-Tag headers.
    site_frame : collection of int, default empty
        From `SiteFrame.lines`: lines that belong to the frame of this site.

    Returns
    -------
    ParsedPage
        What was cut for size or depth is named in `flags`.

    Raises
    ------
    ParseError
        EMPTY for no bytes but white space; NO_TEXT for a page with neither
        text nor links. A page of links alone is a hub and is kept; a feed or
        sitemap may list nothing today. UNREADABLE_LIST for what starts like one and
        is none. For a PDF file those of `collect_pdf`.

    References
    ----------
    Tag classes after [P1 eq. 2].
    """
    kind, is_file = listing_kind(body, url), is_pdf(body)
    if kind:
        found, charset = collect_listing(kind, body, url, content_type), ""
    elif is_file:
        found, charset = collect_pdf(body), ""
    else:
        found, charset = _collect_page(body, content_type)
    title = clean_line(found.title, MAX_TITLE_CHARS) if is_file else article_title(found, url)
    byline = find_byline(found)
    # A file has no menus around its text.
    article = None if kind or is_file else find_article(found)
    lines: dict[int, int] = {}
    if article:
        lines = article_lines(found, article)
        article = without_frame(found, article, lines, site_frame)
    date_hints = find_hints(found, title, article.ends if article else ())
    if article:
        drop_frame(found, article)
    text, line_kinds = article_text(found)
    tokenised = tokenise_page(title, found)
    builder = LinkBuilder(
        url,
        found,
        tokens=tokenised.tokens,
        ends=tokenised.ends,
        start=tokenised.start,
        frame=tokenised.frame,
    )
    links = builder.links()
    if not text and not links and not kind:
        raise ParseError(Reason.NO_TEXT, f"{len(body)} bytes without text or links")
    noindex, nofollow = read_robots_header(robots_header)
    language = detect_language(text, found.language)
    return ParsedPage(
        url=url,
        title=title,
        text=text,
        terms=page_terms(tokenised, language),
        links=links,
        blocks=builder.blocks,
        spans=builder.spans,
        language=language,
        charset=charset,
        canonical=builder.resolve(found.canonical),
        feeds=list(filter(None, map(builder.resolve, found.feeds[:MAX_FEEDS]))),
        noindex=found.noindex or noindex,
        nofollow=found.nofollow or nofollow,
        flags=sorted(found.flags),
        fingerprint=simhash(text),
        own_fingerprint=0 if kind else own_fingerprint(found, len(text)),
        date_hints=date_hints,
        has_article=is_file or (article is not None and article.is_one),
        line_kinds=line_kinds,
        byline=byline,
        picture=builder.resolve(found.head.picture),
        frame_lines=list(dict.fromkeys(lines.values())),
        listed=found.listed,
    )


def _collect_page(body: bytes, content_type: str) -> tuple[Collected, str]:
    markup, charset, guessed = decode(body, content_type)
    markup = markup.replace("\0", "")
    # To look for the pattern in a page without it takes as long as to read the page's tags.
    if "&#" in markup:
        markup = _LONG_NUMBER.sub(r"\1\2", markup)
    if not markup or markup.isspace():
        raise ParseError(Reason.EMPTY, f"{len(body)} bytes of {charset}, no character in them")
    found = _collect(markup, content_type)
    if guessed:
        found.flags.add("charset_guessed")
    return found, charset


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
