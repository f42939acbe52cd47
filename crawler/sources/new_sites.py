"""Sites that a crawl has found lately: their front pages count before they gave anything."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from itertools import islice

from crawler.models import Crawl, FrontierEntry, Harvest, Page, Site
from crawler.page.url import is_front_page, site_of
from crawler.ranking.freshness import NEW_SITE
from crawler.revisit.hubs import may_bring_news

#: Most front pages of new sites to visit, in all.
MAX_NEW_FRONTS = 100


def new_since(crawl: Crawl, now: datetime) -> datetime | None:
    """Return a site first seen after this is new; None while the first run goes on."""
    first = crawl.first_run()
    if first is None or first.ended is None:
        return None
    return max(first.ended, now - NEW_SITE)


def new_fronts_among(crawl: Crawl, urls: Collection[str], now: datetime) -> frozenset[str]:
    """Return those of some addresses that are front pages of new sites."""
    return of_new_sites(crawl, [url for url in urls if is_front_page(url)], now)


def of_new_sites(crawl: Crawl, urls: Collection[str], now: datetime) -> frozenset[str]:
    """Return those of some addresses that are on new sites."""
    since = new_since(crawl, now) if urls else None
    if since is None:
        return frozenset()
    site_of_url = {url: site_of(url) for url in urls}
    sites = Site.objects.filter(name__in=set(site_of_url.values()), first_seen__gt=since)
    new = set(sites.values_list("name", flat=True))
    return frozenset(url for url, site in site_of_url.items() if site in new)


def of_young_sites(crawl: Crawl, urls: Collection[str], now: datetime) -> frozenset[str]:
    """Return those of some addresses that are on young sites.

    A young site is new to the crawl, and nothing that is known of it is older than that: no page
    that was fetched, and no entry of a feed or sitemap. A site without any date counts as young.
    """
    new = of_new_sites(crawl, urls, now)
    names, began = {site_of(url) for url in new}, now - NEW_SITE
    pages = Page.objects.filter(url__site__name__in=names, published__lt=began)
    listed = FrontierEntry.objects.filter(crawl=crawl, url__site__name__in=names, listed__lt=began)
    old = {*pages.values_list("url__site__name", flat=True).distinct()}
    old |= {*listed.values_list("url__site__name", flat=True).distinct()}
    return frozenset(url for url in new if site_of(url) not in old)


def fetched_fronts(crawl: Crawl, now: datetime) -> list[str]:
    """Front pages of new sites that were fetched, the latest found first.

    Without sites that were fetched and gave nothing on topic.
    """
    since = new_since(crawl, now)
    if since is None:
        return []
    entries = FrontierEntry.objects.filter(
        crawl=crawl,
        state=FrontierEntry.State.DONE,
        url__site__first_seen__gt=since,
        url__site__stopped=False,
    ).exclude(url__site__name__in=crawl.settings.blocked_sites)
    newest = entries.order_by("-url__site__first_seen", "pk")
    urls = list(newest.values_list("url__url", flat=True))
    n_fetched = Counter(site_of(url) for url in urls)
    kept = Harvest.objects.filter(crawl=crawl, url__site__first_seen__gt=since).kept()
    kept = kept.not_stuffed()
    n_kept = Counter(kept.values_list("url__site__name", flat=True))
    found = (
        url
        for url in urls
        if is_front_page(url) and may_bring_news(n_fetched[site_of(url)], n_kept[site_of(url)])
    )
    return list(islice(found, MAX_NEW_FRONTS))
