"""Which kept pages of a crawl are stuffed with keywords."""

from django.db.models import Count

from crawler.knowledge.stuffing import LEAST_TRUST, is_farm
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
    """The domains of which most kept pages look stuffed, whether they are news or not."""
    by_domain = kept.values_list("url__site__domain")
    n_stuffed = dict(by_domain.filter(trust__lt=LEAST_TRUST).annotate(n=Count("pk")))
    n_pages = by_domain.filter(url__site__domain__in=n_stuffed).annotate(n=Count("pk"))
    return frozenset(domain for domain, n in n_pages if is_farm(n, n_stuffed[domain]))
