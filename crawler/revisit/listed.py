"""What the dates in a feed or sitemap show: how often it grows, and which entries are new."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from crawler.page.dates.date_forms import read_date

#: So far back dates are counted, and no further than the oldest entry listed.
MAX_BACK: Final = timedelta(days=14)
#: An entry of this age or less is new although its list is visited for the first time.
LATELY: Final = timedelta(days=2)
#: Of a list's dates so many may be unreadable, impossible or out of order: notes that are
#: kept on top, events announced.
MAX_ODD: Final = 0.2
#: Dates nearer to each other than this are those of the moment the list was made.
LEAST_SPREAD: Final = timedelta(minutes=1)

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Growth:
    """How a list grew before its first visit.

    Attributes
    ----------
    days : float
        Length of each stretch, in (0, 1].
    counts : tuple of float
        Entries dated in each stretch, the oldest first; the last ends now.
    """

    days: float
    counts: tuple[float, ...]

    def of(self, share: float) -> "Growth":
        """Return the growth by those entries that are on topic, if such a share of all is."""
        return Growth(self.days, tuple(share * count for count in self.counts))


def believed_dates(
    listed: Mapping[str, str], now: datetime, language: str = ""
) -> dict[str, datetime]:
    """Read the dates of a list's entries, if as a whole they can be believed.

    Parameters
    ----------
    listed : mapping of str to str
        By address, in the list's order, dates as written.
    now : datetime
        When the list was fetched, aware.
    language : str, default ""
        The list's, as for `read_date`.

    Returns
    -------
    dict of str to datetime
        In UTC, none after `now`; single odd dates are left out. Empty if fewer than two can be
        read or all are of one minute. Empty, too, if more than `MAX_ODD` are unreadable, before
        1990, ahead, or out of order, whichever way the list is ordered.
    """
    read = {url: read_date(text, now, language) for url, text in listed.items()}
    dates = {url: when for url, when in read.items() if when is not None}
    if len(dates) < 2:
        return {}
    values = list(dates.values())
    if max(values) - min(values) < LEAST_SPREAD:
        return {}
    steps = [later - earlier for earlier, later in pairwise(values)]
    nothing = timedelta(0)
    n_turned = min(sum(step > nothing for step in steps), sum(step < nothing for step in steps))
    n_odd = len(read) - len(dates) + n_turned
    return dates if n_odd <= MAX_ODD * len(read) else {}


def growth(dates: Collection[datetime], now: datetime) -> Growth | None:
    """Count a list's entries by day, back to its oldest entry or for `MAX_BACK`.

    The oldest entry itself is not counted where it marks the beginning: whatever was before
    it may have dropped off the list. None without two dates.
    """
    if len(dates) < 2:
        return None
    oldest = min(dates)
    begin = max(oldest, now - MAX_BACK)
    n_stretches = math.ceil((now - begin) / _DAY)
    if n_stretches < 1:
        return None
    stretch = (now - begin) / n_stretches
    counts = [0] * n_stretches
    for when in dates:
        if when > begin:
            counts[min(int((when - begin) / stretch), n_stretches - 1)] += 1
    return Growth(stretch / _DAY, tuple(counts))


def fresh_since(now: datetime, last_run: datetime | None) -> datetime:
    """Entries with a date from here on are new: the last run's beginning, or `LATELY`."""
    lately = now - LATELY
    return lately if last_run is None else min(last_run, lately)


def news_since(now: datetime, first_run: datetime, last_run: datetime) -> datetime:
    """A page with a date from here on does not belong to a source's baseline.

    It may have existed before its source was visited, but not before the topic was.
    """
    return max(first_run, fresh_since(now, last_run))


def smoothed_share(n_kept: int, n_fetched: int) -> float:
    """Return the share of a list's entries that are on topic, by those that were fetched.

    In (0, 1); a quarter while nothing is known.
    """
    return (n_kept + 0.5) / (n_fetched + 2.0)
