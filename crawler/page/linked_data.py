"""The publishing date and the authors in a page's JSON-LD: not those of what it lists."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

#: Where an article's description may be; what hangs elsewhere (comments, reviews, items of
#: a list) has dates of its own.
_WAYS_IN = ("@graph", "mainEntity", "mainEntityOfPage")
_MAX_DEPTH = 4
_MAX_ITEMS = 100
_MAX_AUTHORS = 5
_ARTICLE = re.compile(
    r"article|posting|report$|^question$|^webpage$|^aboutpage$|^techarticle$|^creativework$", re.I
)
_ISO_DAY = re.compile(r"(?:19|20)\d\d-\d\d-\d\d(?!\d)")
# What broken JSON is searched for; Baidu's own vocabulary says pubDate.
_BROKEN = re.compile(r'"(?:datePublished|pubDate)"\s{0,20}:\s{0,20}"([^"]{4,60})"')


def published_in_linked_data(scripts: Sequence[str]) -> str:
    """Find when the page was published, as written in its JSON-LD.

    Parameters
    ----------
    scripts : sequence of str
        The page's scripts of type application/ld+json; may be broken.

    Returns
    -------
    str
        As written; "" if nothing is said, or if several articles say different things,
        as on a page that lists them.
    """
    found: dict[int, dict[str, str]] = {}
    for script in scripts:
        for rank, date in _dates(script):
            found.setdefault(rank, {}).setdefault(_day(date), date)
    if not found:
        return ""
    best = found[min(found)]
    return next(iter(best.values())) if len(best) == 1 else ""


def changed_in_linked_data(scripts: Sequence[str]) -> str:
    """When the page was last changed, as written in its JSON-LD; "" if it does not say."""
    for item in _items_of(scripts):
        date, kind = item.get("dateModified"), _kind(item)
        if isinstance(date, str) and (not kind or _ARTICLE.search(kind)):
            return date
    return ""


def _day(date: str) -> str:
    """What is written of the day: two programs write the same day with other clock times."""
    return date[:10] if _ISO_DAY.match(date) else date


def _dates(script: str) -> Iterator[tuple[int, str]]:
    """Dates with their rank: 0 for an article, 1 for the page around it."""
    try:
        data = msgspec.json.decode(script)
    except (msgspec.DecodeError, RecursionError):
        yield from ((0, date) for date in _BROKEN.findall(script)[:1])
        return
    for item in _items(data, 0):
        kind = _kind(item)
        date = item.get("datePublished") or item.get("pubDate") or item.get("dateCreated")
        if isinstance(date, str) and (not kind or _ARTICLE.search(kind)):
            yield int(kind.lower().endswith("page")), date


def _items_of(scripts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The items of all scripts that are not broken."""
    for script in scripts:
        with suppress(msgspec.DecodeError, RecursionError):
            yield from _items(msgspec.json.decode(script), 0)


def _items(data: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(data, list):
        for item in data[:_MAX_ITEMS]:
            yield from _items(item, depth + 1)
    elif isinstance(data, dict):
        yield data
        for way in _WAYS_IN:
            yield from _items(data.get(way), depth + 1)


def _kind(item: dict[str, Any]) -> str:
    """The item's type; the first if it has several."""
    kind = item.get("@type", "")
    if isinstance(kind, list):
        kind = kind[0] if kind else ""
    return str(kind)


def author_in_linked_data(scripts: Sequence[str]) -> str:
    """Return the names of the first article's authors in a page's JSON-LD; "" if none are said."""
    for item in _items_of(scripts):
        names = _names(item.get("author"))
        if names and _ARTICLE.search(_kind(item)):
            return ", ".join(dict.fromkeys(names))
    return ""


def _names(author: Any) -> list[str]:
    authors = author if isinstance(author, list) else [author]
    names = [one.get("name") if isinstance(one, dict) else one for one in authors[:_MAX_AUTHORS]]
    return [name.strip() for name in names if isinstance(name, str) and name.strip()]
