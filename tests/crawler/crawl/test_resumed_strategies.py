"""Every strategy goes on, in tables, where agents that are gone left off; and may be changed."""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from crawler.checks.invariants import frontier_breaches, silent_ends
from crawler.crawl import manager
from crawler.crawl.collector import FetchOutcome, collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.knowledge.profile import CrawlSettings
from crawler.messages import Batch
from crawler.models import Crawl, FrontierEntry, Harvest, Run, Site
from crawler.replay.replay import SnapshotSource
from crawler.store.frontier import leases
from focusweb import plugins
from tests.crawler.strategies.small_web import PROFILE, make_web
from tests.crawler.web import NOON

STRATEGIES = sorted(plugins.by_name("strategies"))
WEB = make_web()
N_PAGES = 8
SETTINGS = CrawlSettings(judge="cosine", n_pages=N_PAGES, max_depth_hops=60, threshold=0.2)
#: A dead collector's pages are another's after this.
LATER = NOON + timedelta(minutes=30)
every_order = pytest.mark.parametrize("name", STRATEGIES)


class Death(BaseException):
    """The process is gone: nothing that follows happens."""


class DyingSource(SnapshotSource):
    """Its process dies when a page has come and is not yet posted."""

    def answers(
        self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
    ) -> Iterator[FetchOutcome]:
        yield next(super().answers(work, until=until, stopping=stopping))
        raise Death


def begin(name: str) -> Run:
    """A run in an order, with its seeds."""
    crawl = Crawl(key="birds", first_seen=NOON)
    crawl.describe(PROFILE, replace(SETTINGS, strategy=name))
    crawl.save()
    run = Run.objects.create(crawl=crawl, started=NOON, n_pages=SETTINGS.n_pages)
    manager.start(DatabaseBlackboard(run), PROFILE.seeds, NOON, chance=3)
    return run


def turn(run: Run, source: SnapshotSource, now: datetime, *, slice_pages: int = 1) -> int | None:
    """One turn of agents that have just been started; None when the run is over."""
    board = DatabaseBlackboard(Run.objects.select_related("crawl").get(pk=run.pk))
    manager.integrate(board, now)
    manager.plan(board, now, BatchLimits(slice_pages=slice_pages), random.Random(1))
    return collect(board, source, "tester", lambda: now)


def finish(run: Run, now: datetime) -> None:
    while turn(run, SnapshotSource(WEB), now) is not None:
        pass
    assert Run.objects.get(pk=run.pk).stop_reason in ("budget", "frontier_empty")


def fetched(run: Run) -> set[str]:
    return set(Harvest.objects.filter(crawl=run.crawl_id).values_list("url__url", flat=True))


@every_order
def test_a_crawl_that_died_half_way_ends_with_the_same_pages(db: None, name: str) -> None:
    run = begin(name)
    finish(run, NOON)
    undisturbed = fetched(run)
    # Its pages too: a judge learns from what other crawls have fetched.
    Crawl.objects.all().delete()
    Site.objects.all().delete()
    run = begin(name)
    for _ in range(N_PAGES // 2):
        turn(run, SnapshotSource(WEB), NOON)
    with suppress(Death):
        turn(run, DyingSource(WEB), NOON)
    assert FrontierEntry.objects.filter(state="leased").count() == 1
    leases.expire(LATER, lambda owner: True, lambda site: 0.0)

    finish(run, LATER)

    assert fetched(run) == undisturbed
    assert [*frontier_breaches(LATER), *silent_ends()] == []


@every_order
def test_an_order_takes_over_from_another_in_the_middle_of_a_run(db: None, name: str) -> None:
    other = "viterbi" if name != "viterbi" else "focus"
    run = begin(other)
    for _ in range(2):
        turn(run, SnapshotSource(WEB), NOON, slice_pages=3)
    # Links the first order rated wait still, and pages it fetched are not integrated yet.
    crawl = Crawl.objects.get(pk=run.crawl_id)
    assert crawl.describe(PROFILE, replace(SETTINGS, strategy=name))
    crawl.save()

    while turn(run, SnapshotSource(WEB), NOON, slice_pages=3) is not None:
        pass

    assert len(fetched(run)) == N_PAGES
