"""Feeds that kept pages name in their heads: looked at first in every later run."""

from collections.abc import Iterable

import msgspec

from crawler.agents.knowing import load_value, save_value
from crawler.models import Crawl, FrontierEntry
from crawler.models.web import EPOCH
from crawler.page.parsed import ParsedPage
from crawler.page.url import site_of
from crawler.sources.base import Errand, Found

#: Feeds a crawl remembers, and those of one site among them.
MAX_FEEDS = 500
MAX_PER_SITE = 3
#: A run looks at so many; the others have their turn in the next.
MAX_PER_RUN = 40

_NAME = "feeds"


class KnownFeeds:
    """The feeds of a crawl's kept pages; who was asked longest ago comes first."""

    name = "feeds"

    def find(self, errand: Errand) -> Found:
        """What earlier runs noted."""
        crawl = Crawl.objects.get(pk=errand.crawl_id)
        feeds = known_feeds(crawl)
        asked = FrontierEntry.objects.filter(crawl=crawl, url__url__in=feeds)
        ended = dict(asked.values_list("url__url", "ended"))
        turns = sorted(feeds, key=lambda url: ended.get(url) or EPOCH)
        return Found(tuple(turns[:MAX_PER_RUN]))


def known_feeds(crawl: Crawl) -> list[str]:
    """The addresses of the feeds noted for a crawl."""
    packed = load_value(crawl, _NAME)
    return msgspec.msgpack.decode(packed, type=list[str]) if packed else []


def note_feeds(crawl: Crawl, pages: Iterable[ParsedPage]) -> None:
    """Remember the first feed that each page names; the others are of comments or parts."""
    named = dict.fromkeys(page.feeds[0] for page in pages if page.feeds)
    if not named:
        return
    known = known_feeds(crawl)
    n_before = len(known)
    for url in named:
        n_of_site = sum(site_of(other) == site_of(url) for other in known)
        if url not in known and n_of_site < MAX_PER_SITE and len(known) < MAX_FEEDS:
            known.append(url)
    if len(known) > n_before:
        save_value(crawl, _NAME, msgspec.msgpack.encode(known))
