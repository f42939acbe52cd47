"""When a topic is unusually busy or silent, from the times of its pages. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from statistics import median
from typing import Final
from zoneinfo import ZoneInfo

#: A day is unusual with this multiple of the pages of a usual one, and at least this many.
SPIKE_FACTOR: Final = 3
MIN_PAGES: Final = 5
#: A usual day is the median of this many days before; with fewer than the second, none is.
USUAL_DAYS: Final = 14
MIN_DAYS: Final = 7
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Spike:
    """A day with unusually many pages.

    Attributes
    ----------
    moment : datetime
        When the page came that made the day unusual.
    count : int
        Pages of the day.
    usual : float
        Pages of a usual day before it.
    """

    day: date
    moment: datetime
    count: int
    usual: float


def spikes(moments: Iterable[datetime], begins: datetime, zone: ZoneInfo) -> list[Spike]:
    """Find the days with unusually many pages, in order.

    Of unusual days one after the other only the first counts.

    Parameters
    ----------
    moments : iterable of datetime
        When each page came, aware.
    begins : datetime
        Since when pages are known; the local day of this moment is left out.
    zone : ZoneInfo
        Whose days count.
    """
    by_day: defaultdict[date, list[datetime]] = defaultdict(list)
    for moment in sorted(moments):
        by_day[moment.astimezone(zone).date()].append(moment)
    first = begins.astimezone(zone).date() + _DAY
    found: list[Spike] = []
    was_spike: date | None = None
    for day in sorted(by_day):
        known = min((day - first).days, USUAL_DAYS)
        if known < MIN_DAYS:
            continue
        usual = median(len(by_day.get(day - back * _DAY, ())) for back in range(1, known + 1))
        needed = max(MIN_PAGES, ceil(SPIKE_FACTOR * usual))
        if len(by_day[day]) < needed:
            continue
        if was_spike != day - _DAY:
            found.append(Spike(day, by_day[day][needed - 1], len(by_day[day]), usual))
        was_spike = day
    return found


def silences(
    moments: Iterable[datetime], begins: datetime, ends: datetime, length: timedelta
) -> list[tuple[datetime, datetime]]:
    """Find the pauses of at least some length: the last moment before each, and when it was long.

    Parameters
    ----------
    moments : iterable of datetime
        When something came, aware.
    begins, ends : datetime
        Between which pauses are sought; the first begins at `begins` at the earliest.
    length : timedelta
        More than none.
    """
    found, last = [], begins
    inside = sorted(moment for moment in moments if begins < moment <= ends)
    for moment in [*inside, ends]:
        if moment - last >= length:
            found.append((last, last + length))
        last = moment
    return found
