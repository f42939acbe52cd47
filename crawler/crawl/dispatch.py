"""What there is to do for the open runs, and for which of them it is done next.

A run is begun, then planned for, then its assignments are taken, and planned for again. Runs
take turns: the one that was planned for longest ago comes first.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from crawler.models import Assignment, Run

#: Pause before a run with no open assignment, or too few, is planned again.
REST = timedelta(seconds=10)


def to_begin(now: datetime, is_dead: Callable[[str], bool]) -> list[Run]:
    """Return the runs that no process has begun, the oldest first."""
    runs = Run.objects.open().filter(begun=False).select_related("crawl").order_by("pk")
    return [run for run in runs if run.crawl.managed_until <= now or _was_left(run, is_dead)]


def to_take(now: datetime) -> QuerySet[Assignment]:
    """Return the assignments of open runs that wait for a collector, the oldest first."""
    waiting = Assignment.objects.untaken(now).filter(run__ended=None)
    return waiting.select_related("run__crawl").order_by("pk")


def to_plan(now: datetime, n_collectors: int, is_dead: Callable[[str], bool]) -> list[Run]:
    """Return the runs with fewer assignments open than collectors, emptiest and oldest first."""
    n_open = _n_open()
    runs = Run.objects.open().filter(begun=True).select_related("crawl")
    found = [
        run
        for run in runs
        if n_open[run.pk] < n_collectors and (_has_rested(run, now) or _was_left(run, is_dead))
    ]
    return sorted(found, key=lambda run: (n_open[run.pk], run.crawl.managed_until, run.pk))


def is_another_waiting(run: Run, now: datetime) -> bool:
    """True if a run other than this one is to be planned for and has no assignment open."""
    n_open = _n_open()
    others = Run.objects.open().exclude(pk=run.pk).select_related("crawl")
    return any(not n_open[other.pk] and _has_rested(other, now) for other in others)


def _n_open() -> Counter[int]:
    return Counter(Assignment.objects.filter(closed=None).values_list("run_id", flat=True))


def _has_rested(run: Run, now: datetime) -> bool:
    return run.crawl.managed_until <= now - REST


def _was_left(run: Run, is_dead: Callable[[str], bool]) -> bool:
    """True if its manager agent died in its turn."""
    return bool(run.crawl.managed_by) and is_dead(run.crawl.managed_by)
