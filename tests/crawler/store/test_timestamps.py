"""F9: a clock that is set forwards or back loses no URL and hurries no request."""

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import cycle

import pytest

from crawler.checks import invariants
from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.models import FrontierEntry, Harvest, Run, Site
from crawler.revisit.sources import MAX_FAILURES, TOMBSTONE, SourceState
from crawler.sources import registry
from crawler.sources.backoff import hold_back
from crawler.sources.pasted import with_seeds
from crawler.store.frontier import leases
from crawler.store.timestamps import clamp_future_timestamps
from tests.crawler.web import NOON, PAGES, SEED, PaperWeb

HOUR, YEARS = timedelta(hours=1), timedelta(days=3652)


def ticking(jumps: Iterator[timedelta]) -> Callable[[], datetime]:
    """A clock that goes wrong by the next jump at every look."""
    looks = iter(range(1_000_000))
    return lambda: NOON + timedelta(seconds=next(looks)) + next(jumps)


@pytest.mark.parametrize(
    "jumps",
    [(timedelta(0), HOUR), (timedelta(0), -HOUR), (timedelta(0), timedelta(0), YEARS)],
    ids=["an hour ahead", "an hour back", "ten years ahead"],
)
def test_f9_a_jumping_clock_loses_no_url(run: Run, jumps: tuple[timedelta, ...]) -> None:
    clock = ticking(cycle(jumps))
    web = PaperWeb()
    manager.start(DatabaseBlackboard(run), [SEED], clock())
    for turn in range(60):
        board = DatabaseBlackboard(run)
        clamp_future_timestamps(clock())
        leases.expire(clock(), lambda owner: True, lambda site: 0.0)
        manager.integrate(board, clock())
        manager.plan(board, clock(), BatchLimits(slice_pages=2), random.Random(turn))
        collect(board, web, "tester", clock)

    assert set(web.requested) >= set(PAGES)
    assert not FrontierEntry.objects.filter(state="leased").exists()
    assert list(invariants.silent_ends()) == []


def test_f9_what_a_clock_put_off_by_years_is_due_again(run: Run) -> None:
    manager.start(DatabaseBlackboard(run), [SEED], NOON)
    FrontierEntry.objects.update(not_before=NOON + YEARS)
    Site.objects.update(next_fetch_at=NOON + YEARS, robots_until=NOON + YEARS)

    assert clamp_future_timestamps(NOON) == 3

    site = Site.objects.get()
    assert FrontierEntry.objects.get().not_before == NOON
    assert site.next_fetch_at == NOON + timedelta(seconds=60)
    assert site.robots_until < NOON
    assert clamp_future_timestamps(NOON) == 0


def test_f9_pauses_we_set_ourselves_are_kept(run: Run) -> None:
    manager.start(DatabaseBlackboard(run), [SEED], NOON)
    day = NOON + timedelta(hours=24)
    FrontierEntry.objects.update(not_before=day)
    Site.objects.update(next_fetch_at=day, robots_until=day)

    assert clamp_future_timestamps(NOON) == 0


def test_f9_a_source_that_failed_often_rests_for_its_whole_pause(run: Run) -> None:
    state = SourceState(NOON - TOMBSTONE)
    for _visit in range(MAX_FAILURES):
        state = state.after_failure(NOON)
    registry.save_sources(run.crawl, {SEED: registry.KnownSource(registry.FEEDS, state)})
    manager.start(DatabaseBlackboard(run), [SEED], NOON)

    hold_back(run.crawl, (), NOON)

    assert clamp_future_timestamps(NOON) == 0
    assert FrontierEntry.objects.get().not_before == NOON + TOMBSTONE


def test_f9_sources_visited_by_a_clock_years_ahead_are_due_again(run: Run) -> None:
    web, ahead = PaperWeb(), NOON + YEARS
    Run.objects.update(started=ahead)
    run.refresh_from_db()
    manager.start(DatabaseBlackboard(run), [SEED], ahead)
    for turn in range(20):
        board = DatabaseBlackboard(run)
        manager.plan(board, ahead, BatchLimits(slice_pages=2), random.Random(turn))
        collect(board, web, "tester", lambda: ahead)
        manager.integrate(board, ahead)
    Run.objects.update(ended=ahead)
    known = with_seeds(run.crawl, [SEED], NOON - HOUR)
    registry.save_sources(run.crawl, registry.after_visits(run.crawl, known))
    month = NOON + timedelta(days=30)
    assert not registry.seed_is_due(registry.caught_up(run.crawl)[SEED].state, month)
    assert registry.due(run.crawl, month) == {}

    clamp_future_timestamps(NOON)

    state = registry.caught_up(run.crawl)[SEED].state
    assert state.visited == NOON
    assert registry.seed_is_due(state, month)
    assert not FrontierEntry.objects.filter(ended__gt=NOON).exists()
    assert set(Harvest.objects.values_list("first_seen", flat=True)) == {NOON}
    assert clamp_future_timestamps(NOON) == 0


def test_f9_runs_of_a_clock_years_ahead_keep_their_order(run: Run) -> None:
    Run.objects.update(started=NOON + YEARS, ended=NOON + YEARS)
    ahead = NOON + 2 * YEARS
    last = Run.objects.create(crawl=run.crawl, started=ahead, progress_at=ahead, n_pages=9)

    clamp_future_timestamps(NOON)

    assert list(Run.objects.order_by("-started")) == [last, run]
    assert not Run.objects.filter(started__gt=NOON).exists()
    assert not Run.objects.filter(progress_at__gt=NOON).exists()
