"""Pages that are stored already, of any crawl, and link to what a crawl kept."""

from django.db.models import Count, QuerySet

from crawler.models import FrontierEntry, Harvest, Link
from crawler.sources.base import Found, Inquiry

#: A hub links to so many kept pages, on so many sites.
HUB_PAGES, HUB_SITES = 3, 2
MAX_HUBS = 20
MAX_BACK_LINKS = 50


class StoredHubs:
    """Pages that link to several kept pages on several sites: looked at in every run."""

    name = "hubs"

    def find(self, inquiry: Inquiry) -> Found:
        """The best hubs, whether the crawl has seen them or not."""
        hubs = (
            _links_to_kept(inquiry.crawl_id)
            .values("source__url")
            .annotate(
                n_pages=Count("target", distinct=True),
                n_sites=Count("target__site__domain", distinct=True),
            )
            .filter(n_pages__gte=HUB_PAGES, n_sites__gte=HUB_SITES)
            .order_by("-n_sites", "-n_pages", "source__url")
        )
        return Found(tuple(hubs.values_list("source__url", flat=True)[:MAX_HUBS]))


class BackLinks:
    """Pages that other crawls fetched, that link to kept pages, and that this one never saw."""

    name = "backlinks"

    def find(self, inquiry: Inquiry) -> Found:
        """Those that link to most of what was kept."""
        known = FrontierEntry.objects.filter(crawl_id=inquiry.crawl_id).values("url_id")
        unseen = (
            _links_to_kept(inquiry.crawl_id)
            .exclude(source_id__in=known)
            .values("source__url")
            .annotate(n_pages=Count("target", distinct=True))
            .order_by("-n_pages", "source__url")
        )
        return Found(tuple(unseen.values_list("source__url", flat=True)[:MAX_BACK_LINKS]))


def _links_to_kept(crawl_id: int) -> QuerySet[Link]:
    kept = Harvest.objects.filter(crawl_id=crawl_id).kept()
    return Link.objects.filter(target_id__in=kept.values("url_id"))
