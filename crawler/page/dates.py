"""When was a page published? Read from what it says, in the order of how sure that is."""

import re
from datetime import UTC, datetime, time, timedelta, timezone
from typing import Final

from crawler.page.date_forms import EARLIEST, LATEST_AHEAD, read_date
from crawler.page.parsed import ParsedPage

# A day in a URL begins and ends where its site is.
_SAME_DAY: Final = timedelta(days=2)
_QUARTER, _MINUTE = timedelta(minutes=15), timedelta(minutes=1)
_FURTHEST_ZONE: Final = timedelta(hours=14)
# /2026/11/21/, /20261121/, /2026-11-21-title, /202611/t20261121_1.html, /news_2026-11-21.html,
# /2026/1121/, /2026/1/2/; never the middle of a longer number.
_URL_DATES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"/(20\d\d)[-/_]?(\d{2})[-/_]?(\d{2})(?=[/_.-]|$)",
        r"[/_-][a-z]?(20\d\d)-?(\d{2})-?(\d{2})(?=[_./]|$)",
        r"/(20\d\d)/(\d{1,2})/(\d{1,2})/",
    )
)

#: Places that say less than the URL does. A file's own date is when it was made: an old paper
#: that is made anew has a new one.
_UNSURE: Final = ("text", "vague", "ends", "named", "file")


def find_published(page: ParsedPage, now: datetime) -> datetime | None:
    """Find when a page was published.

    Parameters
    ----------
    page : ParsedPage
    now : datetime
        When it was fetched, aware.

    Returns
    -------
    datetime or None
        Aware, in the zone as written, so that its day is the page's; never after `now`;
        midnight in UTC for a day without a time. None if the page does not say, or nothing
        that can be believed: unknown is shown as unknown.

    Notes
    -----
    The order: JSON-LD, meta elements, time elements, unless the URL holds another day; the
    URL, text near the title, meta elements that do not say which date they give, text at the
    ends of the article, the date among a file's properties. A hint that cannot be read,
    or lies in the future, gives way to the next.
    """
    day = date_in_url(page.url, now)
    for hint in page.date_hints:
        if hint.place not in _UNSURE and (moment := read_date(hint.text, now, page.language)):
            # What the page says may be when it was changed; the URL stays as it was.
            return day if day and abs(moment - day) > _SAME_DAY else _as_shown(moment, page, now)
    if day:
        return day
    for place in _UNSURE:
        for hint in page.date_hints:
            if hint.place == place and (moment := read_date(hint.text, now, page.language)):
                return moment
    return None


def _as_shown(moment: datetime, page: ParsedPage, now: datetime) -> datetime:
    """The moment in the zone in which a byline of the page shows the same one."""
    for hint in page.date_hints:
        if hint.place == "text" and (shown := read_date(hint.text, now, page.language)):
            ahead = shown.replace(tzinfo=UTC) - moment
            zone = round(ahead / _QUARTER) * _QUARTER
            is_clock = shown.time() != time() and abs(ahead - zone) <= _MINUTE
            if is_clock and abs(zone) <= _FURTHEST_ZONE:
                return moment.astimezone(timezone(zone))
    return moment


def date_in_url(url: str, now: datetime) -> datetime | None:
    """Read the day in a URL's path; None if there is none, or none that has come.

    Parameters
    ----------
    url : str
        Canonical.
    now : datetime
        Aware.
    """
    path = "/" + url.partition("://")[2].partition("/")[2].partition("?")[0]
    for pattern in _URL_DATES:
        if match := pattern.search(path):
            year, month, day = (int(digits) for digits in match.groups()[-3:])
            try:
                moment = datetime(year, month, day, tzinfo=UTC)
            except ValueError:
                continue  # /2026/13/45/ is a number, no date.
            if EARLIEST <= moment <= now + LATEST_AHEAD:
                return min(moment, now)
    return None
