"""Front pages of sites without a feed that gave a crawl pages, or are new to it."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Count, Max

from crawler.models import Crawl, Harvest
from crawler.page.url import canonical_url, domain_of, site_of
from crawler.revisit.hubs import sites_to_front
from crawler.sources import registry
from crawler.sources.base import each_once
from crawler.sources.new_sites import fetched_fronts
from crawler.sources.redirects import where_they_lead


def front_pages(crawl: Crawl, now: datetime) -> tuple[str, ...]:
    """URLs of the front pages to visit, of the sites with most kept pages first.

    A new site may have had nothing to show when it was tried, so that its front page counts
    from then on, too.
    """
    kept = Harvest.objects.filter(crawl=crawl, url__site__stopped=False).kept().not_stuffed()
    kept = kept.exclude(url__site__name__in=crawl.settings.blocked_sites)
    # The last address by the alphabet is one with https, if the site has any.
    rows = kept.values("url__site__name").annotate(n=Count("pk"), url=Max("url__url"))
    of_site = {site: (n, url) for site, n, url in rows.values_list("url__site__name", "n", "url")}
    fed = _fed(crawl, now)
    chosen = sites_to_front({site: n for site, (n, _) in of_site.items()}, fed)
    fronts = [canonical_url("/", of_site[site][1]) for site in chosen]
    new = [url for url in fetched_fronts(crawl, now) if site_of(url) not in fed]
    return _where_they_lead(crawl, each_once([*fronts, *new]))


def _fed(crawl: Crawl, now: datetime) -> frozenset[str]:
    """Sites with a feed that was not given up."""
    return frozenset(
        site_of(url)
        for url, one in registry.load_sources(crawl).items()
        if one.kind == registry.FEEDS and not one.state.is_given_up(now)
    )


def _where_they_lead(crawl: Crawl, urls: Collection[str]) -> tuple[str, ...]:
    """The addresses, or the page of the same domain to which one redirected in the end."""
    ends = where_they_lead(crawl, urls)
    led = ((url, ends.get(url, url)) for url in urls)
    return each_once(end if domain_of(end) == domain_of(url) else url for url, end in led)
