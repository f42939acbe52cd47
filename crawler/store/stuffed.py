"""Which kept pages of a crawl are stuffed with keywords."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Q, QuerySet

from crawler.knowledge.stuffing import LEAST_TRUST, farms_among, stuffed_groups
from crawler.models import Harvest, Link
from crawler.models.crawls import HarvestQuerySet
from crawler.models.web import LinkQuerySet

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
    """Return the domains that look like farms by the kept pages of a crawl, whether news or not."""
    stuffed = kept.filter(trust__lt=LEAST_TRUST).order_by().values("url__site__domain")
    n_pages, n_stuffed = _counts(kept, stuffed)
    if not n_stuffed:
        return frozenset()
    votes = Link.objects.votes()
    links = _between(votes.filter(source__site__domain__in=n_stuffed))
    links |= _between(votes.filter(target__site__domain__in=n_stuffed))
    others = {target for source, target in links if (target, source) in links} - n_stuffed.keys()
    n_pages |= _counts(kept, others)[0]
    # All links of sites that exchange links are many, where most sites do. They decide only for
    # groups in which too many pages look stuffed.
    suspects = set().union(*stuffed_groups(n_pages, n_stuffed, links)) - n_stuffed.keys()
    if suspects:
        links |= _between(votes.filter(source__site__domain__in=suspects))
        beyond = {target for source, target in links if source in suspects}
        n_pages |= _counts(kept, beyond - n_pages.keys())[0]
    return farms_among(n_pages, n_stuffed, links)


def _counts(
    kept: HarvestQuerySet, domains: Collection[str] | QuerySet[Harvest, Any]
) -> tuple[dict[str, int], dict[str, int]]:
    """Kept pages of some domains, and those that look stuffed."""
    rows = (
        kept.filter(url__site__domain__in=domains)
        .order_by()
        .values_list("url__site__domain")
        .annotate(n=Count("pk"), n_stuffed=Count("pk", filter=Q(trust__lt=LEAST_TRUST)))
    )
    n_pages, n_stuffed = {}, {}
    for domain, n, n_of_these in rows:
        n_pages[domain], n_stuffed[domain] = n, n_of_these
    return n_pages, n_stuffed


def _between(links: LinkQuerySet) -> set[tuple[str, str]]:
    """Source and target domain of some links; those within a domain are left out."""
    pairs = links.values_list("source__site__domain", "target__site__domain").distinct()
    return {(source, target) for source, target in pairs if source != target}
