"""Background work of the crawler: a wake-up carries nothing and may come twice, or never."""

import logging
from functools import cache

from django.conf import settings

from crawler.agents import crew, leases, rota
from crawler.agents.clock import heal_clocks
from crawler.agents.owner import is_dead
from crawler.models import Run
from focusweb import plugins, wakeups

logger = logging.getLogger(__name__)


@cache
def shared_crew() -> crew.Crew:
    """What this process fetches and parses with."""
    # Kept for the life of the worker process: connections and parse children are dear.
    return crew.Crew.muster()


def stopping() -> bool:
    """True when the supervisor asks workers to come to an end."""
    return (settings.RUN_DIR / "stopping").exists()


def work() -> str:
    """Do the next piece of work of the open runs, then wake others for what is left."""
    if stopping():
        return "stopping"
    done = _begin_one() or _collect_one() or _plan_one()
    wake_collectors()
    return done or "nothing to do"


def _begin_one() -> str:
    """Find the seeds of a new run, and plan for it; what was done."""
    for run in rota.to_begin(crew.utc_now(), is_dead):
        found = crew.begin_in_turn(run, shared_crew().door)
        if found is not None:
            crew.manage(run, crew.pace())
            return f"{found} seeds"
    return ""


def _collect_one() -> str:
    """Work through the assignment that waits longest, and plan for its run; what was done."""
    for assignment in rota.to_take(crew.utc_now()):
        run = assignment.run
        answered = crew.work(run, shared_crew(), stopping)
        if answered is not None:
            plugins.plugins().tell("pages_posted", run_id=run.pk)
            # A run learns from what came in at once, but lets others have their turn first.
            other = rota.is_another_waiting(run, crew.utc_now())
            crew.manage(run, crew.pace(), only_learn=other)
            return f"{answered} URLs"
    return ""


def _plan_one() -> str:
    """Give a run that has too little posted a turn of its manager agent; what was done."""
    runs = rota.to_plan(crew.utc_now(), crew.pace().n_collectors, is_dead)
    # One only: a plan takes its time, and a task has a time limit.
    return f"{crew.manage(runs[0], crew.pace())} assignments" if runs else ""


def wake_collectors() -> int:
    """Wake a collector for each piece of work there is. Return how many were woken."""
    now = crew.utc_now()
    n_pieces = (
        len(rota.to_begin(now, is_dead))
        + rota.to_take(now).count()
        + len(rota.to_plan(now, crew.pace().n_collectors, is_dead))
    )
    return wakeups.wake_collectors(n_pieces)


def look_after_runs() -> int:
    """Take back what the dead held, and wake collectors for it. Return how many were woken.

    Every few seconds: what a killed process had in hand must not wait for a minute.
    """
    now = crew.utc_now()
    leases.expire(now, is_dead, crew.site_delay_s)
    wakeups.forget_lost(now)
    return wake_collectors()


def look_at_sites() -> int:
    """Free what dead processes held; undo what a clock that ran ahead has left.

    Return the number of open runs.
    """
    leases.free_sites(crew.utc_now(), is_dead, crew.site_delay_s)
    heal_clocks(crew.utc_now())
    return Run.objects.open().count()
