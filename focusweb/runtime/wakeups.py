"""Wake-ups: the only use the task queue has.

Our own tables hold what there is to do. A wake-up says no more than "look there", so one
that waits is as good as ten, and one that is lost is sent again by the timer.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django_q.models import OrmQ
from django_q.tasks import async_task

from focusweb.prepared import prepared

#: The wake-up of a collector. Its row is deleted when a worker begins with it.
WORK = "crawler.tasks.work"
#: Age at which a wake-up that no worker has begun counts as lost.
LOST_AFTER = timedelta(seconds=100)


def longest_queue() -> int:
    """How long the queue may be at most: three for each collector, and a few of other kinds."""
    return 3 * int(settings.Q_CLUSTER["workers"]) + 5


@dataclass(frozen=True, slots=True)
class Queue:
    """How long the queue is, and how long the first task in it has waited, in seconds."""

    n_tasks: int
    longest_wait_s: float


NO_QUEUE = Queue(0, 0.0)


def read_queue() -> Queue:
    """Return the state of the queue."""
    now = timezone.now()
    locks = [lock for (lock,) in _locks()]
    # Of a task that no worker has taken, `lock` is when it was queued.
    queued = [lock for lock in locks if lock is not None and lock <= now]
    return Queue(len(locks), (now - min(queued)).total_seconds() if queued else 0.0)


@prepared
def _locks() -> QuerySet[OrmQ, Any]:
    rows: QuerySet[OrmQ, Any] = OrmQ.objects.values_list("lock")
    return rows


def wake(task: str, *arguments: int) -> bool:
    """Queue a task unless it is queued or being done. Return whether it was queued.

    Arguments make no difference: the timer reads the tables every half minute and queues the task
    for what is left.
    """
    if any(_is(row, task) for row in OrmQ.objects.all()):
        return False
    async_task(task, *arguments)
    return True


def wake_collectors(n_pieces: int) -> int:
    """Wake a collector for each piece of work, but no more than there are. Return how many."""
    # What the cluster has taken is not counted: the process that took it may be dead.
    waiting = OrmQ.objects.filter(lock__lte=timezone.now())
    wanted = min(n_pieces, int(settings.Q_CLUSTER["workers"]))
    missing = max(0, wanted - sum(_is(row, WORK) for row in waiting))
    for _ in range(missing):
        async_task(WORK)
    return missing


def _is(row: OrmQ, task: str) -> bool:
    return bool(row.task.get("func") == task)


def forget_lost(now: datetime) -> int:
    """Delete wake-ups of collectors that died between queue and worker. Return how many."""
    locked_until = timedelta(seconds=settings.Q_CLUSTER["retry"]) - LOST_AFTER
    lost = OrmQ.objects.filter(lock__gt=now, lock__lte=now + locked_until)
    rows = [row.pk for row in lost if _is(row, WORK)]
    OrmQ.objects.filter(pk__in=rows).delete()
    return len(rows)


def release(now: datetime) -> int:
    """Free every row that an ended cluster had taken. Return how many.

    For a cluster that is about to start, after the last one has ended.
    """
    return int(OrmQ.objects.filter(lock__gt=now).update(lock=now))


def delete_wakeup(row: int) -> None:
    """Delete the row of a wake-up that a worker begins with."""
    OrmQ.objects.filter(pk=row).delete()
