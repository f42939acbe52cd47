"""What feeds and sitemaps say of when their entries were published, in tables."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from crawler.agents import bulk
from crawler.agents.blackboard import Posting
from crawler.models import Crawl, FrontierEntry
from crawler.page.dates import find_published
from crawler.revisit.listed import believed_dates


def note_listed(
    crawl: Crawl, postings: Sequence[Posting], numbers: Mapping[str, int], now: datetime
) -> None:
    """Keep the dates of the entries that were just listed; what was said first stands."""
    dates = _listed(postings, numbers, now)
    undated: list[int] = []
    for keys in bulk.chunks(sorted(dates)):
        rows = FrontierEntry.objects.filter(crawl=crawl, url_id__in=keys, listed=None)
        undated += rows.values_list("url_id", flat=True)
    bulk.execute_many(
        f"UPDATE {bulk.table(FrontierEntry)} SET listed = %s WHERE crawl_id = %s AND url_id = %s",
        [(bulk.moment(dates[key]), crawl.pk, key) for key in undated],
    )


def _listed(
    postings: Sequence[Posting], numbers: Mapping[str, int], now: datetime
) -> dict[int, datetime]:
    dates: dict[int, datetime] = {}
    for posting in postings:
        if posting.page is not None and posting.page.listed:
            read = believed_dates(posting.page.listed, now, posting.page.language)
            for link in posting.links:
                if link.url in read:
                    dates.setdefault(numbers[link.url], read[link.url])
    return dates


def dates_of(
    crawl: Crawl, postings: Sequence[Posting], now: datetime
) -> dict[int, datetime | None]:
    """When pages were published: as they say themselves, else as a feed or sitemap said."""
    says = {one.claim.key: find_published(one.page, now) for one in postings if one.page}
    undated = [key for key, when in says.items() if when is None]
    if undated:
        entries = FrontierEntry.objects.filter(crawl=crawl, url_id__in=undated)
        says.update(entries.values_list("url_id", "listed"))
    return says
