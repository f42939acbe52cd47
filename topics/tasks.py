"""The one schedule: every minute, what is due is begun and what stalled is woken."""

from django_q.models import Schedule

from crawler.agents.crew import utc_now
from crawler.tasks import look_after_runs
from topics import runs
from topics.search import outbox

TICK = "tick"
#: Time one task may spend on the index.
INDEX_S = 40.0


def tick() -> str:
    """Begin due runs, look after open ones, bring the index up to date."""
    begun = runs.start_due(utc_now())
    open_runs = look_after_runs()
    indexed = outbox.drain_all(INDEX_S)
    return f"{begun} begun, {open_runs} open, {indexed} indexed"


def index() -> str:
    """Bring the index up to date."""
    return f"{outbox.drain_all(INDEX_S)} indexed"


def ensure_tick() -> None:
    """Make the one schedule there is; whatever else stands in that table is taken out."""
    Schedule.objects.exclude(name=TICK).delete()
    Schedule.objects.update_or_create(
        name=TICK,
        defaults={
            "func": "topics.tasks.tick",
            "schedule_type": Schedule.MINUTES,
            "minutes": 1,
            "repeats": -1,
        },
    )
