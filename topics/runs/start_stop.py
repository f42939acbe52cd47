"""Start and stop runs of a topic's crawl."""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError
from django.utils.translation import gettext as _

from crawler.api.pages import host_of
from crawler.api.profiles import TopicProfile
from crawler.api.reasons import StopReason
from crawler.api.runs import may_fetch
from crawler.api.searches import PLACE, find_provider, search_address
from crawler.api.sources import revisit_all_soon
from crawler.api.tables import Run
from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from focusweb.runtime import wakeups
from topics.errors import AlreadyRunning, CannotRun
from topics.models import Topic
from topics.profile.crawl import save_crawl


def start_now(
    topic: Topic, now: datetime, *, n_pages: int | None = None, look: bool = False
) -> Run:
    """Begin a run and wake the cluster; with `look` it visits all seeds and feeds.

    Raises
    ------
    AlreadyRunning
        If a run of this topic has not ended.
    CannotRun
        If the topic has no seeds, or the public web would be crawled anonymously.
    """
    run = create_run(topic, now, n_pages=n_pages)
    if look:
        revisit_all_soon(run.crawl, now)
    pass_point("sched.row")
    wakeups.wake_collectors(1)
    pass_point("sched.queued")
    return run


def create_run(topic: Topic, now: datetime, *, n_pages: int | None = None) -> Run:
    """Begin a run without waking a worker; see `start_now` for what it raises."""
    crawl = save_crawl(topic, now)
    refusal = why_not(crawl.profile)
    if refusal is not None:
        raise refusal
    try:
        with write_transaction():
            run = Run.objects.create(crawl=crawl, started=now, n_pages=n_pages or topic.n_pages)
    except IntegrityError as error:
        sentence = _("“%(topic)s” is already being crawled.") % {"topic": topic.name}
        raise AlreadyRunning(sentence) from error
    topic.plan_next_run(now)
    topic.save(update_fields=["next_run"])
    return run


def why_not(profile: TopicProfile) -> CannotRun | None:
    """Why no run of such a topic can begin, if that is so."""
    hosts = _first_hosts(profile)
    if not hosts:
        sentence = _(
            "“%(topic)s” has no starting point. Add a seed URL, or a seed query and a "
            "search provider."
        )
        return CannotRun(StopReason.NO_SEEDS, sentence % {"topic": profile.name})
    if not any(map(may_fetch, hosts)):
        sentence = _(
            "FocusWeb must identify itself to every site. Set FOCUSWEB_CONTACT_URL to a "
            "page about you, then start again."
        )
        return CannotRun(StopReason.NO_CONTACT, sentence)
    return None


def _first_hosts(profile: TopicProfile) -> set[str]:
    """Hosts that a run contacts first; none if it has nowhere to start."""
    urls = list(profile.seeds)
    if profile.queries:
        urls += [settings.SEARXNG_URL] if settings.SEARXNG_URL else []
        for named in profile.searches:
            provider = find_provider(named)
            if provider or PLACE in named:  # a plugin's provider may be missing
                urls.append(provider.address("a") if provider else search_address(named, "a"))
    return {host_of(url) for url in urls}


def request_stop(topic: Topic) -> bool:
    """Request the end of the topic's open run; False if no run is open."""
    if topic.crawl is None:
        return False
    return bool(topic.crawl.runs.open().update(stop_asked=True))


def start_due(now: datetime) -> int:
    """Begin the runs whose time has come; how many began."""
    begun = 0
    for number in list(Topic.objects.due(now).values_list("pk", flat=True)):
        # Read one by one: one that was read long before it begins could undo a change of settings.
        topic = Topic.objects.due(now).filter(pk=number).first()
        if topic is None:
            continue  # paused, deleted or begun meanwhile
        pass_point("sched.due")
        try:
            start_now(topic, now)
        except AlreadyRunning:
            topic.plan_next_run(now)
            topic.save(update_fields=["next_run"])
        except CannotRun as error:
            _note_refusal(topic, error, now)
        else:
            begun += 1
    return begun


def _note_refusal(topic: Topic, refusal: CannotRun, now: datetime) -> None:
    """Show a run that could not begin, so that nothing goes silent."""
    crawl = save_crawl(topic, now)
    Run.objects.create(
        crawl=crawl,
        started=now,
        ended=now,
        n_pages=topic.n_pages,
        stop_reason=refusal.reason,
        stop_detail=str(refusal)[:300],
    )
    topic.plan_next_run(now)
    topic.save(update_fields=["next_run"])
