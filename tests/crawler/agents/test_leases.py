"""What a dead collector held comes back, late enough to stay polite."""

import random
from datetime import timedelta

from crawler.agents import invariants, leases, manager
from crawler.agents.collector import collect
from crawler.agents.database import DatabaseBlackboard
from crawler.agents.manager import Pace
from crawler.models import Assignment, FrontierEntry, Run, Site
from crawler.models.web import HOLD
from crawler.reasons import Reason
from tests.crawler.agents.web import NOON, SEED, PaperWeb

State = FrontierEntry.State


def take_seed(run: Run) -> DatabaseBlackboard:
    """A board whose one seed is in the hands of a collector."""
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, Pace(), random.Random(1))
    assert board.take("somebody", NOON) is not None
    return board


def test_a_dead_owners_urls_are_ready_again(run: Run) -> None:
    take_seed(run)

    freed = leases.expire(NOON, lambda owner: owner == "somebody", lambda site: 2.0)

    entry = FrontierEntry.objects.get()
    assert freed == 1
    assert (entry.state, entry.crashes) == (State.NEW, 1)
    assert list(invariants.frontier_breaches(NOON)) == []


def test_the_whole_pause_begins_when_the_lease_is_taken_back(run: Run) -> None:
    take_seed(run)

    leases.expire(NOON, lambda owner: True, lambda site: 2.0)

    site = Site.objects.get()
    assert site.next_fetch_at == NOON + timedelta(seconds=2)
    assert site.held_by == ""


def test_a_living_owner_keeps_its_lease_until_it_ends(run: Run) -> None:
    take_seed(run)

    assert leases.expire(NOON + HOLD / 2, lambda owner: False, lambda site: 2.0) == 0
    assert leases.expire(NOON + HOLD, lambda owner: False, lambda site: 2.0) == 1


def test_results_that_come_too_late_are_left(run: Run) -> None:
    board = take_seed(run)
    work = Assignment.objects.get()
    leases.expire(NOON, lambda owner: True, lambda site: 0.0)
    late = board._slice(work.pk, "somebody", NOON)

    assert board.post(late, [], NOON) is False


def test_an_assignment_nobody_took_comes_back_without_blame(run: Run) -> None:
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, Pace(), random.Random(1))

    leases.expire(NOON + HOLD, lambda owner: True, lambda site: 0.0)

    assert FrontierEntry.objects.get().crashes == 0


def test_a_url_whose_collectors_always_die_is_left_for_good(run: Run) -> None:
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    for _ in range(leases.QUARANTINE_AFTER):
        assert manager.plan(board, NOON, Pace(), random.Random(1)) == 1
        board.take("somebody", NOON)
        leases.expire(NOON, lambda owner: True, lambda site: 0.0)

    entry = FrontierEntry.objects.get()
    assert (entry.state, entry.reason) == (State.QUARANTINED, Reason.QUARANTINED)
    assert list(invariants.silent_ends(NOON)) == []


def test_a_suspect_is_fetched_alone(run: Run) -> None:
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, Pace(), random.Random(1))
    collect(board, PaperWeb(), "tester", lambda: NOON)
    FrontierEntry.objects.filter(url__url="http://hub.test/gone").update(crashes=2)

    manager.plan(board, NOON, Pace(), random.Random(1))

    work = board.take("tester", NOON)
    assert work is not None
    assert [claim.url for claim in work.claims] == ["http://hub.test/gone"]
