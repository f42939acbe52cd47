"""When a digest's issues are due: its settings, its slots, and moments of a fast clock."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from django.db import transaction

from topics.models import Digest, DigestIssue, Topic
from topics.rules.schedule import Schedule, next_run, time_of

#: A moment further ahead than this was written by a clock that has been set back since.
FURTHEST: Final = timedelta(hours=1)
#: Longer than an issue waits between two attempts.
REST: Final = timedelta(hours=4)


@dataclass(frozen=True, slots=True)
class Slot:
    """An issue's place in time.

    Attributes
    ----------
    moment : datetime
        When it was due.
    local_date : date
        The day of that moment in the digest's own zone.
    at : time
        The time of its schedule.
    """

    moment: datetime
    local_date: date
    at: time


def newest_slot(schedule: Schedule, due: datetime, now: datetime) -> Slot:
    """Return the newest moment of a schedule that has come.

    However many were missed, there is one: after an outage one issue covers it all.

    Parameters
    ----------
    schedule : Schedule
        Daily or weekly.
    due : datetime
        The moment that was waited for, aware, not after `now`.
    now : datetime
        Aware.

    Raises
    ------
    ValueError
        If `due` is after `now`, or the schedule lacks what its kind needs.
    """
    if due > now:
        raise ValueError(f"nothing is due before {due}; it is {now}")
    moment = due
    while (later := next_run(schedule, moment)) <= now:
        moment = later
    return Slot(moment, moment.astimezone(schedule.zone).date(), time_of(schedule, moment))


def covered_days(schedule: Schedule, since: datetime, until: datetime) -> int:
    """Return how many days an issue covers, 0 if it covers no more than the usual.

    Parameters
    ----------
    schedule : Schedule
    since, until : datetime
        What it covers, aware.

    Returns
    -------
    int
        Local days from `since` to `until`, if more than one moment of the schedule lies
        between them.
    """
    first = next_run(schedule, since)
    if next_run(schedule, first) > until:
        return 0
    zone = schedule.zone
    return (until.astimezone(zone).date() - since.astimezone(zone).date()).days


@transaction.atomic
def save_digest(digest: Digest, email: str, now: datetime) -> None:
    """Save a digest's settings and its owner's address, and plan its next issue."""
    before = Digest.objects.filter(pk=digest.pk).first()
    if before is None or (digest.active and not before.active):
        # What came while it was off is not sent in one heap.
        digest.covered_until = now
    digest.plan_next(now)
    digest.save()
    owner = digest.topic.owner
    if owner.email != email:
        owner.email = email
        owner.save(update_fields=["email"])


def clamp_future_timestamps(now: datetime) -> int:
    """Bring moments that lie further ahead than they can back to now; how many."""
    limit = now + FURTHEST
    healed = Digest.objects.filter(covered_until__gt=limit).update(covered_until=now)
    healed += Topic.objects.filter(alerts_from__gt=limit).update(alerts_from=now)
    late = DigestIssue.objects.filter(state__in=DigestIssue.WAITING, not_before__gt=now + REST)
    healed += late.update(not_before=now)
    for digest in Digest.objects.filter(active=True, next_due__gt=now):
        planned = digest.next_due
        digest.plan_next(now)
        if digest.next_due < planned:
            digest.save(update_fields=["next_due"])
            healed += 1
    return healed
