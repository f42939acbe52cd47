"""A fetched page as it is stored: its row in the table of pages, and which of its links."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from crawler.messages import CrawlResult
from crawler.models import Crawl, Page, bulk
from crawler.models.web import (
    MAX_BYLINE,
    READER_VERSION,
    as_signed,
    pack_links,
    pack_terms,
    pack_text,
)
from crawler.page.duplicates.copies import content_hash, honoured_canonical
from crawler.page.parsed import NO_ARTICLE, ParsedPage, StoredLinks
from crawler.store.dates import dates_of
from crawler.store.frontier.revisits import RevisitedPage, revisited_pages

#: Links of a page whose words are stored; of the others the table of links knows the ends.
MAX_STORED_LINKS = 1000

_PAGE_FIELDS = (
    "url_id",
    "title",
    "language",
    "charset",
    "packed_text",
    "packed_terms",
    "packed_links",
    "fingerprint",
    "content_hash",
    "noindex",
    "flags",
    "etag",
    "last_modified",
    "first_fetched",
    "fetched",
    "changed",
    "packed_checks",
    "n_fetches",
    "published",
    "own_fingerprint",
    "canonical_id",
    "reader_version",
    "line_kinds",
    "byline",
    "picture",
)


def write_pages(
    crawl: Crawl, postings: Sequence[CrawlResult], numbers: Mapping[str, int], now: datetime
) -> None:
    """Keep the pages of postings that have one; one seen before is renewed.

    `numbers` gives the number of each address that is stored.
    """
    looks, first = revisited_pages(postings, now), RevisitedPage(now, b"")
    dates = dates_of(crawl, postings, now)
    rows = [
        (
            *_page_row(posting, posting.page, numbers, looks.get(posting.claim.key, first), now),
            bulk.moment_parameter(dates[posting.claim.key]),
            as_signed(posting.page.own_fingerprint),
            numbers.get(honoured_canonical(posting.page)),
            READER_VERSION,
            posting.page.line_kinds,
            posting.page.byline[:MAX_BYLINE],
            posting.page.picture,
        )
        for posting in postings
        if posting.page
    ]
    pages = bulk.table(Page)
    kept = ("url_id", "first_fetched", "n_fetches", "published")
    renewed = ", ".join(f"{name} = excluded.{name}" for name in _PAGE_FIELDS if name not in kept)
    bulk.insert(
        Page,
        _PAGE_FIELDS,
        rows,
        conflict=f"ON CONFLICT (url_id) DO UPDATE SET {renewed}, n_fetches = {pages}.n_fetches + 1,"
        # A date can be corrected, but an old page that gives itself a new one stays old.
        f" published = CASE WHEN excluded.published <= COALESCE({pages}.published,"
        f" {pages}.first_fetched) THEN excluded.published ELSE {pages}.published END",
    )


def _page_row(
    posting: CrawlResult,
    page: ParsedPage,
    numbers: Mapping[str, int],
    look: RevisitedPage,
    now: datetime,
) -> tuple[Any, ...]:
    headers, when = posting.headers, bulk.moment_parameter(now)
    return (
        posting.claim.key,
        page.title[:300],
        page.language,
        page.charset,
        pack_text(page.text),
        pack_terms(page.terms),
        pack_links(stored_links(page, numbers)),
        as_signed(page.fingerprint),
        content_hash(page.text),
        page.noindex,
        _flags(page)[:120],
        headers.get("etag", "")[:200],
        headers.get("last-modified", "")[:60],
        when,
        when,
        bulk.moment_parameter(look.changed),
        look.packed_checks,
        1,
    )


def _flags(page: ParsedPage) -> str:
    return ",".join(page.flags if page.has_article else [NO_ARTICLE, *page.flags])


def stored_links(page: ParsedPage, numbers: Mapping[str, int]) -> StoredLinks:
    """Return what to keep of a page's links: of those that may be followed, the first so many."""
    if page.nofollow:
        return StoredLinks()
    chosen = [link for link in page.links if link.url in numbers and not link.nofollow]
    del chosen[MAX_STORED_LINKS:]
    return StoredLinks(
        [numbers[link.url] for link in chosen],
        [link.anchor for link in chosen],
        [link.block for link in chosen],
        page.spans,
    )
