"""What a worker that is woken does next."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django_q.models import OrmQ
from pytest_django import Settings

from crawler import tasks
from crawler.crawl import dispatch, manager, worker
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.models import Assignment, Crawl, Run
from crawler.models.web import HOLD
from focusweb.clock import utc_now
from focusweb.runtime import wakeups

N_HOSTS = 40


@pytest.fixture(autouse=True)
def two_collectors(settings: Settings) -> Iterator[None]:
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "workers": 2}
    yield
    worker._contexts.clear()


def run_of(name: str, *, begun: bool = True) -> Run:
    """An open run with a URL on each of many hosts."""
    urls = tuple(f"http://{name}{number}.test/" for number in range(N_HOSTS))
    crawl = Crawl(key=name, first_seen=utc_now())
    crawl.describe(TopicProfile(name, seeds=urls), CrawlSettings())
    crawl.save()
    run = Run.objects.create(crawl=crawl, started=utc_now(), n_pages=6000, begun=begun)
    if begun:
        manager.start(DatabaseBlackboard(run), urls, utc_now())
    return run


def turn(run: Run) -> int:
    return worker.manage(run, worker.batch_limits())


def answer_nothing(run: Run) -> None:
    """A collector that gives its assignment back as it was."""
    board = DatabaseBlackboard(run)
    work = board.take("collector", utc_now())
    assert work is not None
    board.close(work, {}, utc_now())


@pytest.mark.django_db
def test_the_queue_does_not_grow_however_often_a_run_is_planned_for() -> None:
    runs = [run_of("one"), run_of("two")]
    for _ in range(10):
        for run in runs:
            turn(run)
            tasks.recover_runs()

    assert Assignment.objects.filter(closed=None).count() == 4
    assert OrmQ.objects.count() == 2


@pytest.mark.django_db
def test_work_whose_wakeup_was_lost_is_picked_up() -> None:
    run = run_of("one")
    assert turn(run) == 2
    tasks.recover_runs()
    OrmQ.objects.all().delete()

    tasks.recover_runs()

    assert {row.task["func"] for row in OrmQ.objects.all()} == {wakeups.WORK}


@pytest.mark.django_db
def test_nobody_is_woken_when_there_is_nothing_to_do() -> None:
    assert tasks.recover_runs() == 0
    assert tasks.work() == "nothing to do"
    assert OrmQ.objects.count() == 0


@pytest.mark.django_db
def test_a_run_that_nobody_has_begun_is_begun_first() -> None:
    turn(run_of("one"))
    new = run_of("two", begun=False)

    assert dispatch.to_begin(utc_now(), lambda owner: False) == [new]
    assert tasks._begin_one() == f"{N_HOSTS} seeds"

    new.refresh_from_db()
    assert new.begun
    assert Assignment.objects.filter(run=new, closed=None).count() == 2


@pytest.mark.django_db
def test_a_run_that_is_being_begun_is_left_to_who_does_it() -> None:
    new = run_of("two", begun=False)
    Crawl.objects.update(managed_by="somewhere/1/1", managed_until=utc_now() + timedelta(minutes=1))

    assert dispatch.to_begin(utc_now(), lambda owner: False) == []
    assert dispatch.to_begin(utc_now(), lambda owner: True) == [new]


@pytest.mark.django_db
def test_a_run_that_waits_has_its_turn_before_one_that_was_served() -> None:
    """With many runs and few collectors none may starve, and none may post unclaimed work."""
    served, waiting = run_of("one"), run_of("two")
    turn(served)
    answer_nothing(served)

    assert dispatch.is_another_waiting(served, utc_now())
    assert worker.manage(served, worker.batch_limits(), only_learn=True) == 0

    later = utc_now() + timedelta(seconds=1)
    assert dispatch.to_plan(later, 2, lambda owner: False) == [waiting, served]
    assert tasks._plan_one() == "2 assignments"
    assert Assignment.objects.filter(run=waiting, closed=None).count() == 2


@pytest.mark.django_db
def test_a_run_with_nothing_to_post_rests_before_it_is_planned_for_again() -> None:
    run = run_of("one")
    Assignment.objects.all().delete()
    turn(run)
    Assignment.objects.update(closed=utc_now())

    assert dispatch.to_plan(utc_now(), 2, lambda owner: False) == []
    assert dispatch.to_plan(utc_now() + dispatch.REST, 2, lambda owner: False) == [run]


@pytest.mark.django_db
def test_the_oldest_assignment_is_taken_first_and_one_past_its_hold_by_nobody() -> None:
    turn(run_of("one"))
    turn(run_of("two"))
    first, *_, last = Assignment.objects.order_by("pk")

    assert dispatch.to_take(utc_now())[0] == first
    Assignment.objects.exclude(pk=last.pk).update(leased_until=utc_now())
    assert list(dispatch.to_take(utc_now())) == [last]
    assert list(dispatch.to_take(utc_now() + HOLD)) == []
