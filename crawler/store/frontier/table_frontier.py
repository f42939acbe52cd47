"""The frontier of a crawl in tables: which URLs wait, and which are handed out."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import takewhile
from typing import Any, Final

from django.db.models import Q

from crawler.models import Assignment, Crawl, FrontierEntry, Run, Url, bulk
from crawler.models.frontier import FrontierQuerySet
from crawler.models.web import HOLD
from crawler.reasons import Reason
from crawler.revisit.listed import fresh_since
from crawler.store import results
from crawler.store.frontier.addresses import AddressBook
from crawler.store.frontier.enqueue import NewEntry, enqueue_links
from crawler.store.frontier.politeness import hold, stopped_sites
from crawler.store.frontier.request_counts import RequestCounts
from crawler.strategies.base import FrontierView, LinkGraph, NewUrl, Rating, Waiting
from crawler.strategies.link_notes import REFRESH, SOURCE, as_found, unpack_notes
from focusweb.database import write_transaction
from focusweb.failpoints import pass_point

State = FrontierEntry.State

#: A seed fetched longer ago than this is fetched again by the next run.
SEED_REST = timedelta(hours=1)
#: Suspects in one assignment. One that kills costs the others no more than another round.
MAX_TRIALS = 20

#: A strategy that needs all waiting URLs gets the best ones and, if there are more, what is new
#: among those that were found last. A strategy rates each URL at least once more, and later those
#: it may fetch next. To rate 500,000 again took 21 s of every 25 pages (measured).
MOST_SEEN: Final = 20_000
LAST_SEEN: Final = 10_000

_COLUMNS: Final = (
    "url_id",
    "url__url",
    "url__site__name",
    "depth_hops",
    "priority",
    "parent_id",
    "memo",
)
_Row = tuple[Any, ...]


class TableFrontier:
    """What the blackboard in tables knows of addresses, for one run of one crawl.

    Parameters
    ----------
    poster : str
        Who posts assignments through it; what a dead one posted is taken back.
    requests : RequestCounts, optional
        What was counted for this run before.

    Attributes
    ----------
    most_seen, last_seen : int
        As `MOST_SEEN` and `LAST_SEEN`.
    """

    most_seen, last_seen = MOST_SEEN, LAST_SEEN

    def __init__(
        self,
        run: Run,
        poster: str,
        book: AddressBook | None = None,
        requests: RequestCounts | None = None,
    ) -> None:
        self._crawl = run.crawl
        self._run = run
        self._poster = poster
        self._book = book or AddressBook()
        self._requests = requests or RequestCounts(run)

    def add_seeds(self, seeds: Sequence[tuple[str, str, Rating]], now: datetime) -> int:
        with write_transaction():
            numbers = self._book.numbers({url: site for url, site, _ in seeds}, now)
            entries = FrontierEntry.objects.filter(crawl=self._crawl)
            before = entries.count()
            # A later run visits its seeds again: new pages are linked from there.
            entries.filter(
                url_id__in=numbers.values(),
                state__in=(State.DONE, State.FAILED),
                ended__lt=now - SEED_REST,
            ).update(state=State.NEW, integrated=False, assignment=None, attempts=0)
            known = self._known(numbers.values())
            entering = [
                self._entering(numbers[url], rating, known.get(numbers[url]))
                for url, _, rating in seeds
            ]
            enqueue_links(self._crawl, self._run, entering, now)
            stopped = stopped_sites()
            left_alone = [numbers[url] for url, site, _ in seeds if site in stopped]
            entries.filter(url_id__in=left_alone, state=State.NEW).set_aside(
                Reason.SITE_STOPPED, state=State.FAILED, ended=now
            )
            return entries.count() - before

    def enter(self, new_urls: Sequence[NewUrl], now: datetime) -> None:
        entering = [NewEntry(one.key, one.parent, one.rating, one.depth_hops) for one in new_urls]
        enqueue_links(self._crawl, self._run, entering, now)

    def _known(self, keys: Collection[int]) -> dict[int, FrontierEntry]:
        """The entries of URLs that the crawl knows, by number of the URL."""
        entries = FrontierEntry.objects.filter(crawl=self._crawl)
        fields = "url_id", "depth_hops", "parent_id", "memo"
        found = (entries.filter(url_id__in=some).only(*fields) for some in bulk.chunks(list(keys)))
        return {entry.url_id: entry for some in found for entry in some}

    @staticmethod
    def _entering(key: int, rating: Rating, known: FrontierEntry | None) -> NewEntry:
        if known is None:
            return NewEntry(key, None, rating)
        # To visit a known page again brings no page nearer.
        depth = known.depth_hops if rating.memo.get(SOURCE) == REFRESH else 0
        if known.parent_id is not None:  # found by a link
            rating = as_found(rating, unpack_notes(known.memo))
        return NewEntry(key, None, rating, depth)

    def view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView:
        return self._view(FrontierEntry.objects.all(), now, n_per_site, without)

    def fresh_view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView | None:
        [(latest,)] = bulk.select(
            f"SELECT MAX(started) FROM {bulk.table(Run)} WHERE crawl_id = %s AND started < %s",
            [self._crawl.pk, bulk.moment_parameter(self._run.started)],
        )
        last_run = bulk.read_moment(latest)
        if last_run is None:
            return None
        # A page that gave nothing new so far does not gain from being found again.
        mine = FrontierEntry.objects.fresh(fresh_since(now, last_run))
        return self._view(mine, now, n_per_site, without, tiers=(Q(tier=0),))

    def _view(
        self,
        entries: FrontierQuerySet,
        now: datetime,
        n_per_site: int,
        without: Collection[str],
        tiers: Sequence[Q] = (Q(tier=0), Q(tier__gt=0)),
    ) -> FrontierView:
        ready = entries.ready(now)
        if without:
            ready = ready.exclude(url__site__name__in=without)

        @cache
        def waiting(n: int | None) -> Sequence[Waiting]:
            # What gave nothing new so far waits until nothing else is ready.
            for tier in tiers:
                if found := self._waiting(ready.filter(tier), n, n_per_site):
                    return found
            return []

        return FrontierView(waiting, self._graph, self._n_fetched(), results.back_links)

    def _waiting(self, ready: FrontierQuerySet, n: int | None, n_per_site: int) -> list[Waiting]:
        """Read at most `n_per_site` URLs of a site and `n` in all, best first."""
        mine = ready.filter(crawl=self._crawl)
        if n is None:
            best = list(mine.values_list(*_COLUMNS)[: self.most_seen])
            later = self._found_last(ready) if len(best) == self.most_seen else ()
            known = {key for key, *_ in best}
            return _within_site([*best, *(row for row in later if row[0] not in known)], n_per_site)
        # A site's surplus must not hide other sites, so more rows are read than requested.
        rows = mine.values_list(*_COLUMNS)[: n if n <= n_per_site else 10 * n + 100]
        return _within_site(rows.iterator(chunk_size=n + 100), n_per_site, n)

    def _found_last(self, ready: FrontierQuerySet) -> list[_Row]:
        """Read the URLs among the last `last_seen` of the crawl that are ready, best first."""
        # With a filter on the state as well, SQLite would walk through all that wait and sort them.
        last = FrontierEntry.objects.filter(crawl=self._crawl).order_by("-pk")
        keys = [
            key
            for key, state in last.values_list("pk", "state")[: self.last_seen]
            if state == "new"
        ]
        found: list[_Row] = []
        for some in bulk.chunks(keys):
            found += ready.filter(pk__in=some).values_list(*_COLUMNS)
        return sorted(found, key=lambda row: (-row[4], row[0]))

    def _graph(self, *, in_frame: bool = False) -> LinkGraph:
        return results.link_graph(self._crawl, in_frame=in_frame)

    def _n_fetched(self) -> int:
        [(fetched,)] = bulk.select(
            f"SELECT fetched FROM {bulk.table(Run)} WHERE id = %s", [self._run.pk]
        )
        return int(fetched)

    def sites_with_requests(self, least: int) -> frozenset[str]:
        return self._requests.sites_with(least)

    def assign(self, groups: Sequence[Sequence[int]], now: datetime) -> int:
        posted = 0
        with write_transaction():
            waiting = self._find_new([key for keys in groups for key in keys])
            for keys in groups:
                mine = [waiting[key] for key in keys if key in waiting]
                # A site is in one open assignment only, so a suspect goes before the others.
                posted += self._assign(_on_trial(mine) or mine, now)
        pass_point("host.reserved")
        return posted

    def _find_new(self, keys: Sequence[int]) -> dict[int, "_New"]:
        """Find the entries of some URLs that are still new, by URL."""
        # With a filter on the state as well, SQLite would read every entry in that state.
        statement = (
            "SELECT url_id, state, entry.id, site_id, crashes, trials"
            f" FROM {bulk.table(FrontierEntry)} entry"
            f" JOIN {bulk.table(Url)} url ON url.id = url_id"
            " WHERE crawl_id = %s AND url_id IN"
        )
        rows = bulk.select_among(statement, keys, [self._crawl.pk])
        return {
            key: _New(number, site, crashes > 0, trials)
            for key, state, number, site, crashes, trials in rows
            if state == State.NEW
        }

    def _assign(self, entries: Sequence["_New"], now: datetime) -> bool:
        """Post an assignment of those entries whose sites are free; False if none is."""
        assignment = Assignment.objects.create(
            crawl=self._crawl,
            run=self._run,
            posted=now,
            posted_by=self._poster,
            leased_until=now + HOLD,
        )
        held = hold(assignment.pk, sorted({entry.site for entry in entries}), now)
        if not held:
            assignment.delete()
            return False
        assignment.sites.add(*held)
        numbers = [entry.number for entry in entries if entry.site in held]
        for some in bulk.chunks(numbers):
            bulk.execute(
                f"UPDATE {bulk.table(FrontierEntry)} SET state = 'leased', assignment_id = %s"
                f" WHERE id IN ({bulk.places(some)})",
                [assignment.pk, *some],
            )
        return True

    def next_due(self, now: datetime) -> datetime | None:
        blocked = Crawl.objects.get(pk=self._crawl.pk).settings.blocked_sites
        # A site that another crawl holds does not count as resting: it is free again soon.
        waiting = (
            FrontierEntry.objects.filter(crawl=self._crawl, state=State.NEW)
            .exclude(url__site__stopped=True)
            .exclude(url__site__name__in=blocked)
        )
        return waiting.order_by("not_before").values_list("not_before", flat=True).first()


@dataclass(frozen=True, slots=True)
class _New:
    """An entry that no collector holds.

    Attributes
    ----------
    number, site : int
        Its own key and its site's.
    is_suspect : bool
        A collector died while it held the entry.
    trials : int
        How often the entry was fetched alone since then.
    """

    number: int
    site: int
    is_suspect: bool
    trials: int


def _on_trial(entries: Sequence[_New]) -> Sequence[_New]:
    """The suspects that may be tried in one assignment, each by itself.

    A suspect whose trial was never finished has an assignment of its own.
    """
    suspects = [entry for entry in entries if entry.is_suspect]
    untried = list(takewhile(lambda entry: not entry.trials, suspects))
    return untried[:MAX_TRIALS] or suspects[:1]


def _within_site(rows: Iterable[_Row], n_per_site: int, n: int | None = None) -> list[Waiting]:
    """Take at most `n_per_site` rows of a site and `n` in all, in their order."""
    taken: Counter[str] = Counter()
    chosen: list[Waiting] = []
    for key, url, site, depth, priority, parent, memo in rows:
        if len(chosen) == n:
            break
        taken[site] += 1
        if taken[site] <= n_per_site:
            chosen.append(Waiting(key, url, site, depth, priority, parent, unpack_notes(memo)))
    return chosen
