"""Periods of a query in the reader's time zone, as conditions of the tables."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from django.db.models import Q

from topics.search.tree import Day, Period, UnitStart


class ReadersDay(NamedTuple):
    """The day that it is for a reader, and the time zone in which it begins."""

    today: date
    zone: tzinfo


def during(column: str, period: Period, readers: ReadersDay) -> Q:
    """Return the condition for moments in a period; an unknown one lies in none."""
    found = Q(**{f"{column}__isnull": False})
    if period.first is not None:
        found &= has_begun(column, period.first, 0, readers)
    if period.last is not None:
        found &= ~has_begun(column, period.last, 1, readers)
    return found


def has_begun(column: str, day: Day, later_days: int, readers: ReadersDay) -> Q:
    """Return the condition for moments that are not before a day; see `beginnings`."""
    local, itself = beginnings(day, later_days, readers)
    # West of UTC a date without a time is before the reader's day; east of it, after its beginning.
    return Q(**{f"{column}__gte": local}) | Q(**{column: itself})


def beginnings(day: Day, later_days: int, readers: ReadersDay) -> tuple[datetime, datetime]:
    """When a day of the reader's begins, or the one after it; cut to what can be stored.

    The second moment stands for that day where a page names a day and no time.
    """
    match day:
        case int():
            day_number = readers.today.toordinal() - day
        case UnitStart():
            day_number = _turn(day, readers.today).toordinal() + day.days
        case _:
            day_number = day.toordinal()
    # The first and the last day have no instant in every zone.
    number = min(max(day_number + later_days, 2), date.max.toordinal() - 1)
    found = date.fromordinal(number)
    local = datetime.combine(found, time.min, readers.zone).astimezone(UTC)
    return local, datetime.combine(found, time.min, UTC)


def _turn(turn: UnitStart, today: date) -> date:
    """The first day of a calendar unit."""
    match turn.unit:
        case "week":
            return today - timedelta(days=today.weekday() + 7 * turn.back)
        case "month":
            months = today.year * 12 + today.month - 1 - turn.back
            return date(months // 12, months % 12 + 1, 1)
        case _:
            return date(today.year - turn.back, 1, 1)
