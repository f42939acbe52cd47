"""Background work of the topics: what the timer does, and what it leaves to the cluster."""

import logging
from collections.abc import Callable

from django.conf import settings
from django_q.tasks import async_task

from crawler.api.judging import is_outdated, rejudge
from crawler.api.runs import utc_now
from crawler.api.tables import Crawl
from crawler.api.tasks import recover_runs, recover_sites, shared_worker
from focusweb.demo.web import CLOCK_FILE
from focusweb.runtime import wakeups
from focusweb.runtime.process_id import this_process
from topics.accounts import password_reset
from topics.changes import watching
from topics.delivery import alerts, ledger, timestamps, writing
from topics.delivery.channels import deliveries
from topics.delivery.rules import bundling, firing
from topics.home.figures import renew_due
from topics.models import ExamplePage, TopicFigures
from topics.pages.saved_searches import count_due
from topics.profile import examples, feedback, questions
from topics.runs import comparison, demo, removal, start_stop
from topics.search import consistency, outbox

logger = logging.getLogger(__name__)

#: Time that one call may spend on the index.
INDEX_S = 40.0


def tick() -> str:
    """Begin due runs, take back what was lost, make alerts, wake the cluster for the rest.

    Everything here is short. What may take long has a job of its own in `topics.timer`, or is
    a task of the cluster.
    """
    begun = start_stop.start_due(utc_now())
    if settings.DEMO:
        begun += demo.follow_clock(utc_now(), settings.DATA_DIR / CLOCK_FILE)
    open_runs = recover_sites()
    recover_runs()
    if ExamplePage.objects.to_fetch().exists():
        wakeups.wake("topics.tasks.read_examples")
    if removal.crawls_without_topic():
        wakeups.wake("topics.tasks.remove_crawls")
    for crawl_id in feedback.outdated_crawls()[:1]:
        # The next one comes when this one is done: it takes as long as it takes.
        wakeups.wake("topics.tasks.judge_stored", crawl_id)
    questions.draw_due(utc_now())
    timestamps.clamp_future_timestamps(utc_now())
    fired = alerts.fire_all(utc_now(), clock=utc_now)
    fired += firing.fire_rules(utc_now(), clock=utc_now)
    ledger.give_up_dead(utc_now())
    deliveries.give_up_dead(utc_now())
    watching.store_changes(utc_now(), clock=utc_now)
    renew_due(utc_now())
    count_due(utc_now())
    return f"{begun} begun, {open_runs} open, {fired} alerts"


def deliver(on_issue: Callable[[], None] = lambda: None) -> str:
    """Mail links for new passwords, and what is due of every digest.

    `on_issue` is called after each digest.
    """
    password_reset.send_waiting(settings.MAIL_SERVER, utc_now())
    ended, failures = 0, list[Exception]()
    for digest_id in ledger.waiting_digests(utc_now()):
        try:
            ended += ledger.process_digest(digest_id, utc_now)
        except Exception as error:  # A worker loop: the digests of other users must get theirs.
            logger.exception("digest %s: this round failed", digest_id)
            failures.append(error)
        on_issue()
    if failures:
        raise failures[0]
    return f"{ended} issues ended"


def send_to_channels(on_sent: Callable[[], None] = lambda: None) -> str:
    """Make the messages that are due and send them; `on_sent` is called after each."""
    made = bundling.bundle_all(utc_now())
    ended = 0
    for delivery_id in deliveries.waiting_deliveries(utc_now()):
        ended += deliveries.send_one(delivery_id, utc_now)
        on_sent()
    # Last: what is written here is sent in the next round.
    writing.write_copies(utc_now())
    return f"{made} messages made, {ended} ended"


def index() -> str:
    """Bring the index up to date, and now and then compare it with the database."""
    consistency.sweep(utc_now())
    return f"{outbox.drain_all(INDEX_S)} indexed"


def judge_stored(crawl_id: int) -> str:
    """Judge the stored pages of a crawl again, if that was not done meanwhile."""
    crawl = Crawl.objects.filter(pk=crawl_id).first()
    if crawl is None or not is_outdated(crawl):
        return "nothing to do"
    changed = rejudge(crawl, utc_now())
    TopicFigures.objects.forget(crawl)
    return f"{changed.total} pages changed rank"


def remove_crawls() -> str:
    """Delete some of what deleted topics left; the next round goes on."""
    return "nothing is left" if removal.finish_removals(utc_now()) else "some is left"


def read_examples() -> str:
    """Fetch an example page that waits."""
    source = shared_worker().source
    return "one asked for" if examples.fetch_waiting(source, this_process(), utc_now) else "none"


def compare(crawl: int, token: str) -> str:
    """Replay one strategy of a comparison, and have the next one replayed."""
    found = Crawl.objects.filter(pk=crawl).first()
    if found is not None and comparison.compare_next(found, token):
        async_task("topics.tasks.compare", crawl, token)
        return "one of several"
    return "done"
