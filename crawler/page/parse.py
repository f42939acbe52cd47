"""Fetched bytes to a ParsedPage, in one pass over the tags."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import Final

import msgspec

from crawler.errors import ParseError
from crawler.page.article.article_lines import drop_frame, find_article
from crawler.page.article.article_text import article_text
from crawler.page.article.byline import find_byline
from crawler.page.article.own_text import own_fingerprint
from crawler.page.article.site_frame import article_lines, without_frame
from crawler.page.article.titles import MAX_TITLE_CHARS, article_title
from crawler.page.clean import clean_line
from crawler.page.collect import MAX_LINKS
from crawler.page.dates.date_hints import find_hints
from crawler.page.duplicates.fingerprint import simhash
from crawler.page.extractors import Document, Extract, Extracted, PageReaders, Shape
from crawler.page.links import LinkBuilder
from crawler.page.own_extractors import Listings, Markup, PdfFiles, article_of
from crawler.page.page_terms import page_terms, tokenise_page
from crawler.page.parsed import PageLink, ParsedPage
from crawler.page.robots_meta import read_robots_header
from crawler.reasons import Reason
from crawler.text.language import ScriptAndWords

MAX_FEEDS = 20
#: Without plugins.
OUR_READERS: Final = PageReaders((Listings(), PdfFiles(), Markup()), (ScriptAndWords(),))


def parse_page(
    body: bytes,
    url: str,
    content_type: str = "",
    robots_header: str = "",
    site_frame: Collection[int] = (),
    readers: PageReaders = OUR_READERS,
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
    readers : PageReaders, default our own
        What reads documents and names languages.

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
        is none. For a PDF file those of `collect_pdf`. NOT_HTML if no extractor reads it.

    References
    ----------
    Tag classes after [P1 eq. 2].
    """
    page = _read(Document(url, body, content_type), site_frame, readers)
    noindex, nofollow = read_robots_header(robots_header)
    if not (noindex or nofollow):
        return page
    return replace(page, noindex=page.noindex or noindex, nofollow=page.nofollow or nofollow)


def _read(document: Document, frame: Collection[int], readers: PageReaders) -> ParsedPage:
    """The page that the first extractor makes that reads such a document."""
    extract = None
    problem = ParseError(Reason.NOT_HTML, "no extractor reads such a document")
    for extractor in readers.extractors:
        try:
            answer = extractor.extract(document)
            if isinstance(answer, Extracted):
                page = _built(document, answer, frame, readers)
                return page if extract is None else _with_extract(document, page, extract, readers)
        except ParseError as error:
            problem = error
            break
        extract = extract or answer
    # Only a plugin can read it.
    article = None if extract is None else _article(document, extract, readers)
    if article is None:
        raise problem
    return article


def _article(document: Document, extract: Extract, readers: PageReaders) -> ParsedPage | None:
    """The article that a plugin found, as a page; None if it has no text."""
    collected = article_of(extract)
    with suppress(ParseError):
        page = _built(document, collected, (), readers) if collected else None
        return page if page and page.text else None
    return None


def _with_extract(
    document: Document, page: ParsedPage, extract: Extract, readers: PageReaders
) -> ParsedPage:
    """The page with the article that a plugin found; its other links count as frame."""
    title, language = extract.title or page.title, extract.language or page.language
    article = _article(document, replace(extract, title=title, language=language), readers)
    if article is None:
        return page
    known = {link.url for link in article.links}
    frame: list[PageLink] = [
        msgspec.structs.replace(link, block=-1, in_frame=True)
        for link in page.links
        if link.url not in known
    ]
    return replace(
        article,
        links=[*article.links, *frame][:MAX_LINKS],
        charset=page.charset,
        canonical=page.canonical,
        feeds=page.feeds,
        noindex=page.noindex,
        nofollow=page.nofollow,
        flags=sorted({*page.flags, *article.flags}),
        date_hints=article.date_hints if extract.published else page.date_hints,
        byline=article.byline or page.byline,
        picture=page.picture or article.picture,
        listed=page.listed,
    )


def _built(
    document: Document, extracted: Extracted, frame: Collection[int], readers: PageReaders
) -> ParsedPage:
    """The page that was collected of a document; a ParseError NO_TEXT if there is nothing."""
    found, shape = extracted.found, extracted.shape
    url, is_file, is_list = document.url, shape is Shape.FILE, shape is Shape.LIST
    title = clean_line(found.title, MAX_TITLE_CHARS) if is_file else article_title(found, url)
    byline = find_byline(found)
    # A file has no menus around its text.
    article = find_article(found) if shape is Shape.PAGE else None
    lines: dict[int, int] = {}
    if article:
        lines = article_lines(found, article)
        article = without_frame(found, article, lines, frame)
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
    if not text and not links and not is_list:
        raise ParseError(Reason.NO_TEXT, f"{len(document.body)} bytes without text or links")
    language = readers.language(text, found.language)
    return ParsedPage(
        url=url,
        title=title,
        text=text,
        terms=page_terms(tokenised, language, title),
        links=links,
        blocks=builder.blocks,
        spans=builder.spans,
        language=language,
        charset=extracted.charset,
        canonical=builder.resolve(found.canonical),
        feeds=list(filter(None, map(builder.resolve, found.feeds[:MAX_FEEDS]))),
        noindex=found.noindex,
        nofollow=found.nofollow,
        flags=sorted(found.flags),
        fingerprint=simhash(text),
        own_fingerprint=0 if is_list else own_fingerprint(found, len(text)),
        date_hints=date_hints,
        has_article=is_file or (article is not None and article.is_one),
        line_kinds=line_kinds,
        byline=byline,
        picture=builder.resolve(found.head.picture),
        frame_lines=list(dict.fromkeys(lines.values())),
        listed=found.listed,
    )
