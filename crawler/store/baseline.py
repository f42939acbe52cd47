"""Which pages of a batch were there before anybody watched: known, but never news."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from crawler.fetch.config import MAX_REDIRECTS
from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run, bulk
from crawler.models.web import EPOCH
from crawler.ranking.freshness import is_baseline
from crawler.revisit.listed import news_since
from crawler.strategies.link_notes import FIRST_LOOK, SOURCE, unpack_notes

#: Sources that bring pages; the others bring hubs and lists, which are not news themselves.
BRING_PAGES = frozenset({"searxng"})


@dataclass(frozen=True, slots=True)
class _Origin:
    """How the crawl came to a URL, and when."""

    found: datetime
    parent: int | None
    was_seed: bool


@dataclass(frozen=True, slots=True)
class FirstVisit:
    """What a visit of a page shows of its age.

    Attributes
    ----------
    published : datetime or None
        None for unknown.
    is_first : bool
        It was never fetched before.
    was_there : bool
        The crawl knew it from the beginning, or may have: it is not news.
    """

    published: datetime | None
    is_first: bool
    was_there: bool


def first_visits(
    crawl: Crawl, run: Run, keys: Collection[int], now: datetime
) -> dict[int, FirstVisit]:
    """Return what the tables hold of pages that a run has just fetched and written.

    Their dates are the tables', as a page may have said another one before.
    """
    watched = _earlier_runs(crawl, run)
    there = _were_there(crawl, keys, until=watched[0][1] or now) if watched else frozenset(keys)
    return {
        key: FirstVisit(
            published,
            is_first=first == now,
            was_there=is_baseline(
                published,
                first_run=not watched,
                was_there=key in there,
                known_before=first < crawl.first_seen,
                last_look=news_since(now, watched[0][0], watched[-1][0]) if watched else None,
            ),
        )
        for key, published, first in _dates(keys)
    }


def _dates(keys: Collection[int]) -> Iterator[tuple[int, datetime | None, datetime]]:
    """Yield when stored pages were published, and fetched first."""
    statement = f"SELECT url_id, published, first_fetched FROM {bulk.table(Page)} WHERE url_id IN"
    for key, published, first in bulk.select_among(statement, keys):
        yield key, bulk.read_moment(published), bulk.read_moment(first) or EPOCH


def _earlier_runs(crawl: Crawl, run: Run) -> list[tuple[datetime, datetime | None]]:
    """When each run before this one that fetched a page began and ended, the oldest first."""
    rows = bulk.select(
        f"SELECT started, ended FROM {bulk.table(Run)}"
        " WHERE crawl_id = %s AND started < %s AND fetched > 0 ORDER BY started",
        [crawl.pk, bulk.moment_parameter(run.started)],
    )
    return [(bulk.read_moment(began) or EPOCH, bulk.read_moment(ended)) for began, ended in rows]


def _were_there(crawl: Crawl, keys: Collection[int], *, until: datetime) -> frozenset[int]:
    """URLs found by the first run, or by a first visit of a page that was not news."""
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
    """When pages were first visited, and whether they belonged to the baseline."""
    parents = {origin.parent for origin in origins if origin.parent}
    rows = Harvest.objects.filter(crawl=crawl, url_id__in=parents)
    return {
        key: (seen, old) for key, seen, old in rows.values_list("url_id", "first_seen", "baseline")
    }


def _origins(crawl: Crawl, keys: Collection[int]) -> dict[int, _Origin]:
    """How each URL was found, redirects on the way passed over."""
    origins: dict[int, _Origin] = {}
    ways = {key: key for key in keys}  # where to search next -> the URL in question
    # That many redirects may stand between a page and who linked to it.
    for _ in range(1 + MAX_REDIRECTS):
        entries = FrontierEntry.objects.filter(crawl=crawl, url_id__in=ways)
        onward: dict[int, int] = {}
        rows = entries.values_list(
            "url_id", "parent_id", "found", "memo", "depth_hops", "parent__page"
        )
        for place, parent, found, memo, depth, page in rows:
            key = ways[place]
            origins[key] = _Origin(found, parent, not parent and _is_place(memo, depth))
            if parent and page is None:
                onward[parent] = key
        if not onward:
            break
        ways = onward
    return origins


def _is_place(memo: bytes | memoryview, depth: int) -> bool:
    """True for a seed that is a hub or list, or came with many others at once."""
    notes = unpack_notes(memo)
    if SOURCE not in notes and depth:
        return False  # The page that linked to it was deleted with its site.
    return notes.get(SOURCE) not in BRING_PAGES or bool(notes.get(FIRST_LOOK))
