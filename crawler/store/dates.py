"""What feeds and sitemaps say of when their entries were published, in tables."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from django.db import DatabaseError
from django.db.models import F, Q

from crawler.messages import CrawlResult
from crawler.models import Crawl, FrontierEntry, Link, bulk
from crawler.page.dates.date_forms import EARLIEST
from crawler.page.dates.publishing_date import DateReader
from crawler.page.lists.listing import FEED, SITEMAP
from crawler.page.parsed import ParsedPage
from crawler.revisit.listed import believed_dates
from focusweb.plugin_calls import short_repr
from focusweb.plugins import Offer, Plugins, offers


def note_listed(
    crawl: Crawl, postings: Sequence[CrawlResult], numbers: Mapping[str, int], now: datetime
) -> None:
    """Keep the dates of the entries that were just listed; the earliest that is said stands."""
    dates = _listed(postings, numbers, now)
    later: list[int] = []
    for keys in bulk.chunks(sorted(dates)):
        rows = FrontierEntry.objects.filter(crawl=crawl, url_id__in=keys)
        known = rows.values_list("url_id", "listed")
        later += [key for key, before in known if before is None or dates[key] < before]
    bulk.execute_many(
        f"UPDATE {bulk.table(FrontierEntry)} SET listed = %s, may_be_fresh = %s"
        " WHERE crawl_id = %s AND url_id = %s",
        [(bulk.moment_parameter(dates[key]), True, crawl.pk, key) for key in later],
    )


def _listed(
    postings: Sequence[CrawlResult], numbers: Mapping[str, int], now: datetime
) -> dict[int, datetime]:
    dates: dict[int, datetime] = {}
    for posting in postings:
        if posting.page is not None and posting.page.listed:
            read = believed_dates(posting.page.listed, now, posting.page.language)
            for link in posting.links:
                if when := read.get(link.url):
                    key = numbers[link.url]
                    dates[key] = min(when, dates.get(key, when))
    return dates


def dates_of(
    crawl: Crawl, postings: Sequence[CrawlResult], now: datetime
) -> dict[int, datetime | None]:
    """When pages were published: as they say themselves, else as a list of their site said.

    A list of another site's pages may give the day on which it took them up.
    """
    readers = date_readers()
    says = {one.claim.key: published(one.page, now, readers) for one in postings if one.page}
    undated = [key for key, when in says.items() if when is None]
    # Few pages are listed with a date, and to find who listed them takes long.
    dated = bulk.existing_urls(
        FrontierEntry, undated, "crawl_id = %s AND listed IS NOT NULL", [crawl.pk]
    )
    if dated:
        entries = FrontierEntry.objects.filter(crawl=crawl, url_id__in=dated)
        listed = dict(entries.values_list("url_id", "listed"))
        is_list = Q(source__page__flags__contains=FEED) | Q(source__page__flags__contains=SITEMAP)
        own = Link.objects.filter(
            is_list, target_id__in=listed, source__site__domain=F("target__site__domain")
        )
        says.update((key, listed[key]) for key in own.values_list("target_id", flat=True))
    return says


def date_readers(known: Plugins | None = None) -> list[Offer]:
    """Return the date readers of plugins, and then our own."""
    return sorted(offers("date_readers", known).values(), key=lambda offer: not offer.is_foreign)


def published(page: ParsedPage, now: datetime, readers: Sequence[Offer]) -> datetime | None:
    """When a page was published, as the first reader says that knows it."""
    for offer in readers:
        when: datetime | None
        if offer.is_foreign:
            read = partial(_checked, offer.item, page, now)
            when, _problem = offer.call(read, (DatabaseError,))
        else:
            when = offer.item.published(page, now)
        if when is not None:
            return when
    return None


def _checked(reader: DateReader, page: ParsedPage, now: datetime) -> datetime | None:
    when = reader.published(page, now)
    if when is None:
        return None
    if type(when) is not datetime or when.tzinfo is None:
        raise TypeError(f"{short_repr(when)[:100]} is not an aware datetime")
    if not EARLIEST <= when <= now:
        raise ValueError(f"{when} is not between {EARLIEST} and now")
    return when
