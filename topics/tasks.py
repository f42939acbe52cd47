"""The one schedule: every minute, what is due is begun and what stalled is woken."""

from django_q.models import Schedule
from django_q.tasks import async_task

from crawler.agents.crew import utc_now
from crawler.agents.owner import this_process
from crawler.agents.rejudging import is_outdated, rejudge
from crawler.models import Crawl
from crawler.tasks import look_after_runs, shared_crew
from topics import comparing, examples, feedback, runs
from topics.delivery import alerts, clock, ledger
from topics.models import ExamplePage
from topics.search import consistency, outbox

TICK = "tick"
#: Time one task may spend on the index.
INDEX_S = 40.0


def tick() -> str:
    """Begin due runs, look after open ones, deliver, bring the index up to date."""
    begun = runs.start_due(utc_now())
    open_runs = look_after_runs()
    if ExamplePage.objects.filter(state=ExamplePage.State.WAITING).exists():
        async_task("topics.tasks.read_examples")
    for crawl_id in feedback.outdated_crawls():
        async_task("topics.tasks.judge_stored", crawl_id)
    clock.heal_clocks(utc_now())
    fired = alerts.fire_all(utc_now())
    ledger.give_up_dead(utc_now())
    for digest_id in ledger.waiting(utc_now()):
        async_task("topics.tasks.deliver", digest_id)
    consistency.sweep(utc_now())
    indexed = outbox.drain_all(INDEX_S)
    return f"{begun} begun, {open_runs} open, {fired} alerts, {indexed} indexed"


def deliver(digest_id: int) -> str:
    """Make and send what is due of a digest."""
    return f"{ledger.work_off(digest_id, utc_now)} issues ended"


def judge_stored(crawl_id: int) -> str:
    """Judge the stored pages of a crawl again, if that was not done meanwhile."""
    crawl = Crawl.objects.filter(pk=crawl_id).first()
    if crawl is None or not is_outdated(crawl):
        return "nothing to do"
    return f"{rejudge(crawl, utc_now()).total} pages moved"


def read_examples() -> str:
    """Fetch an example page that waits."""
    source = shared_crew().source
    return "one asked for" if examples.fetch_waiting(source, this_process(), utc_now) else "none"


def compare(crawl: int, token: str) -> str:
    """Replay one crawl order of a comparison, and have the next one replayed."""
    found = Crawl.objects.filter(pk=crawl).first()
    if found is not None and comparing.compare_next(found, token):
        async_task("topics.tasks.compare", crawl, token)
        return "one of several"
    return "done"


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
