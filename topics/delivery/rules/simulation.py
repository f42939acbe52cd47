"""What a rule would have sent in the past: a person can see it before saving it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Final

from topics.delivery.alerts import MAX_AGE
from topics.delivery.rules.events import Event, events_of
from topics.delivery.rules.matching import (
    Fit,
    fits,
    is_young,
    rule_conditions,
    topics_of_rule,
    young_pages,
)
from topics.models import AlertRule

DAYS: Final = 30
#: Pages checked for each topic.
MAX_PAGES: Final = 2000
NIGHT: Final = (time(22), time(7))


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a rule would have sent.

    Attributes
    ----------
    fits : sequence of Fit
        The pages, newest first, one a story; with the scores they have now.
    messages : sequence of datetime
        When each message would have gone to a channel.
    most_per_day : int
        Messages on the fullest local day.
    at_night : int
        Messages between 22:00 and 7:00.
    is_cut : bool
        There were more pages than are checked.
    events : sequence of Event
        What else would have been an alert, newest first.
    """

    days: int
    fits: Sequence[Fit]
    messages: Sequence[datetime]
    most_per_day: int
    at_night: int
    is_cut: bool = False
    events: Sequence[Event] = ()

    @property
    def n_alerts(self) -> int:
        """How many pages and events would have been alerts."""
        return len(self.fits) + len(self.events)


def replay_rule(
    rule: AlertRule, now: datetime, *, days: int = DAYS, max_pages: int = MAX_PAGES
) -> Simulated:
    """Replay a rule, saved or not, over the pages that were stored in the last days.

    Of each topic the best `max_pages` are checked.

    Raises
    ------
    SearchError
        If its saved search cannot be run now.
    """
    since = now - timedelta(days=days)
    if rule.watches != AlertRule.Watches.PAGES:
        return _simulated_events(rule, since, now, days)
    found, is_cut = list[Fit](), False
    for topic in topics_of_rule(rule):
        pages = young_pages(topic, since, now, floor=since - MAX_AGE)
        own = fits(rule, topic, pages, now, limit=max_pages)
        found += [fit for fit in own if is_young(fit.harvest)]
        checked = pages.filter(rule_conditions(rule)).one_per_story()
        is_cut = is_cut or checked[max_pages:].exists()
    found.sort(key=lambda fit: fit.harvest.first_seen, reverse=True)
    moments = [fit.harvest.first_seen for fit in reversed(found)]
    return replace(_simulated(rule, moments, days), fits=found, is_cut=is_cut)


def _simulated_events(rule: AlertRule, since: datetime, now: datetime, days: int) -> Simulated:
    found = [
        event
        for topic in topics_of_rule(rule)
        for event in events_of(rule, topic, since, now, begins=since)
    ]
    found.sort(key=lambda event: event.moment, reverse=True)
    return replace(_simulated(rule, [event.moment for event in found], days), events=found)


def _simulated(rule: AlertRule, moments: Sequence[datetime], days: int) -> Simulated:
    """The messages for alerts of these moments."""
    messages = message_times(rule, moments)
    pace = rule.pace()
    per_day = Counter(pace.day_of(moment) for moment in messages)
    walls = [moment.astimezone(pace.zone).time() for moment in messages]
    return Simulated(
        days=days,
        fits=(),
        messages=messages,
        most_per_day=max(per_day.values(), default=0),
        at_night=sum(wall >= NIGHT[0] or wall < NIGHT[1] for wall in walls),
    )


def message_times(rule: AlertRule, moments: Sequence[datetime]) -> list[datetime]:
    """When the messages for alerts of these moments go out; one message takes all that wait."""
    pace, sent = rule.pace(), list[datetime]()
    for moment in sorted(moments):
        if sent and moment <= sent[-1]:
            continue  # It is in the message that went out then.
        lately = [one for one in sent[-300:] if one > moment - timedelta(days=2)]
        sent.append(pace.next_moment(moment, moment, lately))
    return sent
