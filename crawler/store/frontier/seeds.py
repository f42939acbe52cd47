"""The pages at the seeds that a person gave."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from crawler.models import Crawl, FrontierEntry, Page, Url, bulk


def seed_pages(crawl: Crawl) -> list[Page]:
    """Pages at the seeds a person gave, or where those redirect to."""
    return list(Page.objects.filter(pk__in=_seed_numbers(crawl)).order_by("pk"))


def has_seed(crawl: Crawl, keys: Sequence[int]) -> bool:
    """True if one of some pages is a seed's: what a run begins with beside them is none."""
    given = frozenset(crawl.profile.seeds)
    statement = (
        "SELECT url.url, CASE WHEN depth_hops = 0 THEN parent.url END"
        f" FROM {bulk.table(FrontierEntry)} entry"
        f" JOIN {bulk.table(Url)} url ON url.id = entry.url_id"
        f" LEFT JOIN {bulk.table(Url)} parent ON parent.id = parent_id"
        " WHERE crawl_id = %s AND entry.url_id IN"
    )
    rows = bulk.select_among(statement, keys, [crawl.pk])
    return any(not given.isdisjoint(reached) for reached in rows)


def _seed_numbers(crawl: Crawl) -> QuerySet[FrontierEntry, int]:
    given = list(crawl.profile.seeds)
    reached = FrontierEntry.objects.filter(
        Q(url__url__in=given) | Q(depth_hops=0, parent__url__in=given), crawl=crawl
    )
    return reached.values_list("url_id", flat=True)
