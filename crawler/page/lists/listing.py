"""Feeds and sitemaps as pages of links, so that a crawl follows them like any page.

They go through the same frontier as pages: robots, politeness, budgets, retries and
revisits are the same, and an index that names itself is a known URL.
"""

import re
from typing import Final

from crawler.page.collect import MAX_LINKS, Collector
from crawler.page.collected import Collected
from crawler.page.lists.feeds import read_feed
from crawler.page.lists.sitemaps import SitemapEntry, read_sitemap

#: What `ParsedPage.flags` calls them.
FEED: Final = "feed"
SITEMAP: Final = "sitemap"

_SNIFFED_BYTES = 4096
# What was passed is never tried otherwise: thirty comments have a billion ways to be cut.
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?><\?[^>]{0,500}\?>\s*|<!--.{0,2000}?-->\s*"
    rb"|<!DOCTYPE[^>\[]{0,500}(?:\[[^\]]{0,2000}\]\s{0,20})?>\s*)*+"
    rb"<(?:[\w-]{1,30}:)?(?:(?P<feed>rss|feed|rdf|channel)|(?P<sitemap>urlset|sitemapindex))[\s>/]",
    re.IGNORECASE | re.DOTALL,
)
_JSON_FEED = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+\{[^{}]{0,2000}\"https?://jsonfeed\.org/version/", re.DOTALL
)
_ADDRESS = re.compile(rb"(?:\xef\xbb\xbf)?\s*+https?://", re.IGNORECASE)


def listing_kind(body: bytes, url: str) -> str:
    """Detect by a body's first bytes whether it is a feed or a sitemap; "" for neither.

    Parameters
    ----------
    url : str
        Where it came from: a gzipped file counts only if it is called a sitemap or XML, a list
        of lines only if it is called a sitemap.
    """
    if body.startswith(b"\x1f\x8b"):
        return SITEMAP if _is_gzipped_list(url) else ""
    start = body[:_SNIFFED_BYTES]
    if _ADDRESS.match(start) and _is_list_of_lines(url):
        return SITEMAP
    if b"\0" in start[:4]:
        # UTF-16, with or without its mark: in either order every other byte of a tag is a zero.
        start = start.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").replace(b"\0", b"")
    if match := _START.match(start):
        return FEED if match["feed"] else SITEMAP
    return FEED if _JSON_FEED.match(start) else ""


def _is_gzipped_list(url: str) -> bool:
    parts = url.lower().split("?")
    return any(
        part.endswith(".xml.gz")
        or (part.endswith(".gz") and "sitemap" in part[:-3].rpartition("/")[2])
        for part in parts
    )


def _is_list_of_lines(url: str) -> bool:
    parts = url.lower().split("?")
    return any(part.endswith(".txt") and "sitemap" in part[:-4] for part in parts)


def collect_listing(kind: str, body: bytes, url: str, content_type: str) -> Collected:
    """Turn a feed or sitemap into what the pass over a page of links would give.

    Parameters
    ----------
    kind : str
        As `listing_kind` says.
    body, url, content_type
        As for `crawler.page.parse.parse_page`.

    Returns
    -------
    Collected
        One line per entry: its title as the link's text, then its summary. `flags` holds
        `kind`, `listed` the entries' dates.

    Raises
    ------
    ParseError
        EMPTY or UNREADABLE_LIST, as of `read_feed` and `read_sitemap`.
    """
    if kind == FEED:
        found = _collect_feed(body, url, content_type)
    else:
        found = _collect_sitemap(body, url, content_type)
    found.flags.add(kind)
    return found


def _collect_feed(body: bytes, url: str, content_type: str) -> Collected:
    feed = read_feed(body, url, content_type)
    collector = Collector()
    _add_title(collector, feed.title)
    for item in feed.items:
        _add_line(collector, item.url, item.title, item.summary)
    found = collector.close()
    found.listed = {item.url: item.published for item in feed.items if item.published}
    return found


def _collect_sitemap(body: bytes, url: str, content_type: str) -> Collected:
    sitemap = read_sitemap(body, url, content_type)
    collector = Collector()
    entries = [*_newest_first(sitemap.sitemaps), *_newest_first(sitemap.pages)]
    chosen = _most_likely_new(entries)
    for entry in chosen:
        _add_line(collector, entry.url, entry.title, "")
    found = collector.close()
    # The time of the last change (lastmod) is not the publishing date.
    found.listed = {entry.url: entry.published for entry in chosen if entry.published}
    if len(entries) > MAX_LINKS or sitemap.note:
        found.flags.add("links_cut")
    return found


def _most_likely_new(entries: list[SitemapEntry]) -> list[SitemapEntry]:
    """As many entries, the newest first, as a page may have links.

    If the entries that are left out are as old as the last that is kept, the file has no dates, or
    one date for all entries. Then new pages may be entered at either end: half are taken from each.
    """
    if len(entries) <= MAX_LINKS or _when(entries[MAX_LINKS - 1]) != _when(entries[-1]):
        return entries[:MAX_LINKS]
    return entries[: MAX_LINKS // 2] + entries[-(MAX_LINKS // 2) :]


def _newest_first(entries: tuple[SitemapEntry, ...]) -> list[SitemapEntry]:
    """Dates of one sitemap are written alike, so that their text sorts them."""
    return sorted(entries, key=_when, reverse=True)


def _when(entry: SitemapEntry) -> str:
    return entry.published or entry.changed


def _add_title(collector: Collector, title: str) -> None:
    collector.start("title", {})
    collector.data(title)
    collector.end("title")


def _add_line(collector: Collector, url: str, title: str, summary: str) -> None:
    collector.start("li", {})
    collector.start("a", {"href": url})
    collector.data(title)
    collector.end("a")
    if summary:
        collector.data(f" {summary}")
    collector.end("li")
