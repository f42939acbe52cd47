"""Background work of the crawler: wake-ups that carry an id and may come twice."""

import logging
from functools import cache

from django.conf import settings
from django_q.tasks import async_task

from crawler.agents import crew, leases
from crawler.agents.clock import heal_clocks
from crawler.agents.owner import is_dead
from crawler.models import Assignment, Run
from focusweb import plugins

logger = logging.getLogger(__name__)


@cache
def shared_crew() -> crew.Crew:
    """What this process fetches and parses with."""
    # Kept for the life of the worker process: connections and parse children are dear.
    return crew.Crew.muster()


def stopping() -> bool:
    """True when the supervisor asks workers to come to an end."""
    return (settings.RUN_DIR / "stopping").exists()


def begin(run_id: int) -> str:
    """Find a new run's seeds, then give its manager agent the first turn."""
    run = Run.objects.select_related("crawl").get(pk=run_id)
    if run.ended is not None or stopping():
        return "ended"
    found = crew.begin(run, shared_crew().door)
    manage(run_id)
    return f"{found} seeds"


def manage(run_id: int) -> str:
    """One turn of a run's manager agent; wakes a collector for each open assignment."""
    run = Run.objects.select_related("crawl").get(pk=run_id)
    if run.ended is not None or stopping():
        return "ended"
    crew.manage(run, crew.pace())
    untaken = Assignment.objects.filter(run=run, closed=None, taken_by="").count()
    for _ in range(untaken):
        async_task("crawler.tasks.collect", run_id)
    return f"{untaken} assignments wait"


def collect(run_id: int) -> str:
    """Work through one assignment of a run, then give the manager agent a turn."""
    run = Run.objects.select_related("crawl").get(pk=run_id)
    if run.ended is not None or stopping():
        return "ended"
    answered = crew.work(run, shared_crew(), stopping)
    if answered is None:
        return "nothing to do"
    plugins.plugins().tell("pages_posted", run_id=run_id)
    manage(run_id)
    return f"{answered} URLs"


def look_after_runs() -> int:
    """Take back lost assignments and give every open run a turn; how many runs."""
    heal_clocks(crew.utc_now())
    leases.expire(crew.utc_now(), is_dead, crew.site_delay_s)
    runs = list(Run.objects.open().values_list("pk", "begun"))
    for run_id, begun in runs:
        # Whoever was to begin it may have died before it did.
        async_task(f"crawler.tasks.{'manage' if begun else 'begin'}", run_id)
    return len(runs)
