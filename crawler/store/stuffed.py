"""Which kept pages of a crawl are stuffed with keywords."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Count, Q

from crawler.knowledge.stuffing import LEAST_TRUST, farms_among
from crawler.models import Link
from crawler.models.crawls import Harvest, HarvestQuerySet

#: More stuffed pages are not listed; a database takes only so many numbers at once.
MAX_STUFFED = 5000


def stuffed_among(doubtful: HarvestQuerySet, kept: HarvestQuerySet) -> list[int]:
    """Numbers of doubtful pages that look stuffed or stand on farms of such pages, newest first.

    `kept` are all kept pages of the crawl: they show which domains are farms. Stuffed pages are
    few, and found without reading the others.
    """
    alone = doubtful.filter(trust__lt=LEAST_TRUST)
    on_farms = doubtful.filter(url__site__domain__in=farms(kept))
    numbers = {*alone.values_list("pk", flat=True), *on_farms.values_list("pk", flat=True)}
    return sorted(numbers, reverse=True)[:MAX_STUFFED]


def farms(kept: HarvestQuerySet) -> frozenset[str]:
    """The domains that look like farms by the kept pages of a crawl, whether news or not."""
    return frozenset(domain for _, domain in _farms(kept))


def farms_of(crawls: Collection[int], domains: Collection[str]) -> frozenset[tuple[int, str]]:
    """Those among some domains that look like farms, with the crawl of which they do."""
    found = _farms(Harvest.objects.kept().filter(crawl__in=crawls))
    return frozenset((crawl, domain) for crawl, domain in found if domain in domains)


def _farms(kept: HarvestQuerySet) -> frozenset[tuple[int, str]]:
    """The domains that look like farms, with the crawl of which they do; in two queries at most."""
    stuffed = kept.filter(trust__lt=LEAST_TRUST).order_by().values("url__site__domain")
    counts = kept.filter(url__site__domain__in=stuffed).values_list("crawl_id", "url__site__domain")
    rows = counts.annotate(n=Count("pk"), n_stuffed=Count("pk", filter=Q(trust__lt=LEAST_TRUST)))
    n_pages: dict[int, dict[str, int]] = defaultdict(dict)
    n_stuffed: dict[int, dict[str, int]] = defaultdict(dict)
    for crawl, domain, n, n_of_these in rows.order_by():
        n_pages[crawl][domain], n_stuffed[crawl][domain] = n, n_of_these
    links = _links_among({domain for of in n_stuffed.values() for domain in of})
    return frozenset(
        (crawl, domain)
        for crawl, counted in n_stuffed.items()
        for domain in farms_among(n_pages[crawl], counted, links)
    )


def _links_among(domains: Collection[str]) -> list[tuple[str, str]]:
    """Source and target domain of the links in articles between some domains."""
    if not domains:
        return []
    links = Link.objects.votes().filter(
        source__site__domain__in=domains, target__site__domain__in=domains
    )
    return list(links.values_list("source__site__domain", "target__site__domain").distinct())
