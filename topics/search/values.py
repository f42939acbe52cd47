"""How the values of fields are read: numbers, days, periods and ages."""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import get_args

from topics.search.tree import Ages, Day, Numbers, Period, Unit, UnitStart

_DAYS = {"today": 0, "今天": 0, "yesterday": 1, "昨天": 1, "前天": 2}
_THIS = {
    "week": ("thisweek", "本周", "这周", "这个星期"),
    "month": ("thismonth", "本月", "这个月"),
    "year": ("thisyear", "今年"),
}
_LAST = {
    "week": ("lastweek", "上周", "上个星期"),
    "month": ("lastmonth", "上月", "上个月"),
    "year": ("lastyear", "去年"),
}
#: Name of a calendar unit -> its first day; the unit ends before the next one begins.
_TURNS: dict[str, UnitStart] = {
    name: UnitStart(unit, back)
    for unit in get_args(Unit)
    for back, names in ((0, _THIS[unit]), (1, _LAST[unit]))
    for name in names
}
_DAYS_OF = (
    {"d": 1, "天": 1, "日": 1, "w": 7, "周": 7, "星期": 7, "个星期": 7}
    | dict.fromkeys(("m", "月", "个月"), 30)
    | dict.fromkeys(("y", "年"), 365)
)
_HOURS_OF = {"h": 1, "小时": 1} | {unit: 24 * days for unit, days in _DAYS_OF.items()}
_LASTING = re.compile(r"p?(\d{1,5})([dwmy]|天|日|周|个?星期|个?月|年)", re.ASCII)
_AGE = re.compile(r"(?:pt?)?(\d{1,5})([hdwmy]|小时|天|日|周|个?星期|个?月|年)", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?|年)?", re.ASCII)
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,9})?|\.\d{1,9}", re.ASCII)


def read_numbers(text: str) -> Numbers | None:
    """Read a number, a least or greatest one, or a range; None if it is none of these."""
    low, dots, high = text.partition("..")
    if dots:
        ends = _number(low), _number(high)
        return None if None in ends else Numbers(*ends)
    sign = next((s for s in (">=", "<=", ">", "<", "=") if text.startswith(s)), "")
    number = _number(text.removeprefix(sign))
    if number is None:
        return None
    match sign:
        case ">" | ">=":
            return Numbers(low=number, open_low=sign == ">")
        case "<" | "<=":
            return Numbers(high=number, open_high=sign == "<")
        case "=":
            return Numbers(number, number)
        case _:
            # A score is never exactly what one types: a bare number is the least.
            return Numbers(low=number)


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def read_period(text: str) -> Period | None:
    """Read a day, a period, what lies before or after one, or a range; None if it is none."""
    first, dots, last = text.partition("..")
    if dots:
        one, other = _days(first), _days(last)
        return None if one is None or other is None else Period(one.first, other.last)
    sign = next((s for s in (">=", "<=", ">", "<") if text.startswith(s)), "")
    days = _days(text.removeprefix(sign))
    if days is None or not sign:
        return days
    if _is_lasting(days):
        return None
    match sign:
        case ">=":
            return Period(first=days.first)
        case ">":
            return Period(first=_moved(days.last, 1))
        case "<=":
            return Period(last=days.last)
        case _:
            return Period(last=_moved(days.first, -1))


def _days(text: str) -> Period | None:
    """A day, week, month or year, or the last so many days."""
    if (ago := _DAYS.get(text.casefold())) is not None:
        return Period(ago, ago)
    if (turn := _TURNS.get(re.sub(r"[\s_-]", "", text.casefold()))) is not None:
        return Period(turn, UnitStart(turn.unit, turn.back - 1, -1))
    # A bare year such as 2026年 is a date.
    if (lasting := _LASTING.fullmatch(text.casefold())) and not _DATE.fullmatch(text):
        return Period(int(lasting[1]) * _DAYS_OF[lasting[2]], 0)
    if (found := _DATE.fullmatch(text)) is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        if year is None or month is None:
            return Period(date(year or 0, 1, 1), date(year or 0, 12, 31))
        if day is None:
            return Period(date(year, month, 1), date(year, month, monthrange(year, month)[1]))
        return Period(date(year, month, day), date(year, month, day))
    except ValueError:
        return None


def _is_lasting(days: Period) -> bool:
    return isinstance(days.first, int) and days.first != days.last


def _moved(day: Day | None, by: int) -> Day | None:
    match day:
        case None:
            return None
        case int():
            return day - by
        case UnitStart():
            return replace(day, days=day.days + by)
        case _:
            # Years 1 and 9999 have no neighbour: nothing is stored there.
            return date.fromordinal(min(max(day.toordinal() + by, 1), date.max.toordinal()))


def read_one_side(*, is_before: bool) -> Callable[[str], Period | None]:
    """`before:` and `after:` leave the named days themselves out."""

    def read(text: str) -> Period | None:
        days = _days(text)
        if days is None:
            return None
        if is_before:
            return Period(last=_moved(days.first, -1))
        return Period(first=days.first if _is_lasting(days) else _moved(days.last, 1))

    return read


def read_ages(text: str) -> Ages | None:
    """Read an age, a least or greatest one, or a range; a bare age is the greatest."""
    first, dots, last = text.partition("..")
    if dots:
        one, other = _age(first), _age(last)
        return None if one is None or other is None else Ages(one, other)
    sign = next((s for s in (">=", "<=", ">", "<") if text.startswith(s)), "<")
    age = _age(text.removeprefix(sign))
    if age is None:
        return None
    return Ages(least=age) if sign.startswith(">") else Ages(most=age)


def _age(text: str) -> timedelta | None:
    found = _AGE.fullmatch(text.strip().casefold())
    if found is None:
        return None
    return timedelta(hours=int(found[1]) * _HOURS_OF[found[2]])
