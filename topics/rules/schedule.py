"""When a topic's runs happen: local wall time turned into moments. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

HOURS: Final = "hours"
DAILY: Final = "daily"
WEEKLY: Final = "weekly"

#: Short English names in the order of `date.weekday`.
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FULL = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CHINESE = "一二三四五六日"

_NUMBERS: Final = {
    name: number
    for number in range(7)
    for name in (
        WEEKDAYS[number],
        _FULL[number],
        f"周{_CHINESE[number]}",
        f"星期{_CHINESE[number]}",
    )
} | {"周天": 6, "星期天": 6}

UTC_ZONE: Final = ZoneInfo("UTC")
_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """When something happens again and again.

    Attributes
    ----------
    kind : str
        "hours" (every so often), "daily" or "weekly" (at a local time).
    every : timedelta
        Pause between two runs for "hours", more than none.
    at : time or None
        Local wall time for "daily" and "weekly".
    weekdays : frozenset of int
        Days for "weekly", Monday is 0.
    zone : ZoneInfo
        Whose wall clock `at` is read from.
    """

    kind: str
    every: timedelta = timedelta(hours=24)
    at: time | None = None
    weekdays: frozenset[int] = frozenset()
    zone: ZoneInfo = UTC_ZONE


def next_run(schedule: Schedule, after: datetime) -> datetime:
    """Return the first moment of a schedule strictly after another.

    Parameters
    ----------
    schedule : Schedule
    after : datetime
        Aware.

    Returns
    -------
    datetime
        In UTC. A wall time that the spring change skips becomes the first valid
        minute after it; one that the autumn change repeats counts once, the
        first time.

    Raises
    ------
    ValueError
        If `after` is naive, or the schedule lacks what its kind needs.
    """
    if after.tzinfo is None:
        raise ValueError(f"after must be an aware datetime, got {after}")
    if schedule.kind == HOURS:
        if schedule.every <= timedelta(0):
            raise ValueError(f"the pause between runs must be positive, got {schedule.every}")
        return after.astimezone(UTC) + schedule.every
    if schedule.kind not in (DAILY, WEEKLY):
        raise ValueError(f"kind must be hours, daily or weekly, got {schedule.kind!r}")
    if schedule.at is None:
        raise ValueError(f"a {schedule.kind} schedule needs a time of day")
    for day in _days(schedule, after):
        moment = _moment(day, schedule.at, schedule.zone)
        if moment > after:
            return moment
    raise ValueError("a weekly schedule needs at least one day")


def parse_weekdays(text: str) -> frozenset[int]:
    """Read days such as "mon, thu" or "周一 周四"; Monday is 0.

    Raises
    ------
    ValueError
        With the word that names no day as its only argument.
    """
    words = text.replace(",", " ").replace("，", " ").replace("、", " ").split()
    for word in words:
        if word.lower() not in _NUMBERS:
            raise ValueError(word)
    return frozenset(_NUMBERS[word.lower()] for word in words)


def _days(schedule: Schedule, after: datetime) -> Iterator[date]:
    """Yield the local days that may hold the next moment, one of each weekday and more."""
    # One day early: a moment pushed out of a skipped day lies after the day's end.
    first = after.astimezone(schedule.zone).date() - _DAY
    for offset in range(10):
        day = first + offset * _DAY
        if schedule.kind == DAILY or day.weekday() in schedule.weekdays:
            yield day


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    # fold=0 is the first of two equal wall times, so a repeated one counts once.
    wall = datetime.combine(day, at.replace(tzinfo=None, fold=0))
    while True:
        moment = wall.replace(tzinfo=zone).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
            return moment
        wall = wall.replace(second=0, microsecond=0) + _MINUTE
