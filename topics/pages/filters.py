"""Filters and order of a list of pages, as the query string has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeVar

Choice = TypeVar("Choice", bound=StrEnum)


class Order(StrEnum):
    """How a list is sorted."""

    BEST = "best"  # by score and age, with places for new sites
    NEWEST = "newest"
    SCORE = "score"
    DAY = "day"  # the last 24 hours by score


class Show(StrEnum):
    """Which marks of the reader a list is limited to."""

    ALL = ""
    UNREAD = "unread"
    STARRED = "starred"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Filters:
    """The user's choice; unknown values in the query string count as not given.

    Attributes
    ----------
    known : bool
        List known pages too, not only news.
    since, until : date or None
        Published, or else first seen, from this day or to this day, in the reader's zone.
    term : str
        As the pages spell it.
    """

    show: Show = Show.ALL
    order: Order = Order.BEST
    new_sites: bool = False
    known: bool = False
    site: str = ""
    language: str = ""
    since: date | None = None
    until: date | None = None
    tag: str = ""
    term: str = ""

    @property
    def is_narrow(self) -> bool:
        """Whether anything but the order was chosen."""
        return self != Filters(order=self.order)

    @property
    def is_news(self) -> bool:
        """Whether news are listed, or all kept pages; else what the reader marked, however old."""
        return not self.tag and self.show not in (Show.STARRED, Show.HIDDEN)

    @property
    def n_folded(self) -> int:
        """How many of the filters are set that stand in the folded form."""
        days = (self.since, self.until)
        chosen = (self.site, self.language, *days, self.tag, self.term, self.known)
        return sum(map(bool, chosen))


def read_filters(query: Mapping[str, str]) -> Filters:
    """Read the filters of an address."""
    return Filters(
        show=_one_of(Show, query.get("show", ""), Show.ALL),
        order=_one_of(Order, query.get("order", ""), Order.BEST),
        new_sites=query.get("new") == "1",
        known=query.get("known") == "1",
        site=query.get("site", "")[:260],
        language=query.get("language", "")[:12],
        since=_day(query.get("since", "")),
        until=_day(query.get("until", "")),
        tag=query.get("tag", "")[:40].strip().lower(),
        term=query.get("term", "")[:80].strip(),
    )


def _one_of(kind: type[Choice], value: str, default: Choice) -> Choice:
    return kind(value) if value in list(kind) else default


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
