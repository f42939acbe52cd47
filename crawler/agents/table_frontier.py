"""The frontier of a crawl in tables: which URLs wait, and which are handed out."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import takewhile

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from crawler.agents import harvesting
from crawler.agents.addresses import AddressBook
from crawler.agents.entering import Entering, enter_links
from crawler.agents.killpoints import pass_point
from crawler.agents.memo import REFRESH, SOURCE, unpack_memo
from crawler.agents.sites import hold, stopped_sites
from crawler.models import Assignment, Crawl, FrontierEntry, Run
from crawler.models.frontier import FrontierQuerySet
from crawler.models.web import HOLD
from crawler.reasons import Reason
from crawler.revisit.listed import fresh_since
from crawler.strategies.base import FrontierView, LinkGraph, Rating, Waiting

State = FrontierEntry.State

#: A seed fetched longer ago than this is fetched again by the next run.
SEED_REST = timedelta(hours=1)
#: Suspects in one assignment. One that kills costs the others no more than another round.
MAX_TRIALS = 20


class TableFrontier:
    """What the blackboard in tables knows of addresses, for one run of one crawl.

    Parameters
    ----------
    run : Run
    poster : str
        Who posts assignments through it; what a dead one posted is taken back.
    """

    def __init__(self, run: Run, poster: str) -> None:
        self._crawl = run.crawl
        self._run = run
        self._poster = poster
        self._book = AddressBook()

    def add_seeds(self, seeds: Sequence[tuple[str, str, Rating]], now: datetime) -> int:
        with transaction.atomic():
            numbers = self._book.numbers({url: site for url, site, _ in seeds}, now)
            entries = FrontierEntry.objects.filter(crawl=self._crawl)
            before = entries.count()
            # A later run looks at its seeds again: what is new is linked from there.
            entries.filter(
                url_id__in=numbers.values(),
                state__in=(State.DONE, State.FAILED),
                ended__lt=now - SEED_REST,
            ).update(state=State.NEW, integrated=False, assignment=None, attempts=0)
            depths = self._kept_depths(numbers.values())
            entering = [
                Entering(
                    numbers[url], None, rating,
                    depths.get(numbers[url], 0) if rating.memo.get(SOURCE) == REFRESH else 0,
                )
                for url, _, rating in seeds
            ]  # fmt: skip
            enter_links(self._crawl, self._run, entering, now)
            stopped = stopped_sites()
            left_alone = [numbers[url] for url, site, _ in seeds if site in stopped]
            entries.filter(url_id__in=left_alone, state=State.NEW).update(
                state=State.FAILED, reason=Reason.SITE_STOPPED, ended=now
            )
            return entries.count() - before

    def _kept_depths(self, keys: Collection[int]) -> dict[int, int]:
        """How far from a seed known pages are: to look at one again brings no page nearer."""
        entries = FrontierEntry.objects.filter(crawl=self._crawl, url_id__in=keys)
        return dict(entries.values_list("url_id", "depth_hops"))

    def view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView:
        return self._view(FrontierEntry.objects.all(), now, n_per_site, without)

    def fresh_view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView | None:
        earlier = self._crawl.runs.filter(started__lt=self._run.started)
        last_run = earlier.order_by("started").values_list("started", flat=True).last()
        if last_run is None:
            return None
        # What gave nothing new so far is no better for being found again.
        mine = FrontierEntry.objects.filter(tier=0).fresh(fresh_since(now, last_run))
        return self._view(mine, now, n_per_site, without)

    def _view(
        self,
        entries: FrontierQuerySet,
        now: datetime,
        n_per_site: int,
        without: Collection[str],
    ) -> FrontierView:
        ready = entries.filter(crawl=self._crawl).ready(now)
        if without:
            ready = ready.exclude(url__site__name__in=without)
        # What gave nothing new so far waits until nothing else is ready.
        if (first := ready.filter(tier=0)).exists():
            ready = first

        @cache
        def waiting(n: int | None) -> Sequence[Waiting]:
            # A site's surplus must not hide other sites, so more rows are read than asked for.
            rows = ready if n is None else ready[: n if n <= n_per_site else 10 * n + 100]
            return _waiting(rows, n, n_per_site)

        return FrontierView(waiting, self._graph, self._n_fetched())

    def _graph(self) -> LinkGraph:
        return harvesting.link_graph(self._crawl)

    def _n_fetched(self) -> int:
        return Run.objects.values_list("fetched", flat=True).get(pk=self._run.pk)

    def asked_of_sites(self) -> Mapping[str, int]:
        asked = Q(run=self._run, ended__gte=self._run.started) | Q(assignment__run=self._run)
        rows = FrontierEntry.objects.filter(asked, crawl=self._crawl)
        counted = rows.order_by().values_list("url__site__name").annotate(n=Count("pk"))
        return dict(counted)

    def assign(self, groups: Sequence[Sequence[int]], now: datetime) -> int:
        # What a dead collector held is fetched alone, to see which URL it is that kills.
        suspects = dict(
            FrontierEntry.objects.filter(
                crawl=self._crawl, state=State.NEW, crashes__gt=0
            ).values_list("url_id", "trials")
        )
        posted = 0
        with transaction.atomic():
            for keys in groups:
                # A site is in one open assignment only, so a suspect goes before the others.
                posted += self._assign(_on_trial(keys, suspects) or keys, now)
        pass_point("host.reserved")
        return posted

    def _assign(self, keys: Sequence[int], now: datetime) -> bool:
        """Post an assignment of those URLs whose sites are free; False if none is."""
        assignment = Assignment.objects.create(
            crawl=self._crawl, run=self._run, posted=now, posted_by=self._poster
        )
        entries = FrontierEntry.objects.filter(crawl=self._crawl, url_id__in=keys, state=State.NEW)
        sites = list(entries.values_list("url__site_id", flat=True).distinct())
        held = hold(assignment.pk, sites, now)
        if not held:
            assignment.delete()
            return False
        assignment.sites.set(held)
        entries.filter(url__site__in=held).update(state=State.LEASED, assignment=assignment)
        assignment.leased_until = now + HOLD
        assignment.save(update_fields=["leased_until"])
        return True

    def next_due(self, now: datetime) -> datetime | None:
        blocked = Crawl.objects.get(pk=self._crawl.pk).settings.blocked_sites
        rows = (
            FrontierEntry.objects.filter(crawl=self._crawl, state=State.NEW)
            .exclude(url__site__stopped=True)
            .exclude(url__site__name__in=blocked)
            .order_by("not_before")
            .values_list("not_before", "url__site__held_until")[:200]
        )
        return min((max(pair) for pair in rows), default=None)


def _on_trial(keys: Sequence[int], trials: Mapping[int, int]) -> Sequence[int]:
    """The suspects among some URLs that may be tried in one assignment, each by itself.

    One that nobody came back from has an assignment of its own; `trials` says how often.
    """
    suspects = [key for key in keys if key in trials]
    untried = list(takewhile(lambda key: not trials[key], suspects))
    return untried[:MAX_TRIALS] or suspects[:1]


def _waiting(rows: QuerySet[FrontierEntry], n: int | None, n_per_site: int) -> list[Waiting]:
    """Read frontier rows, at most `n_per_site` of a site and `n` in all."""
    taken: dict[str, int] = {}
    chosen: list[Waiting] = []
    columns = (
        "url_id", "url__url", "url__site__name", "depth_hops", "priority", "parent_id", "memo",
    )  # fmt: skip
    for key, url, site, depth, priority, parent, memo in rows.values_list(*columns):
        taken[site] = taken.get(site, 0) + 1
        if taken[site] <= n_per_site:
            chosen.append(Waiting(key, url, site, depth, priority, parent, unpack_memo(memo)))
            if len(chosen) == n:
                break
    return chosen
