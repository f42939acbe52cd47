"""The named fields of a query, and how their values are read."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from difflib import get_close_matches
from types import MappingProxyType

from crawler.api.text import HAN
from topics.search.errors import QueryError
from topics.search.problems import QueryProblem
from topics.search.tree import Field, Numbers, Period

#: Every name of a field, as it is typed.
NAMES: Mapping[str, Field] = MappingProxyType(
    {field.value: field for field in Field}
    | {
        "intitle": Field.TITLE,
        "标题": Field.TITLE,
        "站点": Field.SITE,
        "网站": Field.SITE,
        "主题": Field.TOPIC,
        "术语": Field.TERM,
        "概念": Field.TERM,
        "语言": Field.LANG,
        "标签": Field.TAG,
        "状态": Field.IS,
        "含有": Field.HAS,
        "得分": Field.SCORE,
        "发布": Field.PUB,
        "发现": Field.SEEN,
        "早于": Field.BEFORE,
        "晚于": Field.AFTER,
    }
)
#: Values of `is:` -> their English form.
STATES: Mapping[str, str] = MappingProxyType(
    {
        "news": "news",
        "new": "news",
        "新内容": "news",
        "known": "known",
        "已知": "known",
        "newsite": "newsite",
        "新站点": "newsite",
        "relevant": "relevant",
        "相关": "relevant",
        "irrelevant": "irrelevant",
        "不相关": "irrelevant",
        "alerted": "alerted",
        "已提醒": "alerted",
        "seed": "seed",
        "种子": "seed",
        "dup": "dup",
        "重复": "dup",
        "read": "read",
        "已读": "read",
        "unread": "unread",
        "未读": "unread",
        "starred": "starred",
        "星标": "starred",
        "hidden": "hidden",
        "隐藏": "hidden",
    }
)
#: Values of `has:` -> their English form.
PARTS: Mapping[str, str] = MappingProxyType(
    {
        "date": "date",
        "日期": "date",
        "image": "image",
        "图片": "image",
        "author": "author",
        "作者": "author",
        "article": "article",
        "文章": "article",
        "pdf": "pdf",
    }
)
_LANGUAGES = {"中文": "zh", "汉语": "zh", "英文": "en", "英语": "en", "chinese": "zh"} | {
    "english": "en"
}
_DAYS = {"today": 0, "今天": 0, "yesterday": 1, "昨天": 1}
_LASTING = re.compile(r"(?:P(\d{1,5})([DWMY])|(\d{1,5})([dwmy天周]))", re.ASCII)
_DAYS_OF = {"D": 1, "W": 7, "M": 30, "Y": 365, "天": 1, "周": 7}
_DATE = re.compile(r"(\d{4})(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2})日?|月)?|年)?", re.ASCII)
_HAN = re.compile(f"[{HAN}]")
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,9})?|\.\d{1,9}", re.ASCII)

Value = str | Numbers | Period


def find_field(name: str) -> Field | None:
    """The field of a name, whatever its case and width; None if there is none."""
    return NAMES.get(unicodedata.normalize("NFKC", name).casefold())


def nearest_field(name: str) -> str:
    """A field's name that is spelt nearly like this one; "" if none is."""
    near = get_close_matches(name.casefold(), NAMES, n=1, cutoff=0.6)
    return near[0] if near else ""


def is_chinese(name: str) -> bool:
    """Whether a name of a field is one of the Chinese ones, or was meant to be."""
    return bool(_HAN.match(name))


def read_value(field: Field, typed: str, position: int, *, chinese: bool = False) -> Value:
    """Read what was typed after a field's colon.

    Parameters
    ----------
    chinese : bool
        Whether hints are in Chinese, as the field's name was.

    Raises
    ------
    QueryError
        At `position`, if the field knows no such value; its hint shows ones that it knows.
    """
    text = unicodedata.normalize("NFKC", typed).strip()
    read = _READERS.get(field)
    value: Value | None = read(text) if read else text
    if value is None:
        raise QueryError(_problem(field), position, typed, hint=_examples(field, chinese))
    return value


def _problem(field: Field) -> QueryProblem:
    if field in (Field.PUB, Field.SEEN, Field.BEFORE, Field.AFTER):
        return QueryProblem.BAD_DATE
    return QueryProblem.BAD_NUMBER if field is Field.SCORE else QueryProblem.BAD_VALUE


def _examples(field: Field, chinese: bool) -> str:
    name = name_of(field, chinese=chinese)
    match field:
        case Field.IS:
            values = _choices(STATES, chinese)
        case Field.HAS:
            values = _choices(PARTS, chinese)
        case Field.LANG:
            values = ["中文", "英文"] if chinese else ["zh", "en"]
        case Field.SITE:
            values = ["example.org"]
        case Field.SCORE:
            values = [">0.6", "0.3..0.6"]
        case _:
            values = ["2026-11", "2026-11-03", "7d"]
    return ", ".join(f"{name}{value}" for value in values)


def _choices(values: Mapping[str, str], chinese: bool) -> list[str]:
    """The values in one language; one that has no Chinese name keeps its English one."""
    names = dict(zip(values.values(), values.values(), strict=True))
    if chinese:
        names |= {value: name for name, value in values.items() if is_chinese(name)}
    return list(names.values())


def _one_of(values: Mapping[str, str]) -> Callable[[str], str | None]:
    return lambda text: values.get(text.casefold())


def _site(text: str) -> str | None:
    host = text.casefold().removeprefix("http://").removeprefix("https://").rstrip("/")
    host = host.removeprefix("*.").strip(".")
    return host if host and not re.search(r"[\s/?#@]", host) else None


def _language(text: str) -> str | None:
    code = _LANGUAGES.get(text.casefold(), text.casefold())
    return code if re.fullmatch(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", code) else None


def _numbers(text: str) -> Numbers | None:
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


def _period(text: str) -> Period | None:
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
            return Period(first=_after(days.last))
        case "<=":
            return Period(last=days.last)
        case _:
            return Period(last=_before(days.first))


def _days(text: str) -> Period | None:
    """A day, a month, a year, or the last so many days."""
    if (ago := _DAYS.get(text.casefold())) is not None:
        return Period(ago, ago)
    if lasting := _LASTING.fullmatch(text):
        count, unit = lasting[1] or lasting[3], (lasting[2] or lasting[4]).upper()
        return Period(int(count) * _DAYS_OF[unit], 0)
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


def _after(day: date | int | None) -> date | int | None:
    return _moved(day, 1)


def _before(day: date | int | None) -> date | int | None:
    return _moved(day, -1)


def _moved(day: date | int | None, by: int) -> date | int | None:
    if day is None or isinstance(day, int):
        return None if day is None else day - by
    # Years 1 and 9999 have no neighbour: nothing is stored there.
    return date.fromordinal(min(max(day.toordinal() + by, 1), date.max.toordinal()))


def _one_side(*, is_before: bool) -> Callable[[str], Period | None]:
    """`before:` and `after:` leave the named days themselves out."""

    def read(text: str) -> Period | None:
        days = _days(text)
        if days is None:
            return None
        if is_before:
            return Period(last=_before(days.first))
        return Period(first=days.first if _is_lasting(days) else _after(days.last))

    return read


_READERS: Mapping[Field, Callable[[str], Value | None]] = {
    Field.SITE: _site,
    Field.LANG: _language,
    Field.IS: _one_of(STATES),
    Field.HAS: _one_of(PARTS),
    Field.SCORE: _numbers,
    Field.PUB: _period,
    Field.SEEN: _period,
    Field.BEFORE: _one_side(is_before=True),
    Field.AFTER: _one_side(is_before=False),
}


def name_of(field: Field, *, chinese: bool = False) -> str:
    """A field's name as it is typed, with its colon."""
    names = (name for name, one in NAMES.items() if one is field and is_chinese(name) is chinese)
    return next(names) + ("：" if chinese else ":")


def names_of(fields: Iterable[Field], *, chinese: bool = False) -> str:
    """The names of some fields, as they are typed."""
    return " ".join(name_of(field, chinese=chinese) for field in fields)
