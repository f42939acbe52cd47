"""The named fields of a query, and how their values are read."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from crawler.api.text import HAN, fold
from topics.search.errors import QueryError
from topics.search.problems import QueryProblem
from topics.search.tree import Field, Value
from topics.search.values import read_ages, read_numbers, read_one_side, read_period

#: Every name of a field, as it is typed.
NAMES: Mapping[str, Field] = MappingProxyType(
    {field.value: field for field in Field if field is not Field.PATTERN}
    | {
        "intitle": Field.TITLE,
        "标题": Field.TITLE,
        "正文": Field.TEXT,
        "inurl": Field.URL,
        "网址": Field.URL,
        "作者": Field.AUTHOR,
        "规则": Field.RULE,
        "链接": Field.LINK,
        # 連結, the word of Taiwan.
        "连结": Field.LINK,
        "内容": Field.CONTENT,
        "距今": Field.AGE,
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
_STATES = (
    *("news", "known", "newsite", "relevant", "irrelevant", "alerted", "seed", "dup"),
    *("changed", "read", "unread", "starred", "hidden"),
)
#: Values of `is:` -> their English form.
STATES: Mapping[str, str] = MappingProxyType(
    {name: name for name in _STATES}
    | {
        "new": "news",
        "新内容": "news",
        "已知": "known",
        "新站点": "newsite",
        "相关": "relevant",
        "不相关": "irrelevant",
        "已提醒": "alerted",
        "种子": "seed",
        "重复": "dup",
        "有改动": "changed",
        "已读": "read",
        "未读": "unread",
        "星标": "starred",
        "隐藏": "hidden",
    }
)
#: Values of `has:` -> their English form.
PARTS: Mapping[str, str] = MappingProxyType(
    {name: name for name in ("date", "image", "author", "article", "pdf")}
    | {"日期": "date", "图片": "image", "作者": "author", "文章": "article"}
)
_LANGUAGES = {"中文": "zh", "汉语": "zh", "英文": "en", "英语": "en", "chinese": "zh"} | {
    "english": "en"
}
_HAN = re.compile(f"[{HAN}]")


def find_field(name: str) -> Field | None:
    """Return the field of a name, whatever its case, width and script; None if there is none."""
    return NAMES.get(fold(name))


def nearest_field(name: str) -> str:
    """Return a field's name that is spelt nearly like this one; "" if none is."""
    near = get_close_matches(name.casefold(), NAMES, n=1, cutoff=0.6)
    return near[0] if near else ""


def is_chinese(name: str) -> bool:
    """Return whether a name of a field is one of the Chinese ones, or was meant to be."""
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
    match field:
        case Field.PUB | Field.SEEN | Field.BEFORE | Field.AFTER:
            return QueryProblem.BAD_DATE
        case Field.SCORE | Field.LINK | Field.CONTENT:
            return QueryProblem.BAD_NUMBER
        case Field.AGE:
            return QueryProblem.BAD_AGE
        case _:
            return QueryProblem.BAD_VALUE


def _examples(field: Field, chinese: bool) -> str:
    name = typed_name(field, chinese=chinese)
    match field:
        case Field.IS:
            values = _choices(STATES, chinese)
        case Field.HAS:
            values = _choices(PARTS, chinese)
        case Field.LANG:
            values = ["中文", "英文"] if chinese else ["zh", "en"]
        case Field.SITE:
            values = ["example.org"]
        case Field.SCORE | Field.LINK | Field.CONTENT:
            values = [">0.6", "0.3..0.6"]
        case Field.AGE:
            values = ["<1周", "<12小时"] if chinese else ["<1w", "<12h"]
        case _:
            values = ["2026-11", "2026-11-03", "7d", "上周" if chinese else "lastweek"]
    return ", ".join(f"{name}{value}" for value in values)


def _choices(values: Mapping[str, str], chinese: bool) -> list[str]:
    """The values in one language; one that has no Chinese name keeps its English one."""
    names = dict(zip(values.values(), values.values(), strict=True))
    if chinese:
        names |= {value: name for name, value in values.items() if is_chinese(name)}
    return list(names.values())


def _one_of(values: Mapping[str, str]) -> Callable[[str], str | None]:
    return lambda text: values.get(fold(text))


def _folded(read: Callable[[str], Value | None]) -> Callable[[str], Value | None]:
    """Read units and days in traditional characters as in simplified ones."""
    return lambda text: read(fold(text))


def _site(text: str) -> str | None:
    host = text.casefold().removeprefix("http://").removeprefix("https://").rstrip("/")
    host = host.removeprefix("*.").strip(".")
    return host if host and not re.search(r"[\s/?#@]", host) else None


def _language(text: str) -> str | None:
    code = _LANGUAGES.get(fold(text), fold(text))
    return code if re.fullmatch(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", code) else None


_READERS: Mapping[Field, Callable[[str], Value | None]] = {
    Field.SITE: _site,
    Field.LANG: _language,
    Field.IS: _one_of(STATES),
    Field.HAS: _one_of(PARTS),
    Field.SCORE: read_numbers,
    Field.LINK: read_numbers,
    Field.CONTENT: read_numbers,
    Field.AGE: _folded(read_ages),
    Field.PUB: _folded(read_period),
    Field.SEEN: _folded(read_period),
    Field.BEFORE: _folded(read_one_side(is_before=True)),
    Field.AFTER: _folded(read_one_side(is_before=False)),
}


def typed_name(field: Field, *, chinese: bool = False) -> str:
    """Return a field's name as it is typed, with its colon."""
    names = (name for name, one in NAMES.items() if one is field and is_chinese(name) is chinese)
    return next(names) + ("：" if chinese else ":")


def names_of(fields: Iterable[Field], *, chinese: bool = False) -> str:
    """Return the names of some fields, as they are typed."""
    named = (field for field in fields if field is not Field.PATTERN)
    return " ".join(typed_name(field, chinese=chinese) for field in named)
