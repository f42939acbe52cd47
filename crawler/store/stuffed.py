"""Which kept pages of a crawl are stuffed with keywords."""

from collections.abc import Collection

from django.db.models import Count, Q

from crawler.knowledge.stuffing import LEAST_TRUST, is_farm
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
    """The domains of which most kept pages look stuffed, whether they are news or not."""
    stuffed = kept.filter(trust__lt=LEAST_TRUST).order_by().values("url__site__domain")
    counts = kept.filter(url__site__domain__in=stuffed).values_list("url__site__domain")
    rows = counts.annotate(n=Count("pk"), n_stuffed=Count("pk", filter=Q(trust__lt=LEAST_TRUST)))
    return frozenset(domain for domain, n, n_stuffed in rows.order_by() if is_farm(n, n_stuffed))


def farms_of(crawls: Collection[int], domains: Collection[str]) -> frozenset[tuple[int, str]]:
    """Those among some domains that are farms, with the crawl of which they are; one query."""
    kept = Harvest.objects.kept().filter(crawl__in=crawls, url__site__domain__in=domains)
    counts = kept.values_list("crawl_id", "url__site__domain").annotate(
        n=Count("pk"), n_stuffed=Count("pk", filter=Q(trust__lt=LEAST_TRUST))
    )
    return frozenset(
        (crawl, domain)
        for crawl, domain, n, n_stuffed in counts.order_by()
        if n_stuffed and is_farm(n, n_stuffed)
    )
