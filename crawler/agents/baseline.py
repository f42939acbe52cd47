"""Which pages of a batch were there before anybody watched: known, but never news."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from crawler.agents.memo import unpack_memo
from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run
from crawler.ranking.fresh import is_baseline

#: Where a seed's memo says that its source was asked for the first time.
FIRST_LOOK = "first_look"
#: Sources that bring pages; what the others bring are places to look at, no news themselves.
BRING_PAGES = frozenset({"searxng"})
#: As many redirects as a collector follows may stand between a page and who linked to it.
_MAX_WAY = 6


@dataclass(frozen=True, slots=True)
class _Origin:
    """How the crawl came to a URL, and when."""

    found: datetime
    parent: int | None
    was_seed: bool


def baseline_pages(
    crawl: Crawl, run: Run, published: Mapping[int, datetime | None], now: datetime
) -> frozenset[int]:
    """The pages among these that the crawl knows from the beginning, or might.

    Parameters
    ----------
    crawl, run
        The run that fetched the pages.
    published : mapping of int to datetime or None
        Date by URL number; None for unknown.
    now : datetime
        When they are written.
    """
    earlier = crawl.runs.filter(started__lt=run.started, fetched__gt=0).order_by("started")
    watched = list(earlier.values_list("started", "ended"))
    if not watched:
        return frozenset(published)
    there = _were_there(crawl, published.keys(), until=watched[0][1] or now)
    pages = Page.objects.filter(pk__in=published, first_fetched__lt=crawl.first_seen)
    stored = frozenset(pages.values_list("pk", flat=True))
    return frozenset(
        key
        for key, date in published.items()
        if is_baseline(
            date,
            first_run=False,
            was_there=key in there,
            known_before=key in stored,
            last_look=watched[-1][0],
        )
    )


def _were_there(crawl: Crawl, keys: Collection[int], *, until: datetime) -> frozenset[int]:
    """URLs found by the first run, or by a first look at something that was no news."""
    origins = _origins(crawl, keys)
    known = _looked_at(crawl, origins.values())
    there = set()
    for key, origin in origins.items():
        parent = known.get(origin.parent or 0)
        first_look = parent is not None and parent[1] and origin.found <= parent[0]
        if origin.was_seed or first_look or origin.found <= until:
            there.add(key)
    return frozenset(there)


def _looked_at(crawl: Crawl, origins: Iterable[_Origin]) -> dict[int, tuple[datetime, bool]]:
    """When pages were first looked at, and whether that was no news."""
    parents = {origin.parent for origin in origins if origin.parent}
    rows = Harvest.objects.filter(crawl=crawl, url_id__in=parents)
    return {
        key: (seen, old) for key, seen, old in rows.values_list("url_id", "first_seen", "baseline")
    }


def _origins(crawl: Crawl, keys: Collection[int]) -> dict[int, _Origin]:
    """How each URL was found, redirects on the way passed over."""
    origins: dict[int, _Origin] = {}
    ways = {key: key for key in keys}  # where to look next -> the URL asked about
    for _ in range(_MAX_WAY):
        entries = FrontierEntry.objects.filter(crawl=crawl, url_id__in=ways)
        onward: dict[int, int] = {}
        rows = entries.values_list("url_id", "parent_id", "found", "memo", "parent__page")
        for place, parent, found, memo, page in rows:
            key = ways[place]
            origins[key] = _Origin(found, parent, not parent and _is_place(memo))
            if parent and page is None:
                onward[parent] = key
        if not onward:
            break
        ways = onward
    return origins


def _is_place(memo: bytes | memoryview) -> bool:
    """True for a seed that is a place to look at, or came with many others at once."""
    told = unpack_memo(memo)
    return told.get("source") not in BRING_PAGES or bool(told.get(FIRST_LOOK))
