"""How old a link is, to separate links of the last month from those of ten years."""

from datetime import UTC, date, datetime
from typing import Final

#: As a setting names it: count links of the last month only.
RECENT: Final = "recent"

#: Links gained within so many days are recent.
RECENT_DAYS: Final = 30
#: The day of a link of unknown age; it is never recent.
UNKNOWN_DAY: Final = 0

_EPOCH = date(1970, 1, 1).toordinal()


def day_of(moment: datetime) -> int:
    """Days from 1970-01-01 UTC to a moment's day; never before 1."""
    return max(1, moment.astimezone(UTC).toordinal() - _EPOCH)


def found_day(
    published: datetime | None, now: datetime, *, first_look: bool, baseline: bool
) -> int:
    """Return the day from which a link on a page is known, when it is seen for the first time.

    Parameters
    ----------
    published : datetime or None
        When the page that holds it was published.
    first_look : bool
        The page was never fetched before: the link may be as old as the page.
    baseline : bool
        The page was there before anybody watched.

    Returns
    -------
    int
        Today for a link that came since the last look. At a first look no link is older
        than its page, if that has a date; of a page from the beginning without one, nothing
        is known (*Resolved*): else all links of a topic's first run would be recent.
    """
    if not first_look:
        return day_of(now)
    if published is not None:
        return day_of(published)
    return UNKNOWN_DAY if baseline else day_of(now)


def recent_since(now: datetime) -> int:
    """Return the first day whose links are recent."""
    return day_of(now) - RECENT_DAYS
