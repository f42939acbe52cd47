"""Dates as people and programs write them, in Chinese and English, read into moments."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Final

#: What is older than the web is a mistake, a default or a trick.
EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
#: Clocks and time zones differ by so much; what lies further ahead is not believed.
LATEST_AHEAD: Final = timedelta(days=1)
#: No date is longer than this with all that belongs to it.
MAX_CHARS: Final = 200

# A clock time on a Chinese page without a zone is China's.
_CHINA = timezone(timedelta(hours=8))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
#: Month names of other languages, by their first letters; May and some others are English too.
_FOREIGN_MONTHS: Final = (
    "jän jan gen ene sty янв січ oca tamm",
    "feb fév fev lut фев лют şub helm",
    "mär mar mrt maa мар бер",
    "avr abr apr kwi апр кві nis huht",
    "mai mag mei may maj maio мая тра touk",
    "juin jun giu cze июн чер haz kesä",
    "juil jul lug lip июл лип tem hein",
    "aug aoû aou ago sie авг сер ağu agu elok",
    "sep set wrz сен вер eyl syys",
    "okt oct ott out paź окт жов eki loka",
    "nov lis ноя kas marr",
    "dez déc dec dic gru des дек ara joul",
)
_MONTH_NUMBERS: Final = {
    name: number for number, names in enumerate(_FOREIGN_MONTHS, 1) for name in names.split()
}
_FOREIGN_MONTH = (
    r"((?:" + "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True)) + r")[^\W\d_]{0,8})"
)
#: Languages in which 3/4/2026 may be either: English is written in two ways, those of East
#: Asia put the year first, of an unknown one nothing is known.
_EITHER: Final = frozenset(("", "en", "zh", "ja", "ko"))
_YEAR = r"(?<![\d-])((?:19|20)\d\d)"
_NUMERALS = {numeral: digit for digit, numeral in enumerate("〇一二三四五六七八九十")} | {
    "○": 0,
    "零": 0,
}
_NUMERAL = "[〇○零一二三四五六七八九十]"
# Years of the Republic of China, as its offices write them, begin after this one.
_REPUBLIC = 1911

_CLOCK = re.compile(
    r"(?:\s*[(（]?(?:星期|[周週])[一二三四五六日天][)）]?)?"
    r"(?:\s*(?:T|at|,|\||·|-|–)\s*|\s+)?"
    r"(?P<half>上午|下午|晚上|凌晨|中午)?\s?"
    r"(?<!\d)(?P<hour>\d{1,2})\s?[:：时時点點]\s?(?P<minute>\d{2})(?!\d)"
    r"(?:[:：分]\s?(?P<second>\d{2}))?(?:[.,]\d{1,9})?"
    r"\s?(?P<half_en>[ap]\.?m\b)?"
    r"\s?\(?(?:(?P<utc>Z\b|UTC|GMT)?\s?(?P<offset>[+-]\d\d:?\d\d(?!\d)|(?<=UTC|GMT)[+-]\d\d?(?!\d))?)",
    re.IGNORECASE,
)
_UNITS = {
    **dict.fromkeys(("秒", "second", "sec"), timedelta(seconds=1)),
    **dict.fromkeys(("分钟", "分鐘", "分", "minute", "min"), timedelta(minutes=1)),
    **dict.fromkeys(("小时", "小時", "hour", "hr", "h"), timedelta(hours=1)),
    **dict.fromkeys(("天", "日", "day", "d"), timedelta(days=1)),
    **dict.fromkeys(("周", "週", "星期", "week", "w"), timedelta(weeks=1)),
    **dict.fromkeys(("月", "month"), timedelta(days=30)),
    **dict.fromkeys(("年", "year"), timedelta(days=365)),
}
_DAYS_AGO = {
    "大前天": 3,
    "前天": 2,
    "昨天": 1,
    "昨日": 1,
    "yesterday": 1,
    "今天": 0,
    "今日": 0,
    "today": 0,
}

# A form gives a day, which a clock time may follow, or the moment itself; None if the day does not
# exist, or if it could be either of two.
_Reading = date | datetime | None
_Form = Callable[[re.Match[str], datetime], _Reading]


def read_date(text: str, now: datetime, language: str = "") -> datetime | None:
    """Read the first date of a short text.

    Parameters
    ----------
    text : str
        A byline or an attribute's value; only its first `MAX_CHARS` characters count.
    now : datetime
        When the text was fetched, aware: what "3 hours ago" counts from.
    language : str, default ""
        The page's: clock times without a zone are China's for "zh", else UTC. 3/4/2026 is
        3 April where that is how its language is written.

    Returns
    -------
    datetime or None
        Aware, in the zone as written, from `EARLIEST` to `now`: up to `LATEST_AHEAD` ahead
        counts as now, later counts as no date. A day without a clock time is its midnight in
        UTC. None for no date, an impossible one, and one that could be either of two
        (3/4/2026 in English).
    """
    text = text[:MAX_CHARS].strip()
    zone: tzinfo = _CHINA if language == "zh" else UTC
    forms = _FORMS if language in _EITHER else _DAY_FIRST_FORMS
    found = [(match.start(), form, match) for p, form in forms if (match := p.search(text))]
    for _, form, match in sorted(found, key=lambda item: item[0]):
        reading = form(match, now.astimezone(zone))
        if reading is not None:
            return _believed(_moment(reading, text[match.end() :], zone), now)
    return None


def _moment(reading: date | datetime, rest: str, zone: tzinfo) -> datetime:
    """Put a day and the clock time after it together."""
    if isinstance(reading, datetime):
        return reading
    midnight = datetime(reading.year, reading.month, reading.day, tzinfo=UTC)
    clock = _CLOCK.match(rest)
    if clock is None:
        return midnight
    hour, minute, second = int(clock["hour"]), int(clock["minute"]), int(clock["second"] or 0)
    half = (clock["half"] or clock["half_en"] or "").lower()
    if half and half[0] in "下晚p" and hour < 12:
        hour += 12
    elif half and half[0] in "凌a" and hour == 12:
        hour = 0
    if hour > 23 or minute > 59:
        return midnight
    time = midnight.replace(hour=hour, minute=minute, second=min(second, 59))
    return time.replace(tzinfo=_zone(clock, zone))


def _zone(clock: re.Match[str], default: tzinfo) -> tzinfo:
    if clock["offset"]:
        digits = clock["offset"].replace(":", "")
        offset = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:] or 0))
        if offset <= timedelta(hours=14):  # No clock on earth is further away.
            return timezone(-offset if digits[0] == "-" else offset)
    return UTC if clock["utc"] else default


def _believed(moment: datetime, now: datetime) -> datetime | None:
    if not EARLIEST <= moment <= now + LATEST_AHEAD:
        return None
    return min(moment, now)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None  # 30 February does not exist, so this is not a date.


def _groups(year: int, month: int, day: int) -> _Form:
    """The form whose groups of these numbers are the parts of a day."""
    return lambda match, _now: _day(int(match[year]), _month(match[month]), int(match[day]))


def _foreign(match: re.Match[str], _now: datetime) -> _Reading:
    """Read 5. Juni 2015, 13 juin 2019, 2 de mayo de 2021."""
    name = match[2].lower()
    month = _MONTH_NUMBERS.get(name[:4]) or _MONTH_NUMBERS.get(name[:3])
    return _day(int(match[3]), month, int(match[1])) if month else None


def _month(name: str) -> int:
    return int(name) if name.isdecimal() else _MONTHS.index(name[:3].lower()) + 1


def _year_last(match: re.Match[str], _now: datetime) -> _Reading:
    """Read 21.11.2026 and 11/21/2026; 3/4/2026 is March to some and April to others."""
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if match[2] == "." or first > 12 or first == second:
        return _day(year, second, first)
    return _day(year, first, second) if second > 12 else None


def _short_year(match: re.Match[str], now: datetime) -> _Reading:
    """Read 21.11.26; not before 2000."""
    year = 2000 + int(match[3])
    return _day(year, int(match[2]), int(match[1])) if year <= now.year else None


def _short_year_or_month(match: re.Match[str], now: datetime) -> _Reading:
    """Read 21/11/26 and 11/21/26, where only one of the two is a month."""
    first, second = int(match[1]), int(match[2])
    year = 2000 + int(match[3])
    if year > now.year or (first <= 12 and second <= 12 and first != second):
        return None
    return _day(year, first, second) if second > 12 else _day(year, second, first)


def _numerals(match: re.Match[str], _now: datetime) -> _Reading:
    """Read 二〇二六年十一月二十一日."""
    year = int("".join(str(_NUMERALS[c]) for c in match[1]))
    return _day(year, _tens(match[2]), _tens(match[3])) if 1990 <= year < 2100 else None


def _republic(match: re.Match[str], _now: datetime) -> _Reading:
    return _day(int(match[1]) + _REPUBLIC, int(match[2]), int(match[3]))


def _tens(numeral: str) -> int:
    tens, ten, ones = numeral.rpartition("十")
    if not ten:
        return _NUMERALS[numeral[-1]] if len(numeral) == 1 else 0
    return 10 * (_NUMERALS[tens[-1]] if tens else 1) + (_NUMERALS[ones[0]] if ones else 0)


def _without_year(match: re.Match[str], now: datetime) -> _Reading:
    """The latest such day that is not ahead."""
    month, day = int(match[1]), int(match[2])
    this_year = _day(now.year, month, day)
    if this_year and this_year <= now.date():
        return this_year
    return _day(now.year - 1, month, day)


def _ago(match: re.Match[str], now: datetime) -> _Reading:
    number, unit = match[1].lower(), match[2].lower()
    n = 0.5 if number == "半" else 1 if number in ("a", "an", "one", "一") else int(number)
    return now - n * _UNITS[unit]


def _days_ago(match: re.Match[str], now: datetime) -> _Reading:
    return now.date() - timedelta(days=_DAYS_AGO[match[1].lower()])


def _just_now(_match: re.Match[str], now: datetime) -> _Reading:
    return now


def _unix_time(match: re.Match[str], _now: datetime) -> _Reading:
    return datetime.fromtimestamp(int(match[1]), UTC)


def _compiled(*forms: tuple[str, _Form]) -> tuple[tuple[re.Pattern[str], _Form], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), form) for pattern, form in forms)


_YEAR_LAST = r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d\d)(?!\.?\d)"

# Every number has a bound and nothing repeats inside a repetition: hostile text stays cheap.
_FORMS: Final = _compiled(
    (_YEAR + r"\s?([-/.年년])\s?(\d{1,2})\s?(?:\2|月|월)\s?(\d{1,2})(?!\d)日?", _groups(1, 3, 4)),
    (r"(?<!\d)(20\d\d)(0[1-9]|1[0-2])([0-3]\d)(?!\d)", _groups(1, 2, 3)),
    (
        r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[\s-]?(?:of\s)?"
        + _MONTH
        + r",?[\s-]((?:19|20)\d\d)(?!\d)",
        _groups(3, 2, 1),
    ),
    (
        r"(?<!\d)(\d{1,2})(?:(?:\.|er|º|°)?\s|\.)(?:de\s|di\s)?"
        + _FOREIGN_MONTH
        + r"\.?,?\s(?:de\s|del\s)?((?:19|20)\d\d)(?!\d)",
        _foreign,
    ),
    (r"\b" + _MONTH + r"\s?(\d{1,2})(?:st|nd|rd|th)?,?\s((?:19|20)\d\d)(?!\d)", _groups(3, 1, 2)),
    # A year of two digits stands alone or before a clock time; 10.13.22 is a version.
    (r"(?<![\d.,/-])([0-3]\d)\.([01]\d)\.(\d\d)(?![\d.]|,\d)", _short_year),
    (r"(?<![\d./-])(\d\d)/(\d\d)/(\d\d)(?=,?\s\d{1,2}:\d\d|\s?[|·)]|$)", _short_year_or_month),
    # The boxes of a calendar leaf, run together.
    (r"\b" + _MONTH + r"\s?(\d\d)((?:19|20)\d\d)(?!\d)", _groups(3, 1, 2)),
    (_YEAR_LAST, _year_last),
    (f"({_NUMERAL}{{4}})年({_NUMERAL}{{1,2}})月({_NUMERAL}{{1,3}})日", _numerals),
    (r"民[国國]\s?(\d{2,3})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日", _republic),
    (r"(?<![\d年/.-])\s?(\d{1,2})月(\d{1,2})日", _without_year),
    (r"(?<![\d./-])(\d{1,2})-(\d{1,2})(?=\s\d{1,2}:\d\d(?!\d))", _without_year),
    (
        r"(?<![\d.])(\d{1,3}|半|一)\s?[个個]?(秒|分[钟鐘]|分|小[时時]|天|日|[周週]|星期|月|年)之?前",
        _ago,
    ),
    (
        r"(?<![\d.])\b(\d{1,3}|an?|one)\s(second|sec|minute|min|hour|hr|day|week|month|year)s?\sago\b",
        _ago,
    ),
    (r"(?<![\d.])\b(\d{1,3})\s?([hdw])\sago\b", _ago),
    (r"(大前天|前天|昨天|昨日|今天|今日|\byesterday\b|\btoday\b)", _days_ago),
    (r"刚刚|剛剛|\bjust now\b", _just_now),
    (r"^(\d{10})(?:\d{3})?$", _unix_time),
)
_DAY_FIRST_FORMS: Final = (*_FORMS, *_compiled((_YEAR_LAST, _groups(4, 3, 1))))
