"""Background work of the crawler: a wake-up carries nothing and may come twice, or never."""

from functools import cache

from django.conf import settings

from crawler.crawl import dispatch, worker
from crawler.crawl.fetch_settings import site_delay_s
from crawler.models import Run
from crawler.store.frontier import leases
from crawler.store.timestamps import clamp_future_timestamps
from focusweb import plugins
from focusweb.clock import follow_database, utc_now
from focusweb.runtime import wakeups
from focusweb.runtime.process_id import is_dead


@cache
def shared_worker() -> worker.Worker:
    """Return what this process fetches and parses with."""
    # Kept for the life of the worker process: connections and parse children are dear.
    return worker.Worker.start_worker()


def _manage(run: Run, *, only_learn: bool = False) -> int:
    """Give a run's manager agent a turn. Return how many assignments it posted."""
    return worker.manage(
        run, worker.batch_limits(), only_learn=only_learn, free_memory=_end_idle_children
    )


def _end_idle_children() -> None:
    if shared_worker.cache_info().currsize:
        shared_worker().parser.end_idle_children()


def stopping() -> bool:
    """True when the supervisor wants workers to stop."""
    return (settings.RUN_DIR / "stopping").exists()


def work() -> str:
    """Do the next piece of work of the open runs, then wake others for what is left."""
    if stopping():
        return "stopping"
    follow_database()
    done = _begin_one() or _collect_one() or _plan_one()
    wake_collectors()
    return done or "nothing to do"


def _begin_one() -> str:
    """Find the seeds of a new run, and plan for it; what was done."""
    for run in dispatch.to_begin(utc_now(), is_dead):
        found = worker.begin_in_turn(run, shared_worker())
        if found is not None:
            _manage(run)
            return f"{found} seeds"
    return ""


def _collect_one() -> str:
    """Work through the assignment that waits longest, and plan for its run; what was done."""
    for assignment in dispatch.to_take(utc_now()):
        run = assignment.run
        answered = worker.collect_assignment(run, shared_worker(), stopping)
        if answered is not None:
            plugins.plugins().notify("pages_posted", run_id=run.pk)
            # Results are integrated at once, but other runs have their turn first.
            other = dispatch.is_another_waiting(run, utc_now())
            _manage(run, only_learn=other)
            return f"{answered} URLs"
    return ""


def _plan_one() -> str:
    """Give a run that has too little posted a turn of its manager agent; what was done."""
    runs = dispatch.to_plan(utc_now(), worker.batch_limits().n_collectors, is_dead)
    # One only: a plan takes its time, and a task has a time limit.
    return f"{_manage(runs[0])} assignments" if runs else ""


def wake_collectors() -> int:
    """Wake a collector for each piece of work there is. Return how many were woken."""
    now = utc_now()
    n_pieces = (
        len(dispatch.to_begin(now, is_dead))
        + dispatch.to_take(now).count()
        + len(dispatch.to_plan(now, worker.batch_limits().n_collectors, is_dead))
    )
    return wakeups.wake_collectors(n_pieces)


def recover_runs() -> int:
    """Take back what the dead held, and wake collectors for it. Return how many were woken.

    Every few seconds: what a killed process had in hand must not wait for a minute.
    """
    follow_database()
    now = utc_now()
    leases.expire(now, is_dead, site_delay_s)
    wakeups.forget_lost(now)
    return wake_collectors()


def recover_sites() -> int:
    """Free what dead processes held; undo what a clock that ran ahead has left.

    Return the number of open runs.
    """
    leases.free_sites(utc_now(), is_dead, site_delay_s)
    clamp_future_timestamps(utc_now())
    return Run.objects.open().count()
