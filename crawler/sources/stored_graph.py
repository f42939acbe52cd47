"""Pages that link to what a crawl kept: stored already, of any crawl, or front pages."""

from collections.abc import Iterable

from django.db.models import Count, Q, QuerySet

from crawler.models import Crawl, FrontierEntry, Harvest, Link
from crawler.revisit.hubs import HUB_PAGES, HUB_SITES, LEAST_LED, MAX_HUBS
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry
from crawler.sources.front_pages import front_pages
from crawler.strategies.link_notes import BACK_LINKS

MAX_BACK_LINKS = 50


class StoredHubs:
    """Pages that link to several kept pages on several sites or led to several; front pages."""

    name = registry.HUBS

    def find(self, inquiry: Inquiry) -> Found:
        """Remember the best hubs, whether the crawl has seen them or not, and choose."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        fronts = front_pages(crawl, inquiry.now)
        hubs = dict.fromkeys([*fronts, *_hubs(inquiry.crawl_id), *_that_led_to_news(crawl)])
        looked = FrontierEntry.objects.filter(
            crawl=crawl, url__url__in=hubs, state=FrontierEntry.State.DONE, ended__isnull=False
        )
        # A URL that was fetched already, as a page, has been visited.
        when = {url: ended for url, ended in looked.values_list("url__url", "ended") if ended}
        registry.note(crawl, self.name, hubs, inquiry.now, looked=when)
        urls = registry.due_of_kind(crawl, self.name, inquiry.now)
        return Found(urls, registry.problems(crawl, self.name))


def _hubs(crawl_id: int) -> Iterable[str]:
    """Pages that link to most, of several sites."""
    hubs = (
        _links_to_kept(crawl_id)
        .values("source__url")
        .annotate(
            n_pages=Count("target", distinct=True),
            n_sites=Count("target__site__domain", distinct=True),
        )
        .filter(n_pages__gte=HUB_PAGES, n_sites__gte=HUB_SITES)
        .order_by("-n_sites", "-n_pages", "source__url")
    )
    return hubs.values_list("source__url", flat=True)[:MAX_HUBS]


def _that_led_to_news(crawl: Crawl) -> Iterable[str]:
    """Pages through which most news was found, on whatever sites; feeds are none."""
    news = Harvest.objects.filter(crawl=crawl, baseline=False).kept().not_stuffed()
    led = FrontierEntry.objects.filter(crawl=crawl, url_id__in=news.values("url_id"))
    listings = Q(parent__page__flags__contains="feed") | Q(parent__page__flags__contains="sitemap")
    best = (
        led.exclude(parent=None)
        .exclude(listings)
        .values("parent__url")
        .annotate(n_pages=Count("pk"))
        .filter(n_pages__gte=LEAST_LED)
        .order_by("-n_pages", "parent__url")
    )
    return best.values_list("parent__url", flat=True)[:MAX_HUBS]


class BackLinks:
    """Pages that other crawls fetched, that link to kept pages, and that this one never saw."""

    name = BACK_LINKS

    def find(self, inquiry: Inquiry) -> Found:
        """Return those that link to most of what was kept."""
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
    kept = Harvest.objects.filter(crawl_id=crawl_id).kept().not_stuffed()
    return Link.objects.votes().filter(target_id__in=kept.values("url_id"))
