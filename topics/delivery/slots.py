"""Which issue of a digest is due, and what it covers. Pure."""

from dataclasses import dataclass
from datetime import date, datetime

from topics.schedule import Schedule, next_run


@dataclass(frozen=True, slots=True)
class Slot:
    """An issue's place in time.

    Attributes
    ----------
    moment : datetime
        When it was due.
    local_date : date
        The day of that moment in the digest's own zone.
    """

    moment: datetime
    local_date: date


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
    return Slot(moment, moment.astimezone(schedule.zone).date())


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
