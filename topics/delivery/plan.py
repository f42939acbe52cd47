"""When a digest's issues are due: its settings and its slots."""

from dataclasses import dataclass
from datetime import date, datetime, time

from django.db.models import QuerySet

from focusweb.database import write_transaction
from topics.models import Delivery, Digest
from topics.models.ledger import LedgerState
from topics.rules.schedule import Schedule, next_run, slot_of


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
    return Slot(moment, moment.astimezone(schedule.zone).date(), slot_of(schedule, moment))


def covered_days(schedule: Schedule, since: datetime, until: datetime) -> int:
    """Return how many days an issue covers, 0 if it covers no more than the usual.

    Parameters
    ----------
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


@write_transaction()
def save_digest(digest: Digest, now: datetime) -> None:
    """Save a digest's settings, and plan its next issue; one that is due stays due."""
    before = Digest.objects.select_for_update().filter(pk=digest.pk).first()
    if before is not None:
        # An issue may have been made since the digest was read.
        digest.covered_until, digest.next_due = before.covered_until, before.next_due
    if before is None or (digest.active and not before.active):
        # What came while it was off is not sent in one heap.
        digest.covered_until = now
    is_due = before is not None and before.active and before.next_due <= now
    if before is None or not is_due or _times(before) != _times(digest):
        digest.plan_next(now)
    digest.save()
    if before is not None and before.active and not digest.active:
        _stop_copies([digest.pk], now)


@write_transaction()
def switch_off(digests: QuerySet[Digest], now: datetime) -> int:
    """Switch digests off, and end the copies that wait for a reader. Return how many were on."""
    active = list(digests.filter(active=True).values_list("pk", flat=True))
    _stop_copies(active, now)
    return Digest.objects.filter(pk__in=active).update(active=False)


def _stop_copies(digest_pks: list[int], now: datetime) -> None:
    # Here and not when they are sent: one that a person sends again later is wanted.
    copies = Delivery.objects.filter(issue__digest__in=digest_pks, state__in=Delivery.WAITING)
    copies.update(state=LedgerState.STOPPED, ended=now)


def _times(digest: Digest) -> tuple[object, ...]:
    """Return all settings that decide when issues come."""
    return digest.active, digest.paused_until, digest.schedule()
