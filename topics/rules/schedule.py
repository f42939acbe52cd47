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
    also_at : tuple of time
        Further times of the same days.
    weekdays : frozenset of int
        Days for "weekly", Monday is 0.
    zone : ZoneInfo
        Whose wall clock `at` is read from.
    """

    kind: str
    every: timedelta = timedelta(hours=24)
    at: time | None = None
    also_at: tuple[time, ...] = ()
    weekdays: frozenset[int] = frozenset()
    zone: ZoneInfo = UTC_ZONE


def next_run(schedule: Schedule, after: datetime) -> datetime:
    """Return the first moment of a schedule strictly after another.

    Parameters
    ----------
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
    times = {schedule.at, *schedule.also_at}
    for day in _days(schedule, after):
        later = [m for at in times if (m := _moment(day, at, schedule.zone)) > after]
        if later:
            return min(later)
    raise ValueError("a weekly schedule needs at least one day")


def slot_of(schedule: Schedule, moment: datetime) -> time:
    """Return which time of a daily or weekly schedule a moment belongs to, else its first.

    Raises
    ------
    ValueError
        If the schedule has no time of day.
    """
    if schedule.at is None:
        raise ValueError(f"a {schedule.kind} schedule needs a time of day")
    day = moment.astimezone(schedule.zone).date()
    # A time pushed out of a skipped day is reached on the day after.
    for at in sorted((schedule.at, *schedule.also_at)):
        if moment in (_moment(day, at, schedule.zone), _moment(day - _DAY, at, schedule.zone)):
            return at
    return schedule.at


def read_time(text: str) -> time:
    """Return a wall time such as "08:00".

    Raises
    ------
    ValueError
        If the text is not a time, or has an offset: the zone is chosen beside it.
    """
    at = time.fromisoformat(text)
    if at.tzinfo is not None:
        raise ValueError(f"a wall time has no offset, got {text}")
    return at


def parse_times(text: str) -> tuple[time, ...]:
    """Read times such as "12:30, 18:00"; each once, sorted.

    Raises
    ------
    ValueError
        With the word that is not a time as its only argument.
    """
    found = set()
    for word in text.replace(",", " ").replace("，", " ").replace("、", " ").split():
        try:
            found.add(read_time(word.replace("：", ":").zfill(5)))
        except ValueError as error:
            raise ValueError(word) from error
    return tuple(sorted(found))


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
    # One day early: a moment moved out of a skipped day is after the day's end.
    first = after.astimezone(schedule.zone).date() - _DAY
    for offset in range(10):
        day = first + offset * _DAY
        if _is_day(schedule, day):
            yield day


def _is_day(schedule: Schedule, day: date) -> bool:
    return schedule.kind == DAILY or day.weekday() in schedule.weekdays


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    # fold=0 is the first of two equal wall times, so a repeated one counts once.
    wall = datetime.combine(day, at.replace(tzinfo=None, fold=0))
    while True:
        moment = wall.replace(tzinfo=zone).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
            return moment
        wall = wall.replace(second=0, microsecond=0) + _MINUTE
