"""Sitemaps that sites name in their robots.txt."""

from django.db.models import Count

from crawler.fetch.robots import sitemaps_in
from crawler.models import Harvest, Site
from crawler.sources.base import Found, Inquiry, each_once

#: A site with so many kept pages is worth the requests.
MIN_KEPT = 3
MAX_SITES = 20
MAX_PER_SITE = 3


class KnownSitemaps:
    """Sitemaps of the sites that gave a crawl most, those for news first."""

    name = "sitemaps"

    def find(self, inquiry: Inquiry) -> Found:
        """What the robots.txt of those sites said when it was last read."""
        kept = Harvest.objects.filter(crawl_id=inquiry.crawl_id).kept()
        best = (
            kept.values("url__site")
            .annotate(n_kept=Count("pk"))
            .filter(n_kept__gte=MIN_KEPT)
            .order_by("-n_kept", "url__site")
            .values_list("url__site", flat=True)[:MAX_SITES]
        )
        texts = dict(Site.objects.filter(pk__in=list(best)).values_list("pk", "robots"))
        urls: list[str] = []
        for site in best:
            named = sitemaps_in(texts.get(site, ""))
            urls += sorted(named, key=lambda url: "news" not in url.lower())[:MAX_PER_SITE]
        return Found(each_once(urls))
