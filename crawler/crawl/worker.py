"""Puts a collector together from the settings, and runs whole crawls in the foreground."""

import gc
import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Self

from django.conf import settings
from django.db.models import F

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.dispatch import REST
from crawler.crawl.fetch_settings import fetch_config, may_fetch, site_delay_s
from crawler.crawl.live_source import LiveSource
from crawler.crawl.manager import BatchLimits
from crawler.fetch.door import Door
from crawler.judging.context import CrawlContext, build_context, guarded, usable
from crawler.judging.guarded import call_alone, call_source, failures_of
from crawler.models import Crawl, Run, bulk
from crawler.models.web import EPOCH
from crawler.problems import Problem, ProblemKind
from crawler.sandbox.parse_pool import InProcessParser, ParsePool
from crawler.sources import backoff
from crawler.sources.base import Inquiry, Parser, SourceKind
from crawler.sources.redirects import where_they_lead
from crawler.store.frontier import leases
from crawler.store.frontier.addresses import AddressBook
from crawler.store.frontier.politeness import (
    find_frames,
    find_rules,
    keep_frames,
    keep_rules,
    stopped_sites,
)
from crawler.store.frontier.request_counts import RequestCounts
from crawler.store.machines import n_workers
from crawler.store.timestamps import clamp_future_timestamps
from focusweb import plugins
from focusweb.clock import follow_database, utc_now
from focusweb.database import write_transaction
from focusweb.runtime.data_folder import is_nearly_full
from focusweb.runtime.process_id import is_dead, this_process

logger = logging.getLogger(__name__)

#: How long a manager agent's turn may take before another may have it.
TURN = timedelta(seconds=60)
#: The same while it looks for seeds: longer than a task may last.
BEGINNING = timedelta(seconds=100)
#: Pause of a crawl in the foreground that has nothing to do, in seconds.
IDLE_S = 0.2


#: The latest context of each crawl in this process.
_contexts: dict[int, CrawlContext] = {}


def context_of(run: Run) -> CrawlContext:
    """Return the context of a run; built again only when it has changed."""
    known = _contexts.get(run.crawl_id)
    context = build_context(DatabaseBlackboard(run), known)
    if context is not known:
        context = _contexts[run.crawl_id] = guarded(context)
    return context


#: What was counted for the run that this process planned last.
_requests: dict[tuple[int, datetime], RequestCounts] = {}


def _requests_of(run: Run) -> RequestCounts:
    key = run.pk, run.started
    if key not in _requests:
        _requests.clear()
        _requests[key] = RequestCounts(run)
    return _requests[key]


@dataclass(slots=True)
class Worker:
    """A collector with its door, parse children and threads."""

    door: Door
    parser: ParsePool
    source: LiveSource
    book: AddressBook = field(default_factory=AddressBook)
    #: CPU seconds that were counted for runs so far.
    counted_s: float = 0.0

    @classmethod
    def start_worker(cls, parser: ParsePool | None = None) -> Self:
        """Start what a collector needs; the parse children too if they are not given."""
        # Where Python looks for garbage as often as it does by itself, a twentieth of a crawl's
        # time goes there.
        gc.set_threshold(20_000, 20, 50)
        door = Door(fetch_config())
        parser = parser or ParsePool(settings.PARSE_CHILDREN or None)
        source = LiveSource(
            door,
            parser,
            site_delay_s,
            may_fetch,
            find_rules=find_rules,
            keep_rules=keep_rules,
            find_frames=find_frames,
            keep_frames=keep_frames,
            stopped_sites=stopped_sites,
            begin_trial=leases.begin_trial,
            n_threads=settings.FETCH_THREADS,
        )
        return cls(door, parser, source)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.source.close()
        self.parser.close()
        self.door.close()


def batch_limits() -> BatchLimits:
    """How work is cut for the clusters of all machines."""
    n_collectors = n_workers(utc_now()) or settings.Q_CLUSTER["workers"]
    return BatchLimits(n_collectors=n_collectors, site_delay_s=settings.SITE_DELAY_S)


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a run starts.

    Attributes
    ----------
    found_by : dict of str to str
        The source of each URL, in the order the URLs were found.
    first_look : frozenset of str
        URLs that a source brought when it was visited for the first time.
    problems : tuple of Problem or str
        What went wrong at the sources; a plugin's own as sentences.
    """

    found_by: Mapping[str, str]
    first_look: frozenset[str]
    problems: tuple[Problem | str, ...]


def find_seeds(
    crawl: Crawl,
    door: Door,
    now: datetime,
    sources: Mapping[str, SourceKind] | None = None,
    *,
    parser: Parser | None = None,
) -> Seeds:
    """Collect the URLs that every source brings for a run that begins now.

    A source that fails is recorded, and the other sources are still called.
    """
    found_by: dict[str, str] = {}
    problems: list[Problem | str] = []
    first_look: set[str] = set()
    inquiry = Inquiry(crawl.profile, door, crawl.pk, now, parser or InProcessParser(), may_fetch)
    offered = {} if sources else plugins.offers("sources", topic=crawl.settings.plugin_settings)
    for name, source in (sources or {name: one.item for name, one in offered.items()}).items():
        call = offered[name].call if name in offered else call_alone
        found = call_source(name, partial(source.find, inquiry), call)
        led = where_they_lead(crawl, found.urls)
        for url in found.urls:
            found_by.setdefault(url, name)
            found_by.setdefault(led.get(url, url), name)
        problems += found.problems
        first_look |= found.first_look
    backoff.hold_back(crawl, found_by, now)
    return Seeds(found_by, frozenset(first_look), tuple(problems))


def begin(
    run: Run,
    door: Door,
    sources: Mapping[str, SourceKind] | None = None,
    *,
    parser: Parser | None = None,
) -> int:
    """Enter what every source brings into the frontier; how many URLs were new."""
    seeds = find_seeds(run.crawl, door, utc_now(), sources, parser=parser)
    entered = manager.start(
        DatabaseBlackboard(run),
        list(seeds.found_by),
        utc_now(),
        chance=run.crawl_id,
        found_by=seeds.found_by,
        first_look=seeds.first_look,
        known=context_of(run),
    )
    packed = [one if isinstance(one, str) else one.packed() for one in seeds.problems]
    Run.objects.filter(pk=run.pk).update(begun=True, problems=packed)
    record_plugin_failures(run)
    return entered


def record_plugin_failures(run: Run) -> None:
    """Note with a run which parts of plugins are missing or failed, each once."""
    context, problems = _contexts[run.crawl_id], list(usable(run.crawl.settings)[1])
    for name, failure in failures_of(
        context.judge, context.strategy, context.ranker, *context.scorers
    ):
        problems.append(Problem(ProblemKind.PART_FAILED, name, failure))
    if not problems:
        return
    with write_transaction():
        kept = list(Run.objects.select_for_update().get(pk=run.pk).problems)
        # What is empty is left out of a row.
        rows = (row for row in kept if isinstance(row, dict))
        known = {(row.get("trouble"), row.get("about", "")) for row in rows}
        new = [one.packed() for one in problems if (str(one.trouble), one.about) not in known]
        if new:
            Run.objects.filter(pk=run.pk).update(problems=[*kept, *new])


def begin_in_turn(run: Run, worker: Worker) -> int | None:
    """Begin a run unless another process does or did. Return how many seeds were new."""
    if not _take_turn(run.crawl_id, utc_now(), BEGINNING):
        return None
    try:
        if Run.objects.filter(pk=run.pk, begun=True).exists():
            return None
        return begin(run, worker.door, parser=worker.parser)
    finally:
        _end_turn(run.crawl_id, EPOCH)


def manage(
    run: Run,
    cut: BatchLimits,
    *,
    only_learn: bool = False,
    free_memory: Callable[[], None] | None = None,
) -> int:
    """One turn of the manager agent; assignments posted.

    0 if another process has the turn, or the disk is nearly full: then the run pauses. With
    `only_learn` it posts nothing, and comes next when turns are given. `free_memory` is called
    before the end of the run judges many pages.
    """
    if is_nearly_full(settings.DATA_DIR):
        logger.warning("crawl %s pauses: the disk is nearly full", run.crawl_id)
        return 0
    now = utc_now()
    if not _take_turn(run.crawl_id, now):
        return 0
    try:
        requests = _requests_of(run)
        board = DatabaseBlackboard(run, this_process(), requests=requests, free_memory=free_memory)
        manager.integrate(board, now, context_of(run))
        cut = replace(cut, n_collectors=0) if only_learn else cut
        posted = manager.plan(board, utc_now(), cut, random.Random(run.pk), context_of(run))
        record_plugin_failures(run)
    finally:
        # The end of its turn decides which run comes next (`crawler.crawl.dispatch`).
        _end_turn(run.crawl_id, utc_now() - (REST if only_learn else timedelta()))
    if not Run.objects.open().filter(pk=run.pk).exists():
        plugins.plugins().notify("run_ended", run_id=run.pk)
    return posted


def _end_turn(crawl_id: int, ended: datetime) -> None:
    bulk.execute(
        f"UPDATE {bulk.table(Crawl)} SET managed_by = '', managed_until = %s"
        " WHERE id = %s AND managed_by = %s",
        [bulk.moment_parameter(ended), crawl_id, this_process()],
    )


def _take_turn(crawl_id: int, now: datetime, turn: timedelta = TURN) -> bool:
    """Become the crawl's manager agent, unless a living one is at work."""
    turns = Crawl.objects.values_list("managed_by", "managed_until")
    managed_by, managed_until = turns.get(pk=crawl_id)
    if managed_until > now and not is_dead(managed_by):
        return False
    # Filtering on what was read turns the update into a lock.
    free = Crawl.objects.filter(pk=crawl_id, managed_by=managed_by, managed_until=managed_until)
    return bool(free.update(managed_by=this_process(), managed_until=now + turn))


def collect_assignment(run: Run, worker: Worker, stopping: Callable[[], bool]) -> int | None:
    """Collect one assignment of a run; URLs answered, or None if there is none."""
    before = _cpu_s()
    board = DatabaseBlackboard(run, book=worker.book)
    answered = collect(
        board,
        worker.source,
        this_process(),
        utc_now,
        stopping=lambda: stopping() or _is_stop_requested(run),
        known=context_of(run),
    )
    spent_s = _cpu_s() - before
    worker.counted_s += spent_s
    Run.objects.filter(pk=run.pk).update(cpu_s=F("cpu_s") + spent_s)
    record_plugin_failures(run)
    return answered


def _is_stop_requested(run: Run) -> bool:
    statement = f"SELECT 1 FROM {bulk.table(Run)} WHERE id = %s AND stop_asked"
    return bool(bulk.select(statement, [run.pk]))


def crawl_in_foreground(
    run: Run,
    progress: Callable[[Run], None],
    stopping: Callable[[], bool],
    *,
    start_worker: Callable[[], Worker] = Worker.start_worker,
    n_processes: int = 1,
) -> Run:
    """Crawl until the run has ended, in this process and others that share the run."""
    follow_database()
    clamp_future_timestamps(utc_now())
    leases.expire(utc_now(), is_dead, site_delay_s)
    before, cut = _cpu_s(), BatchLimits(n_collectors=n_processes)
    with start_worker() as worker:
        while not run.begun:
            if begin_in_turn(run, worker) is None:
                time.sleep(IDLE_S)
            run.refresh_from_db()
        while True:
            follow_database()
            if stopping():
                Run.objects.filter(pk=run.pk).update(stop_asked=True)
            posted = manage(run, cut, free_memory=worker.parser.end_idle_children)
            answered = collect_assignment(run, worker, stopping)
            run.refresh_from_db()
            progress(run)
            if run.ended is not None:
                break
            if not posted and answered is None:
                leases.expire(utc_now(), is_dead, site_delay_s)
                time.sleep(IDLE_S)
    # The parse children have ended: only now their time can be read.
    rest_s = _cpu_s() - before - worker.counted_s
    Run.objects.filter(pk=run.pk).update(cpu_s=F("cpu_s") + rest_s)
    run.refresh_from_db(fields=["cpu_s"])
    return run


def _cpu_s() -> float:
    """CPU seconds of this process and of its ended children."""
    own, ended = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
