"""The blackboard in tables: what every process of every machine shares."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError
from django.db.models import F

from crawler.judging.context import usable
from crawler.judging.rescore import rejudge
from crawler.judging.training import (
    MEMORY,
    knowledge_version,
    load_sections,
    load_shared_terms,
    load_training_set,
)
from crawler.knowledge.judge import JudgeUpdate, TrainingSet
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.sections import Sections
from crawler.messages import Batch, CrawlResult, FetchItem, Progress, SiteState
from crawler.models import Assignment, Crawl, FrontierEntry, Harvest, Run, Site, Url, bulk
from crawler.models.values import load_value, save_value
from crawler.models.web import HOLD
from crawler.ranking.quantiles import Quantiles
from crawler.reasons import Reason, StopReason
from crawler.store import results
from crawler.store.frontier import revisits
from crawler.store.frontier.addresses import AddressBook
from crawler.store.frontier.politeness import extend_hold, holder, let_go, lost_sites, site_state
from crawler.store.frontier.request_counts import RequestCounts
from crawler.store.frontier.table_frontier import TableFrontier
from crawler.store.ranks import TableRanks
from crawler.store.results import load_quantiles
from crawler.store.write_batch import write_results
from crawler.strategies.base import JudgedPage, Rating
from crawler.strategies.link_notes import pack_notes, unpack_notes
from focusweb.database import write_transaction
from focusweb.failpoints import pass_point

State = FrontierEntry.State

#: With more stored pages, a run changes the judge little, and re-scoring all of them takes long.
MAX_JUDGED_AGAIN = 10_000
#: Judging so many pages takes about as much memory as a parse child.
MANY_PAGES = 1_000


class DatabaseBlackboard(TableFrontier, TableRanks):
    """One run of one crawl, as `crawler.crawl.blackboard.Blackboard`.

    Parameters
    ----------
    poster : str
        Who posts assignments through it; what a dead one posted is taken back.
    book : AddressBook, optional
        Shared by the blackboards of one thread: addresses keep their numbers.
    requests : RequestCounts, optional
        Shared by the blackboards of a run in this process.
    free_memory : function, optional
        Called before many pages are judged again.
    """

    def __init__(
        self,
        run: Run,
        poster: str = "",
        book: AddressBook | None = None,
        requests: RequestCounts | None = None,
        free_memory: Callable[[], None] | None = None,
    ) -> None:
        self._free_memory = free_memory
        TableFrontier.__init__(self, run, poster, book, requests)
        TableRanks.__init__(self, run.crawl)

    # -- the knowledge base ----------------------------------------------------------------

    def version(self) -> int:
        return knowledge_version(self._crawl)

    def topic(self) -> tuple[TopicProfile, CrawlSettings]:
        crawl = Crawl.objects.get(pk=self._crawl.pk)
        return crawl.profile, usable(crawl.settings)[0]

    def training_set(self) -> TrainingSet:
        return load_training_set(self._crawl)

    def sections(self) -> Sections:
        return load_sections(self._crawl)

    def shared_terms(self) -> Mapping[str, float]:
        return load_shared_terms(self._crawl)

    def strategy_state(self) -> bytes | None:
        return load_value(self._crawl, "strategy")

    def judge_memory(self, judge: str) -> bytes:
        return load_value(self._crawl, MEMORY + judge) or b""

    def quantiles(self) -> Quantiles:
        return load_quantiles(self._crawl)

    # -- the manager agent -----------------------------------------------------------------

    def begin(self, state: bytes) -> None:
        save_value(self._crawl, "strategy", state)

    def unintegrated(self) -> Sequence[JudgedPage]:
        return results.unintegrated(self._crawl)

    def learn(
        self,
        pages: Sequence[JudgedPage],
        state: bytes,
        ratings: Mapping[int, Rating],
        judge_update: JudgeUpdate | None = None,
    ) -> None:
        with write_transaction():
            results.mark_integrated(self._crawl, pages)
            save_value(self._crawl, "strategy", state)
            if judge_update is not None:
                name = MEMORY + judge_update.judge
                save_value(self._crawl, name, judge_update.memory, new_version=judge_update.is_news)
            bulk.execute_many(
                f"UPDATE {bulk.table(FrontierEntry)} SET priority = %s, memo = %s"
                " WHERE crawl_id = %s AND url_id = %s AND state = 'new'",
                [
                    (rating.priority, pack_notes(rating), self._crawl.pk, key)
                    for key, rating in ratings.items()
                ],
            )

    def rejudge_stored(self, now: datetime) -> None:
        harvests = Harvest.objects.filter(crawl=self._crawl)
        n_pages = harvests.count()
        if n_pages > MAX_JUDGED_AGAIN:
            return
        if n_pages >= MANY_PAGES and self._free_memory is not None:
            self._free_memory()
        # Not all in one transaction: judging takes its time, and others want to write. A run
        # that is killed in between comes here again, as it has not ended.
        # The topic as it is now: this run may have read its crawl a minute ago.
        rejudge(Crawl.objects.get(pk=self._crawl.pk), now, anew=True)
        kept = harvests.filter(run=self._run).kept().count()
        Run.objects.filter(pk=self._run.pk).update(kept=kept)

    def progress(self) -> Progress:
        entries, crawl = bulk.table(FrontierEntry), self._crawl.pk
        [row] = bulk.select(
            "SELECT n_pages, fetched, kept, failed, reasons, stop_asked,"
            f" (SELECT n_unranked FROM {bulk.table(Crawl)} WHERE id = %s),"
            f" (SELECT COUNT(*) FROM {entries} WHERE crawl_id = %s AND state = 'leased'),"
            # To count them takes longer than the rest of a plan.
            f" EXISTS (SELECT 1 FROM {entries} WHERE crawl_id = %s),"
            f" (SELECT COUNT(*) FROM {bulk.table(Assignment)}"
            f" WHERE run_id = %s AND closed IS NULL) FROM {bulk.table(Run)} WHERE id = %s",
            [crawl, crawl, crawl, self._run.pk, self._run.pk],
        )
        n_pages, fetched, kept, failed, reasons, *others = row
        stop_asked, n_unranked, in_flight, knows, n_open = others
        return Progress(
            n_pages=n_pages,
            fetched=fetched,
            kept=kept,
            failed=failed,
            n_judged=fetched - json.loads(reasons).get(Reason.UNCHANGED, 0),
            in_flight=in_flight,
            knows_urls=bool(knows),
            n_unranked=n_unranked,
            stop_asked=bool(stop_asked),
            n_open=n_open,
        )

    def finish(self, reason: StopReason, detail: str, now: datetime) -> None:
        Run.objects.filter(pk=self._run.pk, ended=None).update(
            ended=now, stop_reason=reason, stop_detail=detail[:300]
        )

    # -- a collector agent ------------------------------------------------------------------

    def take(self, owner: str, now: datetime) -> Batch | None:
        # One whose hold has run out is left to `leases.expire`: its sites may be handed out again.
        untaken = bulk.select(
            f"SELECT id FROM {bulk.table(Assignment)} WHERE run_id = %s AND closed IS NULL"
            " AND taken_by = '' AND leased_until > %s ORDER BY id",
            [self._run.pk, bulk.moment_parameter(now)],
        )
        for (number,) in untaken:
            with write_transaction():
                # Filtering on the old value turns the update into a lock.
                taken = (
                    Assignment.objects.filter(pk=number)
                    .untaken(now)
                    .update(taken_by=owner, leased_until=now + HOLD, attempts=F("attempts") + 1)
                )
                if taken:
                    extend_hold(number, now)
                    self._give_back(number, lost_sites(number))
                    return self._slice(number, owner, now)
        return None

    def _give_back(self, number: int, sites: Sequence[int]) -> None:
        """Return an assignment's URLs of some sites to the frontier."""
        if sites:
            FrontierEntry.objects.filter(
                assignment_id=number, state=State.LEASED, url__site__in=sites
            ).update(state=State.NEW, assignment=None)
            Assignment.objects.get(pk=number).sites.remove(*sites)

    def _slice(self, number: int, owner: str, now: datetime) -> Batch:
        rows = bulk.select(
            "SELECT url_id, url.url, site.name, depth_hops, redirect_hops, priority, parent_id,"
            f" memo, attempts, crashes FROM {bulk.table(FrontierEntry)} entry"
            f" JOIN {bulk.table(Url)} url ON url.id = url_id"
            f" JOIN {bulk.table(Site)} site ON site.id = site_id"
            " WHERE assignment_id = %s AND state = 'leased' ORDER BY priority DESC, entry.id",
            [number],
        )
        conditions = revisits.conditional_headers(self._crawl, [row[0] for row in rows])
        claims = []
        on_trial = True
        for key, url, site, depth, redirects, priority, parent, packed, attempts, crashes in rows:
            memo = unpack_notes(packed)
            claims.append(
                FetchItem(
                    key=key,
                    url=url,
                    site=site,
                    depth_hops=depth,
                    redirect_hops=redirects,
                    priority=priority,
                    parent=parent,
                    memo=memo,
                    attempts=attempts,
                    keep=bool(memo.get("keep", False)),
                    conditions=conditions.get(key, {}),
                )
            )
            on_trial = on_trial and crashes > 0
        sites = {
            site.name: site_state(site, now) for site in Site.objects.filter(assignments=number)
        }
        return Batch(number, owner, now + HOLD, tuple(claims), sites, on_trial)

    def post(self, work: Batch, postings: Sequence[CrawlResult], now: datetime) -> bool:
        try:
            return self._post(work, postings, now)
        except IntegrityError:
            # An address it remembers went with its site, which a user removed in the meantime.
            return self._post(work, postings, now)

    def _post(self, work: Batch, postings: Sequence[CrawlResult], now: datetime) -> bool:
        try:
            with write_transaction():
                # First statement of the transaction: from here no other process can take it over.
                mine = bulk.execute(
                    f"UPDATE {bulk.table(Assignment)} SET leased_until = leased_until"
                    " WHERE id = %s AND taken_by = %s AND closed IS NULL",
                    [work.number, work.owner],
                )
                if not mine:
                    return False
                write_results(self._crawl, self._run, work.number, self._book, postings, now)
        except BaseException:
            self._book.forget()
            raise
        pass_point("page.committed")
        return True

    def close(self, work: Batch, sites: Mapping[str, SiteState], now: datetime) -> None:
        with write_transaction():
            mine = Assignment.objects.filter(
                pk=work.number, taken_by=work.owner, closed=None
            ).update(closed=now)
            if not mine:
                return
            bulk.execute(
                f"UPDATE {bulk.table(FrontierEntry)} SET state = 'new', assignment_id = NULL"
                " WHERE assignment_id = %s AND state = 'leased'",
                [work.number],
            )
            states = [sites.get(name, state) for name, state in work.sites.items()]
            let_go(states, holder(work.number), now)
