"""Look again at pages without fetching what has not changed."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import F, QuerySet

from crawler.agents.blackboard import Posting
from crawler.models import Crawl, FrontierEntry, Harvest, Page
from crawler.reasons import Reason


def conditions(crawl: Crawl, entries: QuerySet[FrontierEntry]) -> dict[int, dict[str, str]]:
    """Conditional headers by URL number, for pages this crawl has judged already.

    A page that only other crawls know is asked for in full: it must still be judged.
    """
    judged = Harvest.objects.filter(crawl=crawl, url_id__in=entries.values("url_id"))
    pages = Page.objects.filter(pk__in=judged.values("url_id"))
    found: dict[int, dict[str, str]] = {}
    for key, etag, last_modified in pages.values_list("pk", "etag", "last_modified"):
        headers = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        found[key] = {name: value for name, value in headers.items() if value}
    return found


def is_unchanged(posting: Posting) -> bool:
    """True for a page that is still what was judged before."""
    return posting.reason is Reason.UNCHANGED


def note_unchanged(crawl: Crawl, postings: Sequence[Posting], now: datetime) -> None:
    """Renew the time of the last look; there is nothing new to learn or to index."""
    keys = [posting.claim.key for posting in postings if is_unchanged(posting)]
    if keys:
        Page.objects.filter(pk__in=keys).update(fetched=now, n_fetches=F("n_fetches") + 1)
        FrontierEntry.objects.filter(crawl=crawl, url_id__in=keys).update(integrated=True)
