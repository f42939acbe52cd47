"""Feeds that kept pages name in their heads, each visited as often as it is worth it."""

from collections.abc import Iterable
from datetime import datetime

from crawler.models import Crawl
from crawler.page.parsed import ParsedPage
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry, each_once
from crawler.sources.moved import follow_moved, without_known


class KnownFeeds:
    """The feeds of a crawl's kept pages that are worth a visit now."""

    name = registry.FEEDS

    def find(self, inquiry: Inquiry) -> Found:
        """Choose among all feeds; report those that fail."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        follow_moved(crawl)
        urls = registry.due_of_kind(crawl, self.name, inquiry.now)
        return Found(urls, registry.problems(crawl, self.name))


def note_feeds(crawl: Crawl, pages: Iterable[ParsedPage], now: datetime) -> None:
    """Remember the first feed that each page names; the others are of comments or parts."""
    named = each_once(page.feeds[0] for page in pages if page.feeds)
    registry.note(crawl, registry.FEEDS, without_known(crawl, named), now)
