"""The blackboard in tables: what every process of every machine shares."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Q, QuerySet

from crawler.agents import bulk, harvesting, revisiting
from crawler.agents.addresses import AddressBook
from crawler.agents.blackboard import (
    Claim,
    Posting,
    Progress,
    SiteState,
    Slice,
)
from crawler.agents.briefing import usable
from crawler.agents.entering import Entering, enter_links
from crawler.agents.killpoints import pass_point
from crawler.agents.knowing import (
    MEMORY,
    find_library,
    knowledge_version,
    load_standing,
    load_value,
    save_value,
)
from crawler.agents.memo import REFRESH, SOURCE, pack_memo, unpack_memo
from crawler.agents.posting import write_postings
from crawler.agents.ranks import TableRanks
from crawler.agents.rejudging import rejudge
from crawler.agents.sites import let_go, state_of, stopped_sites
from crawler.knowledge.judge import Lesson, Library
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.models import Assignment, Crawl, FrontierEntry, Harvest, Run, Site
from crawler.models.frontier import FrontierQuerySet
from crawler.models.web import HOLD
from crawler.ranking.standing import Standing
from crawler.reasons import Reason, StopReason
from crawler.revisit.listed import fresh_since
from crawler.strategies.base import FrontierView, JudgedPage, LinkGraph, Rating, Waiting

State = FrontierEntry.State

#: A seed fetched longer ago than this is fetched again by the next run.
SEED_REST = timedelta(hours=1)
#: Past so many stored pages a run teaches the judge little, and to judge all again takes long.
MAX_JUDGED_AGAIN = 10_000


class DatabaseBlackboard(TableRanks):
    """One run of one crawl, as `crawler.agents.blackboard.Blackboard`.

    Parameters
    ----------
    run : Run
    poster : str
        Who posts assignments through it; what a dead one posted is taken back.
    """

    def __init__(self, run: Run, poster: str = "") -> None:
        super().__init__(run.crawl)
        self._run = run
        self._poster = poster
        self._book = AddressBook()

    # -- the knowledge base ----------------------------------------------------------------

    def topic(self) -> tuple[TopicProfile, CrawlSettings, int]:
        crawl = Crawl.objects.get(pk=self._crawl.pk)
        # Either a person's change or a lesson makes a new version.
        version = crawl.version * 1_000_000 + knowledge_version(crawl)
        return crawl.profile, usable(crawl.settings)[0], version

    def library(self) -> Library:
        return find_library(self._crawl)

    def strategy_state(self) -> bytes | None:
        return load_value(self._crawl, "strategy")

    def judge_memory(self, judge: str) -> bytes:
        return load_value(self._crawl, MEMORY + judge) or b""

    def standing(self) -> Standing:
        return load_standing(self._crawl)

    # -- the manager agent -----------------------------------------------------------------

    def begin(self, state: bytes, now: datetime) -> None:
        save_value(self._crawl, "strategy", state)

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

        return FrontierView(waiting, self._graph, self._run_counts()["fetched"])

    def _graph(self) -> LinkGraph:
        return harvesting.link_graph(self._crawl)

    def asked_of_sites(self) -> Mapping[str, int]:
        asked = Q(run=self._run, ended__gte=self._run.started) | Q(assignment__run=self._run)
        rows = FrontierEntry.objects.filter(asked, crawl=self._crawl)
        counted = rows.order_by().values_list("url__site__name").annotate(n=Count("pk"))
        return dict(counted)

    def assign(self, groups: Sequence[Sequence[int]], now: datetime) -> int:
        # What a dead collector held is fetched alone, to see which URL it is that kills.
        suspects = set(
            FrontierEntry.objects.filter(
                crawl=self._crawl, state=State.NEW, crashes__gt=0
            ).values_list("url_id", flat=True)
        )
        posted = 0
        with transaction.atomic():
            for keys in groups:
                # A site is in one open assignment only, so a suspect goes before the others.
                alone = [key for key in keys if key in suspects]
                self._assign(alone[:1] or keys, now)
                posted += 1
        pass_point("host.reserved")
        return posted

    def _assign(self, keys: Sequence[int], now: datetime) -> None:
        assignment = Assignment.objects.create(
            crawl=self._crawl, run=self._run, posted=now, posted_by=self._poster
        )
        entries = FrontierEntry.objects.filter(crawl=self._crawl, url_id__in=keys, state=State.NEW)
        sites = list(entries.values_list("url__site_id", flat=True).distinct())
        # Until a collector takes it, an assignment keeps its sites from other plans.
        Site.objects.filter(pk__in=sites).update(
            held_by=f"assignment {assignment.pk}", held_until=now + HOLD
        )
        assignment.sites.set(sites)
        entries.update(state=State.LEASED, assignment=assignment)
        assignment.leased_until = now + HOLD
        assignment.save(update_fields=["leased_until"])

    def unlearnt(self) -> Sequence[JudgedPage]:
        return harvesting.unlearnt(self._crawl)

    def learn(
        self,
        pages: Sequence[JudgedPage],
        state: bytes,
        ratings: Mapping[int, Rating],
        now: datetime,
        lesson: Lesson | None = None,
    ) -> None:
        with transaction.atomic():
            harvesting.learn(self._crawl, pages)
            save_value(self._crawl, "strategy", state)
            if lesson is not None:
                name = MEMORY + lesson.judge
                save_value(self._crawl, name, lesson.memory, new_version=lesson.is_news)
            bulk.execute_many(
                f"UPDATE {bulk.table(FrontierEntry)} SET priority = %s, memo = %s"
                " WHERE crawl_id = %s AND url_id = %s AND state = 'new'",
                [
                    (rating.priority, pack_memo(rating), self._crawl.pk, key)
                    for key, rating in ratings.items()
                ],
            )

    def judge_again(self, now: datetime) -> None:
        harvests = Harvest.objects.filter(crawl=self._crawl)
        if harvests.count() > MAX_JUDGED_AGAIN:
            return
        # Not all in one transaction: judging takes its time, and others want to write. A run
        # that is killed in between comes here again, as it has not ended.
        rejudge(self._crawl, now)
        kept = harvests.filter(run=self._run).kept().count()
        Run.objects.filter(pk=self._run.pk).update(kept=kept)

    def _run_counts(self) -> dict[str, Any]:
        names = ("n_pages", "fetched", "kept", "failed", "stop_asked")
        return dict(Run.objects.filter(pk=self._run.pk).values(*names).get())

    def progress(self) -> Progress:
        entries = FrontierEntry.objects.filter(crawl=self._crawl)
        return Progress(
            n_unranked=Crawl.objects.values_list("n_unranked", flat=True).get(pk=self._crawl.pk),
            in_flight=entries.filter(state=State.LEASED).count(),
            n_known=entries.count(),
            **self._run_counts(),
        )

    def next_due(self, now: datetime) -> datetime | None:
        rows = (
            FrontierEntry.objects.filter(crawl=self._crawl, state=State.NEW)
            .exclude(url__site__stopped=True)
            .exclude(url__site__name__in=self.topic()[1].blocked_sites)
            .order_by("not_before")
            .values_list("not_before", "url__site__held_until")[:200]
        )
        return min((max(pair) for pair in rows), default=None)

    def finish(self, reason: StopReason, detail: str, now: datetime) -> None:
        Run.objects.filter(pk=self._run.pk, ended=None).update(
            ended=now, stop_reason=reason, stop_detail=detail[:300]
        )

    # -- a collector agent ------------------------------------------------------------------

    def take(self, owner: str, now: datetime) -> Slice | None:
        untaken = Assignment.objects.filter(run=self._run, closed=None, taken_by="")
        for number in untaken.order_by("pk").values_list("pk", flat=True):
            with transaction.atomic():
                # Filtering on the old value turns the update into a lock.
                taken = Assignment.objects.filter(pk=number, taken_by="", closed=None).update(
                    taken_by=owner, leased_until=now + HOLD, attempts=F("attempts") + 1
                )
                if taken:
                    Site.objects.filter(assignments=number).update(
                        held_by=owner, held_until=now + HOLD
                    )
                    return self._slice(number, owner, now)
        return None

    def _slice(self, number: int, owner: str, now: datetime) -> Slice:
        entries = FrontierEntry.objects.filter(assignment_id=number, state=State.LEASED)
        on_trial = [entry.crashes > 0 for entry in entries] == [True]
        conditions = revisiting.conditions(self._crawl, entries)
        claims = tuple(
            Claim(
                key=entry.url_id,
                url=entry.url.url,
                site=entry.url.site.name,
                depth_hops=entry.depth_hops,
                redirect_hops=entry.redirect_hops,
                priority=entry.priority,
                parent=entry.parent_id,
                memo=unpack_memo(entry.memo),
                attempts=entry.attempts,
                keep=bool(unpack_memo(entry.memo).get("keep", False)),
                conditions=conditions.get(entry.url_id, {}),
            )
            for entry in entries.select_related("url__site").order_by("-priority", "pk")
        )
        sites = {site.name: state_of(site, now) for site in Site.objects.filter(assignments=number)}
        return Slice(number, owner, now + HOLD, claims, sites, on_trial)

    def post(self, work: Slice, postings: Sequence[Posting], now: datetime) -> bool:
        try:
            return self._post(work, postings, now)
        except IntegrityError:
            # An address it remembers went with its site, which somebody removed meanwhile.
            return self._post(work, postings, now)

    def _post(self, work: Slice, postings: Sequence[Posting], now: datetime) -> bool:
        try:
            with transaction.atomic():
                # First statement of the transaction: from here nobody can take it over.
                mine = Assignment.objects.filter(
                    pk=work.number, taken_by=work.owner, closed=None
                ).update(leased_until=F("leased_until"))
                if not mine:
                    return False
                write_postings(self._crawl, self._run, work.number, self._book, postings, now)
        except BaseException:
            self._book.forget()
            raise
        pass_point("page.committed")
        return True

    def close(self, work: Slice, sites: Mapping[str, SiteState], now: datetime) -> None:
        with transaction.atomic():
            mine = Assignment.objects.filter(
                pk=work.number, taken_by=work.owner, closed=None
            ).update(closed=now)
            if not mine:
                return
            FrontierEntry.objects.filter(assignment_id=work.number, state=State.LEASED).update(
                state=State.NEW, assignment=None
            )
            for name, state in work.sites.items():
                let_go(sites.get(name, state), work.owner, now)


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
