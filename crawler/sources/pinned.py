"""Sites that a user pinned: visited first in every run."""

from collections.abc import Iterator

from crawler.models import Crawl, Harvest, Url
from crawler.page.url import site_of
from crawler.ranking.site_rules import PIN
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry, each_once

#: Pinned sites that a run visits, and the pages of each besides its front page and feeds.
MAX_SITES = 50
BEST_PAGES = 2


class PinnedSites:
    """The front page, the feeds and the best linked pages of each pinned site."""

    name = "pinned"

    def find(self, inquiry: Inquiry) -> Found:
        """Bring them site by site, in the order of their names."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        rules = crawl.settings.site_rules
        pinned = sorted(site for site, rule in rules.items() if rule == PIN)[:MAX_SITES]
        known = registry.load_sources(crawl) if pinned else {}
        feeds = [url for url, one in known.items() if one.kind == registry.FEEDS]
        return Found(each_once(url for site in pinned for url in _places(crawl, site, feeds)))


def _places(crawl: Crawl, site: str, feeds: list[str]) -> Iterator[str]:
    yield f"{_scheme_of(site)}://{site}/"
    yield from (feed for feed in feeds if site_of(feed) == site)
    best = Harvest.objects.filter(crawl=crawl, url__site__name=site).kept()
    yield from best.order_by("-score", "pk").values_list("url__url", flat=True)[:BEST_PAGES]


def _scheme_of(site: str) -> str:
    """How the site was met so far; https for one that never was."""
    met = Url.objects.filter(site__name=site).order_by("-pk").values_list("url", flat=True).first()
    return met.partition("://")[0] if met else "https"
