"""The queue holds wake-ups, and never many of them."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import OrmQ

from focusweb.runtime import wakeups

pytestmark = pytest.mark.django_db

TASK = re.compile(r'"((?:crawler|topics)\.tasks\.\w+)"')
READ, JUDGE = "topics.tasks.read_examples", "topics.tasks.judge_stored"


def take(*, ago: timedelta = timedelta(0)) -> None:
    """What a cluster does with each row: it locks it for so long as `retry` says."""
    OrmQ.objects.update(lock=timezone.now() + timedelta(seconds=400) - ago)


def test_a_task_that_waits_is_not_queued_again() -> None:
    assert wakeups.wake(JUDGE, 1)

    assert not wakeups.wake(JUDGE, 2)
    assert wakeups.wake(READ)
    assert OrmQ.objects.count() == 2


def test_a_task_that_is_being_done_is_not_queued_again() -> None:
    wakeups.wake(READ)
    take()

    assert not wakeups.wake(READ)


def test_every_task_that_the_code_names_exists() -> None:
    """A wake-up with another name would be lost in the cluster."""
    folders = [Path(app) for app in ("crawler", "focusweb", "topics")]
    sources = [path.read_text() for folder in folders for path in folder.rglob("*.py")]
    named = {name for source in sources for name in TASK.findall(source)}

    assert JUDGE in named
    assert all(callable(import_string(name)) for name in named)


@pytest.mark.parametrize(("n_pieces", "n_woken"), [(0, 0), (1, 1), (2, 2), (1000, 2)])
def test_no_more_collectors_are_woken_than_there_are(n_pieces: int, n_woken: int) -> None:
    assert wakeups.wake_collectors(n_pieces) == n_woken
    assert wakeups.wake_collectors(n_pieces) == 0
    assert OrmQ.objects.count() == n_woken


def test_a_wakeup_that_the_cluster_has_taken_is_not_counted_on() -> None:
    """Who took it may be dead; two too many do no harm."""
    wakeups.wake_collectors(2)
    take()

    assert wakeups.wake_collectors(2) == 2


def test_only_wakeups_of_collectors_that_were_lost_are_forgotten() -> None:
    wakeups.wake_collectors(1)
    take()
    assert wakeups.forget_lost(timezone.now()) == 0

    take(ago=wakeups.LOST_AFTER + timedelta(seconds=1))
    wakeups.wake_collectors(1)
    wakeups.wake(READ)

    assert wakeups.forget_lost(timezone.now()) == 1
    assert OrmQ.objects.count() == 2


def test_what_a_cluster_that_is_gone_had_taken_is_free_at_once() -> None:
    wakeups.wake(JUDGE, 1)
    take()

    assert wakeups.release(timezone.now()) == 1

    assert wakeups.read_queue().n_tasks == 1
    assert OrmQ.objects.get().lock <= timezone.now()


def test_the_queue_tells_how_long_its_first_task_has_waited() -> None:
    assert wakeups.read_queue() == wakeups.Queue(0, 0.0)
    wakeups.wake(READ)
    OrmQ.objects.update(lock=timezone.now() - timedelta(seconds=90))
    wakeups.wake(JUDGE, 1)

    queue = wakeups.read_queue()

    assert queue.n_tasks == 2
    assert queue.longest_wait_s == pytest.approx(90, abs=5)
