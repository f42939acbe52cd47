"""Events of topics other than new pages: unusual days, silence, changes, failing visits."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from crawler.api.tables import Harvest, HarvestQuerySet
from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from topics.delivery.alerts import MAX_AGE
from topics.delivery.handover import Clock
from topics.delivery.rules.matching import topics_of_rule
from topics.models import AlertRule, Notice, PageChange, RuleEvent, Topic
from topics.pages.not_spam import stuffed_pages
from topics.rules.event_times import MIN_DAYS, USUAL_DAYS, silences, spikes
from topics.rules.schedule import next_run

Watches = AlertRule.Watches
#: Pages that are counted for one topic, the latest.
MAX_COUNTED: Final = 20_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a topic.

    Attributes
    ----------
    key : str
        Names it for ever, among the events of one rule.
    facts : dict
        What its sentence is made of, as JSON has it.
    """

    topic: Topic
    key: str
    moment: datetime
    facts: dict[str, Any] = field(default_factory=dict)
    change: PageChange | None = None


def fire_events(rule: AlertRule, now: datetime, clock: Clock) -> int:
    """Note what happened since a rule began to watch; how many events. Each is noted once.

    `clock` gives the time at which each is stored.
    """
    since = max(rule.begins, now - MAX_AGE)
    found = 0
    for topic in topics_of_rule(rule):
        for event in events_of(rule, topic, since, now, begins=rule.begins):
            found += _note(rule, event, clock)
    pass_point("event.noted")
    return found


def events_of(
    rule: AlertRule, topic: Topic, since: datetime, now: datetime, *, begins: datetime
) -> list[Event]:
    """Return what a rule watches of a topic and happened after `since`, in order.

    `begins` is when the rule began to watch: a silence is counted from then on.
    """
    assert topic.crawl is not None
    ready = topic.crawl.baseline_end()
    match rule.watches:
        case Watches.CHANGES:
            found = _changes(rule, topic, since)
        case Watches.TROUBLE:
            found = _troubles(rule, topic, max(ready or begins, begins), now)
        case Watches.SPIKE if ready is not None:
            found = _spikes(rule, topic, ready, since)
        case Watches.SILENCE if ready is not None:
            found = _silences(rule, topic, max(ready, begins), now)
        case Watches.SPIKE | Watches.SILENCE:
            return []  # All that the first run finds is new.
        case _:
            raise ValueError(f"rule {rule.pk} watches {rule.watches!r}, which are pages")
    return [event for event in found if since < event.moment <= now]


def is_over(event: RuleEvent, now: datetime) -> bool:
    """Return whether a silence or failure has ended, so that a message about it would be wrong."""
    match event.kind:
        case Watches.SILENCE:
            return _new_pages(event.topic).filter(first_seen__gt=event.happened).exists()
        case Watches.TROUBLE:
            return any(moment > event.happened for moment in _visits(event.topic))
        case _:
            return False


@write_transaction()
def _note(rule: AlertRule, event: Event, clock: Clock) -> bool:
    """Store an event with what its channels are to get; False if it was stored before."""
    now = clock()  # inside the transaction, as for an alert
    pauses = (Watches.SILENCE, Watches.TROUBLE)
    lately = event.moment - timedelta(days=rule.after_days)
    same_pause = rule.events.filter(topic=event.topic, happened__gt=lately)
    if rule.watches in pauses and same_pause.exclude(key=event.key).exists():
        return False  # The page after which it began was deleted since: it is the same pause.
    row, made = RuleEvent.objects.get_or_create(
        rule=rule,
        key=event.key,
        defaults={
            "topic": event.topic,
            "kind": rule.watches,
            "facts": event.facts,
            "change": event.change,
            "happened": event.moment,
            "fired": now,
        },
    )
    if made:
        Notice.objects.bulk_create(
            Notice(channel=channel, event=row, rule=rule, created=now)
            for channel in rule.channels.all()
        )
        pass_point("event.half")
    return made


def _new_pages(topic: Topic) -> HarvestQuerySet:
    """Pages that count as new, also those that are too old for the list of new pages by now."""
    pages = Harvest.objects.kept().filter(crawl=topic.crawl_id, baseline=False)
    return pages.exclude(pk__in=stuffed_pages(topic))


def _changes(rule: AlertRule, topic: Topic, since: datetime) -> Iterator[Event]:
    rows = PageChange.objects.visible_to(rule.owner, topic).filter(found__gt=since)
    for row in rows.select_related("url__site", "url__page").order_by("found", "pk"):
        yield Event(topic, f"change-{row.pk}", row.found, change=row)


def _spikes(rule: AlertRule, topic: Topic, ready: datetime, since: datetime) -> Iterator[Event]:
    first = max(ready, since - timedelta(days=USUAL_DAYS + MIN_DAYS))
    rows = _new_pages(topic).filter(first_seen__gt=first).order_by("-first_seen")
    # Many sites may report one story: it counts when it came first.
    stories: dict[int, datetime] = {}
    for pk, story, moment in rows.values_list("pk", "story_id", "first_seen")[:MAX_COUNTED]:
        stories[story or -pk] = moment
    for one in spikes(stories.values(), first, ZoneInfo(rule.zone)):
        facts = {"day": one.day.isoformat(), "count": one.count, "usual": one.usual}
        yield Event(topic, f"spike-{topic.pk}-{one.day.isoformat()}", one.moment, facts)


def _silences(rule: AlertRule, topic: Topic, begins: datetime, now: datetime) -> Iterator[Event]:
    if not topic.active:
        return
    rows = _new_pages(topic).filter(first_seen__gt=begins)
    moments = list(rows.order_by().values_list("first_seen", flat=True))
    for last, reached in silences(moments, begins, now, timedelta(days=rule.after_days)):
        visits = [moment for moment in _visits(topic) if last < moment <= reached]
        facts = {
            "days": rule.after_days,
            "since": last.isoformat(),
            "visited": max(visits).isoformat() if visits else "",
        }
        yield Event(topic, f"silence-{topic.pk}-{last.isoformat()}", reached, facts)


def _troubles(rule: AlertRule, topic: Topic, begins: datetime, now: datetime) -> Iterator[Event]:
    if not topic.active:
        return
    moments = sorted(moment for moment in _visits(topic) if begins < moment <= now)
    last = begins
    for moment in [*moments, now]:
        # A weekly topic is not in trouble on its second day.
        reached = next_run(topic.schedule(), last) + timedelta(days=rule.after_days)
        if reached <= moment:
            facts = {"days": rule.after_days, "since": last.isoformat()}
            yield Event(topic, f"trouble-{topic.pk}-{last.isoformat()}", reached, facts)
        last = moment


def _visits(topic: Topic) -> list[datetime]:
    """When each run ended that fetched something, or got on last."""
    assert topic.crawl is not None
    runs = topic.crawl.runs.filter(fetched__gt=0).order_by("started")
    return [
        ended or max(started, progress)
        for started, ended, progress in runs.values_list("started", "ended", "progress_at")
    ]
