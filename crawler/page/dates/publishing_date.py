"""When was a page published? The day for which most of what the page says speaks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final, Protocol

from crawler.page.dates.date_forms import EARLIEST, LATEST_AHEAD, read_date
from crawler.page.parsed import ParsedPage

# A day in a URL begins and ends where its site is.
_SAME_DAY: Final = timedelta(days=2)
_QUARTER, _MINUTE, _HOUR = timedelta(minutes=15), timedelta(minutes=1), timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_FURTHEST_ZONE: Final = timedelta(hours=14)
#: A day shown without a clock time is that of a moment in UTC at most so far away.
_LIKELY_ZONE: Final = timedelta(hours=12)
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
_ZONE = re.compile(r"(?:(?P<utc>Z|UTC|GMT|[+-]00:?00)|[+-]\d\d:?\d\d)\W*$")

#: What each place counts for, the surest first. A file's own date is when it was made: an old
#: paper that is made anew has a new one.
_WEIGHTS: Final = {
    "jsonld": 1.0,
    "meta": 1.0,
    "time": 0.9,
    "url": 1.3,
    "text": 0.9,
    "dateline": 0.8,
    "lone": 0.6,
    "other": 0.5,
    "vague": 0.5,
    "ends": 0.5,
    "named": 0.5,
    "file": 0.3,
}
#: Where a page shows a date that may be when it was changed.
_SHOWN: Final = ("time", "lone", "text", "other", "vague", "ends", "named")
_CHANGED_SHARE: Final = 0.3
#: The hours in UTC at which a day begins where a language is spoken.
_MIDNIGHTS: Final = {
    "zh": (16,),
    "ja": (15,),
    "ko": (15,),
    **dict.fromkeys("de fr it nl pl cs sk hu sv da no fi hr sl".split(), (22, 23)),
}


class DateReader(Protocol):
    """Something that finds when a page was published, registered by name."""

    name: str

    def published(self, page: ParsedPage, now: datetime) -> datetime | None:
        """When a page was published, aware, at most `now`; None if it does not know."""


@dataclass(frozen=True, slots=True)
class _Clue:
    """A date that a page gives somewhere; one in UTC may be of the next day where it is."""

    place: str
    moment: datetime
    has_zone: bool = False
    is_in_utc: bool = False

    @property
    def day(self) -> date:
        return self.moment.date()

    @property
    def has_clock(self) -> bool:
        return self.moment.time() != time()

    def speaks_for(self, other: "_Clue") -> bool:
        """True if both may be of the day that the other one gives."""
        if self.day == other.day:
            return True
        can_move = self.is_in_utc or (self.has_zone and other.place == "url")
        if not can_move or other.has_zone or abs(self.day - other.day) > _DAY:
            return False
        if other.has_clock:
            return _zone_between(self.moment, other.moment) is not None
        return abs(_shift(self.moment, other.day)) <= _LIKELY_ZONE


def find_published(page: ParsedPage, now: datetime) -> datetime | None:
    """Find when a page was published.

    Parameters
    ----------
    now : datetime
        When it was fetched, aware.

    Returns
    -------
    datetime or None
        Aware, in the zone as written or shown, so that its day is the page's; never after
        `now`; midnight in UTC for a day without a time. None if the page does not say, or
        nothing that can be believed: unknown is shown as unknown.

    Notes
    -----
    Every place that gives a day speaks for it with its weight; the day with the largest sum
    wins, and of equal sums the one of the surer place. A day in the URL leaves only what is
    near it: what the page says may be when it was changed, the URL stays as it was. A day
    shown that the page's head gives as that of its last change counts little. What cannot be
    read, or lies in the future, does not count.
    """
    clues = _clues(page, now)
    in_url = next((clue.moment for clue in clues if clue.place == "url"), None)
    if in_url:
        clues = [clue for clue in clues if abs(clue.moment - in_url) <= _SAME_DAY]
    changed = {clue.day for clue in clues if clue.place == "changed"}
    clues = [clue for clue in clues if clue.place != "changed"]
    if not clues:
        return None
    best = max(clues, key=lambda clue: _support(clue, clues, changed))
    first = next(clue for clue in clues if clue.speaks_for(best))
    return _on_day(first, best.day, clues)


class Hints:
    """Our own reader of dates."""

    name = "hints"

    def published(self, page: ParsedPage, now: datetime) -> datetime | None:
        """As `find_published`."""
        return find_published(page, now)


def _clues(page: ParsedPage, now: datetime) -> list[_Clue]:
    """What can be read of the page's hints and its URL, the surest first."""
    clues = []
    for hint in page.date_hints:
        if moment := read_date(hint.text, now, page.language):
            zone = _ZONE.search(hint.text)
            is_in_utc = zone is not None and zone["utc"] is not None
            if is_in_utc and not moment.minute and moment.hour in _MIDNIGHTS.get(page.language, ()):
                # A day that was sent as local midnight in UTC: the page gives no hour.
                moment = moment.astimezone(timezone(_DAY - timedelta(hours=moment.hour)))
                is_in_utc = False
            clues.append(_Clue(hint.place, moment, zone is not None, is_in_utc))
    if day := date_in_url(page.url, now):
        clues.append(_Clue("url", day))
    order = list(_WEIGHTS)
    return sorted(clues, key=lambda c: order.index(c.place) if c.place in order else len(order))


def _support(day: _Clue, clues: Sequence[_Clue], changed: set[date]) -> float:
    """The sum of the weights of the places that speak for a clue's day."""
    places = {clue.place for clue in clues if clue.speaks_for(day)}
    is_change = day.day in changed and places <= set(_SHOWN)
    share = _CHANGED_SHARE if is_change else 1.0
    return share * sum(_WEIGHTS[place] for place in places)


def _on_day(clue: _Clue, day: date, clues: Sequence[_Clue]) -> datetime:
    """The clue's moment in the zone in which the page shows it, or else has that day."""
    moment = clue.moment
    for shown in clues:
        if shown.place in _SHOWN and shown.has_clock and shown.day == day:
            zone = _zone_between(moment, shown.moment)
            if zone is not None:
                return moment.astimezone(zone)
    return moment.astimezone(timezone(_shift(moment, day))) if clue.day != day else moment


def _zone_between(moment: datetime, shown: datetime) -> timezone | None:
    """The zone in which a clock shows a moment like this; None if none does."""
    ahead = shown.replace(tzinfo=UTC) - moment
    offset = round(ahead / _QUARTER) * _QUARTER
    is_zone = abs(ahead - offset) <= _MINUTE and abs(offset) <= _FURTHEST_ZONE
    return timezone(offset) if is_zone else None


def _shift(moment: datetime, day: date) -> timedelta:
    """The least whole hours by which a moment is moved to a day beside its own."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    moment = moment.astimezone(UTC)
    if moment.date() == day:
        return timedelta()
    if moment < midnight:
        return -((moment - midnight) // _HOUR) * _HOUR
    return -((moment - midnight - _DAY) // _HOUR + 1) * _HOUR


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
