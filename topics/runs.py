"""Start and stop runs of a topic's crawl."""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from crawler.agents.crew import may_ask
from crawler.agents.killpoints import pass_point
from crawler.agents.rejudging import note_judged
from crawler.models import Crawl, Run
from crawler.page.url import host_of
from crawler.reasons import StopReason
from focusweb import wakeups
from topics.concepts import profile_of
from topics.errors import AlreadyRunning, CannotRun
from topics.models import Topic


def save_crawl(topic: Topic, now: datetime) -> Crawl:
    """Hand the crawler what the topic is now; a changed topic is judged anew."""
    crawl = topic.crawl or Crawl(key=f"topic-{topic.pk}", first_seen=now)
    changed = crawl.describe(profile_of(topic), topic.crawl_settings())
    if crawl.pk is None:
        crawl.save()
        note_judged(crawl)
    elif changed:
        # Only these: the manager agent writes the others while a run goes on.
        crawl.save(update_fields=["profile_json", "settings_json", "version"])
    if topic.crawl_id != crawl.pk:
        topic.crawl = crawl
        topic.save(update_fields=["crawl"])
    return crawl


def start_now(topic: Topic, now: datetime, *, n_pages: int | None = None) -> Run:
    """Begin a run and wake the cluster.

    Raises
    ------
    AlreadyRunning
        If a run of this topic has not ended.
    CannotRun
        If the topic has nowhere to start, or the public web would be asked anonymously.
    """
    run = create_run(topic, now, n_pages=n_pages)
    pass_point("sched.row")
    wakeups.wake_collectors(1)
    pass_point("sched.queued")
    return run


def create_run(topic: Topic, now: datetime, *, n_pages: int | None = None) -> Run:
    """Begin a run without waking anybody; see `start_now` for what it raises."""
    crawl = save_crawl(topic, now)
    profile = crawl.profile
    if not profile.seeds and not (profile.queries and settings.SEARXNG_URL):
        raise CannotRun(
            _("“%(topic)s” has nowhere to start: give it a seed URL, or a seed query and a "
              "search engine.") % {"topic": topic.name}
        )  # fmt: skip
    if profile.seeds and not any(may_ask(host_of(url)) for url in profile.seeds):
        raise CannotRun(
            _("A crawl tells every site who is asking: set FOCUSWEB_CONTACT_URL to a page about "
              "you, then start again.")
        )  # fmt: skip
    try:
        with transaction.atomic():
            run = Run.objects.create(crawl=crawl, started=now, n_pages=n_pages or topic.n_pages)
    except IntegrityError as error:
        raise AlreadyRunning(_("“%(topic)s” is being crawled already.") % {"topic": topic.name}) \
            from error  # fmt: skip
    topic.plan_next_run(now)
    topic.save(update_fields=["next_run"])
    return run


def ask_stop(topic: Topic) -> bool:
    """Ask the topic's open run to end; False if there is none."""
    if topic.crawl is None:
        return False
    return bool(topic.crawl.runs.open().update(stop_asked=True))


def start_due(now: datetime) -> int:
    """Begin the runs whose time has come; how many began."""
    begun = 0
    for topic in Topic.objects.due(now):
        pass_point("sched.due")
        try:
            start_now(topic, now)
        except AlreadyRunning:
            topic.plan_next_run(now)
            topic.save(update_fields=["next_run"])
        except CannotRun as error:
            _note_refusal(topic, str(error), now)
        else:
            begun += 1
    return begun


def _note_refusal(topic: Topic, detail: str, now: datetime) -> None:
    """Show a run that could not begin, so that nothing goes silent."""
    crawl = save_crawl(topic, now)
    reason = StopReason.NO_CONTACT if "CONTACT" in detail else StopReason.NO_SEEDS
    Run.objects.create(
        crawl=crawl, started=now, ended=now, n_pages=topic.n_pages,
        stop_reason=reason, stop_detail=detail[:300],
    )  # fmt: skip
    topic.plan_next_run(now)
    topic.save(update_fields=["next_run"])
