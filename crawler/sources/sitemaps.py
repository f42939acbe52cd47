"""Sitemaps that sites name in their robots.txt."""

from django.db.models import Count

from crawler.fetch.robots import sitemaps_in, unpack_rules
from crawler.models import Crawl, Harvest, SiteRobots
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry, each_once
from crawler.sources.moved import follow_moved, without_known

#: A site with so many kept pages is worth the requests.
MIN_KEPT = 3
MAX_SITES = 20
MAX_PER_SITE = 3


class KnownSitemaps:
    """Sitemaps of the sites that gave a crawl most, each visited when it is worth it."""

    name = registry.SITEMAPS

    def find(self, inquiry: Inquiry) -> Found:
        """Remember what the robots.txt of those sites name, and choose among all sources."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        follow_moved(crawl)
        registry.note(crawl, self.name, without_known(crawl, self._named(crawl)), inquiry.now)
        urls = registry.due_of_kind(crawl, self.name, inquiry.now)
        return Found(urls, registry.problems(crawl, self.name))

    def _named(self, crawl: Crawl) -> tuple[str, ...]:
        """Those of the best sites, for news first."""
        kept = Harvest.objects.filter(crawl=crawl).kept().not_stuffed()
        best = (
            kept.values("url__site")
            .annotate(n_kept=Count("pk"))
            .filter(n_kept__gte=MIN_KEPT)
            .order_by("-n_kept", "url__site")
            .values_list("url__site", flat=True)[:MAX_SITES]
        )
        urls: list[str] = []
        for site in best:
            # One at a time: they may be long.
            packed = SiteRobots.objects.filter(pk=site).values_list("packed", flat=True).first()
            named = sitemaps_in(unpack_rules(bytes(packed or b"")))
            urls += sorted(named, key=lambda url: "news" not in url.lower())[:MAX_PER_SITE]
        return each_once(urls)
