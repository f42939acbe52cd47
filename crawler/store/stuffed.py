"""Which kept pages of a crawl are stuffed with keywords."""

from collections.abc import Collection

from django.db.models import Count, Q

from crawler.knowledge.stuffing import LEAST_TRUST, farms_among
from crawler.models import Link
from crawler.models.crawls import HarvestQuerySet

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
    stuffed = kept.filter(trust__lt=LEAST_TRUST).order_by().values("url__site__domain")
    counts = kept.filter(url__site__domain__in=stuffed).values_list("url__site__domain")
    rows = counts.annotate(n=Count("pk"), n_stuffed=Count("pk", filter=Q(trust__lt=LEAST_TRUST)))
    n_pages, n_stuffed = {}, {}
    for domain, n, n_of_these in rows.order_by():
        n_pages[domain], n_stuffed[domain] = n, n_of_these
    return farms_among(n_pages, n_stuffed, _links_among(n_stuffed))


def _links_among(domains: Collection[str]) -> list[tuple[str, str]]:
    """Source and target domain of the links in articles between some domains."""
    if not domains:
        return []
    links = Link.objects.votes().filter(
        source__site__domain__in=domains, target__site__domain__in=domains
    )
    return list(links.values_list("source__site__domain", "target__site__domain").distinct())
