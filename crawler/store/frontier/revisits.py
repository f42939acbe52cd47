"""Visit pages again without fetching those that have not changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crawler.messages import CrawlResult
from crawler.models import Crawl, FrontierEntry, Harvest, Page, bulk
from crawler.models.web import as_unsigned, pack_checks, unpack_checks
from crawler.page.duplicates.copies import content_hash, is_near
from crawler.page.parsed import ParsedPage
from crawler.reasons import Reason
from crawler.revisit.refresh import PastVisit
from crawler.store.duplicates import copies_without_original


def conditional_headers(crawl: Crawl, keys: Sequence[int]) -> dict[int, dict[str, str]]:
    """Conditional headers by URL number, for pages this crawl has judged already.

    A page that only other crawls know is fetched in full: it must still be judged. So is one that
    was stored whole: its article must still be found. So is a copy of what is no longer kept.
    """
    judged = bulk.existing_urls(Harvest, keys, "crawl_id = %s", [crawl.pk])
    found: dict[int, dict[str, str]] = {}
    if not judged:
        return found
    judged = sorted(set(judged) - copies_without_original(crawl, judged))
    pages = Page.objects.filter(pk__in=judged).exclude(reader_version=None)
    for key, etag, last_modified in pages.values_list("pk", "etag", "last_modified"):
        headers = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        found[key] = {name: value for name, value in headers.items() if value}
    return found


@dataclass(frozen=True, slots=True)
class RevisitedPage:
    """A page after another visit: when its text last changed, and the latest visits, packed."""

    changed: datetime
    packed_checks: bytes


def revisited_pages(postings: Sequence[CrawlResult], now: datetime) -> dict[int, RevisitedPage]:
    """Return the new visits of stored pages; pages that were fetched first are left out.

    A text has changed when its fingerprint moved: a new counter or date in it is not a change. A
    page that was stored whole cannot be compared with its article: such a visit says nothing.
    """
    seen = {
        posting.claim.key: posting.page
        for posting in postings
        if posting.page is not None or is_unchanged(posting)
    }
    # Most pages of a batch are fetched for the first time.
    stored = bulk.existing_urls(Page, seen, "n_fetches > 0")
    if not stored:
        return {}
    rows = Page.objects.filter(pk__in=stored).values_list(
        "pk",
        "fetched",
        "changed",
        "fingerprint",
        "content_hash",
        "packed_checks",
        "reader_version",
    )
    renewed = {}
    for key, fetched, changed, bits, hashed, packed, version in rows:
        if version is None:
            renewed[key] = RevisitedPage(changed, bytes(packed))
            continue
        moved = _has_moved(seen[key], as_unsigned(bits), hashed)
        checks = unpack_checks(packed)
        days = (now - fetched) / timedelta(days=1)
        if days > 0:
            checks.append(PastVisit(round(days, 3), moved))
        renewed[key] = RevisitedPage(now if moved else changed, pack_checks(checks))
    return renewed


def _has_moved(page: ParsedPage | None, fingerprint: int, hashed: str) -> bool:
    if page is None or content_hash(page.text) == hashed:
        return False
    return not is_near(page.fingerprint, fingerprint)


def is_unchanged(posting: CrawlResult) -> bool:
    """True for a page that is still what was judged before."""
    return posting.reason is Reason.UNCHANGED


def note_unchanged(crawl: Crawl, postings: Sequence[CrawlResult], now: datetime) -> None:
    """Renew the time of the last look; there is nothing new to learn or to index."""
    unchanged = [posting for posting in postings if is_unchanged(posting)]
    keys = [posting.claim.key for posting in unchanged]
    if keys:
        looks, when = revisited_pages(unchanged, now), bulk.moment_parameter(now)
        bulk.execute_many(
            f"UPDATE {bulk.table(Page)} SET fetched = %s, n_fetches = n_fetches + 1,"
            " packed_checks = %s WHERE url_id = %s",
            [(when, look.packed_checks, key) for key, look in looks.items()],
        )
        FrontierEntry.objects.filter(crawl=crawl, url_id__in=keys).update(integrated=True)
