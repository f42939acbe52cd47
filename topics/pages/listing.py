"""Filter and order of a list of pages, as the query string has them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, TypeVar

from django.utils import timezone

from crawler.api.ranking import NewsPage, is_new_site, news_order
from crawler.api.tables import Harvest, HarvestQuerySet
from crawler.api.text import tokenize
from topics.models import Reading, Topic
from topics.pages.explain import matched_terms
from topics.pages.not_spam import fair_news

Choice = TypeVar("Choice", bound=StrEnum)

#: Older news are found by search.
MAX_LISTED: Final = 3000
#: Sites that the filter offers, those with most pages first.
MAX_SITES: Final = 30
DAY: Final = timedelta(days=1)


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
    def n_folded(self) -> int:
        """How many of the filters are set that stand in the folded form."""
        days = (self.since, self.until)
        chosen = (self.site, self.language, *days, self.tag, self.term, self.known)
        return sum(map(bool, chosen))


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters of a list offer."""

    sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """The pages to list, by number of the harvest and of the URL, with counts of the whole.

    Attributes
    ----------
    n_unread, n_since : int
        Of all that is listed without filters: unread ones, and those first seen since the
        last visit.
    """

    numbers: list[int] = field(default_factory=list)
    url_ids: list[int] = field(default_factory=list)
    choices: Choices = Choices()
    n_all: int = 0
    n_unread: int = 0
    n_since: int = 0


@dataclass(frozen=True, slots=True)
class _Row:
    pk: int
    url_id: int
    score: float
    published: datetime | None
    first_seen: datetime
    domain: str
    site_seen: datetime
    site: str
    language: str

    @property
    def dated(self) -> datetime:
        return self.published or self.first_seen


_COLUMNS: Final = (
    *("pk", "url_id", "score", "url__page__published", "first_seen"),
    *("url__site__domain", "url__site__first_seen", "url__site__name", "url__page__language"),
)


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


def list_pages(
    topic: Topic,
    user: Any,
    filters: Filters,
    now: datetime,
    *,
    began: datetime | None,
    since: datetime | None = None,
) -> Listing:
    """Filter and sort the pages as the user chose.

    Parameters
    ----------
    began : datetime or None
        The end of the topic's first run, as `Crawl.baseline_end` gives it.
    since : datetime, optional
        When the person's last visit ended.
    """
    if topic.crawl is None:
        return Listing()
    marks = _marks(topic, user, topic.window_start(now), filters)
    rows = [_Row(*row) for row in _base(topic, filters, marks, now)]
    visible = [row for row in rows if not marks.get(row.url_id, _NONE).hidden]
    shown = rows if filters.show is Show.HIDDEN else visible
    chosen = [row for row in shown if _fits(row, filters, marks, began, now)]
    if filters.term:
        chosen = _with_term(chosen, filters.term)
    ordered = _sorted(chosen, filters.order, topic, began, now)
    return Listing(
        numbers=[row.pk for row in ordered],
        url_ids=[row.url_id for row in ordered],
        choices=_choices(rows),
        n_all=len(visible),
        n_unread=sum(not marks.get(row.url_id, _NONE).read for row in visible),
        n_since=sum(row.first_seen > since for row in visible) if since else 0,
    )


@dataclass(frozen=True, slots=True)
class _Mark:
    read: bool = False
    starred: bool = False
    hidden: bool = False


_NONE = _Mark()


def _marks(topic: Topic, user: Any, oldest: datetime, filters: Filters) -> dict[int, _Mark]:
    rows = Reading.objects.of(user, topic)
    if not _is_wide(filters):
        # A page of the window was seen, and so marked, within the window.
        rows = rows.filter(changed__gte=oldest)
    columns = rows.values_list("url_id", "read", "starred", "hidden")
    return {url_id: _Mark(bool(read), bool(star), bool(hid)) for url_id, read, star, hid in columns}


def _is_wide(filters: Filters) -> bool:
    """Whether known pages are listed too: what is starred, hidden or tagged is, however old."""
    return bool(filters.known or filters.tag or filters.show in (Show.STARRED, Show.HIDDEN))


def _base(
    topic: Topic, filters: Filters, marks: Mapping[int, _Mark], now: datetime
) -> Iterable[tuple[Any, ...]]:
    rows: HarvestQuerySet
    if filters.show in (Show.STARRED, Show.HIDDEN) or filters.tag:
        own = Reading.objects.filter(topic=topic)
        if filters.tag:
            own = own.filter(tags__name=filters.tag)
        if filters.show is Show.STARRED:
            own = own.exclude(starred=None)
        if filters.show is Show.HIDDEN:
            own = own.exclude(hidden="")
        rows = Harvest.objects.filter(crawl=topic.crawl, url__in=own.values("url"))
    elif filters.known:
        rows = Harvest.objects.filter(crawl=topic.crawl).kept().one_per_story()
    else:
        rows = fair_news(topic, now).one_per_story()
    return rows.order_by("-score", "pk").values_list(*_COLUMNS)[:MAX_LISTED]


def _choices(rows: Iterable[_Row]) -> Choices:
    sites, languages = Counter[str](), Counter[str]()
    for row in rows:
        sites[row.site] += 1
        languages[row.language] += 1
    return Choices(
        tuple(name for name, _count in sites.most_common(MAX_SITES)),
        tuple(sorted(filter(None, languages))),
    )


def _fits(
    row: _Row,
    filters: Filters,
    marks: Mapping[int, _Mark],
    began: datetime | None,
    now: datetime,
) -> bool:
    mark = marks.get(row.url_id, _NONE)
    if filters.show is Show.UNREAD and mark.read:
        return False
    if filters.show is Show.STARRED and not mark.starred:
        return False
    if filters.show is Show.HIDDEN and not mark.hidden:
        return False
    if filters.new_sites and not is_new_site(row.site_seen, began, now):
        return False
    if filters.site and row.site != filters.site:
        return False
    if filters.language and row.language != filters.language:
        return False
    if filters.order is Order.DAY and row.dated < now - DAY:
        return False
    day = timezone.localdate(row.dated)
    return (filters.since or day) <= day <= (filters.until or day)


def _with_term(rows: list[_Row], term: str) -> list[_Row]:
    """Keep pages that a term was found on, as it is spelt there or as the judge knows it."""
    wanted, told = _term_key(term), Harvest.objects.filter(pk__in=[row.pk for row in rows])
    explanations = dict(told.values_list("pk", "explanation"))
    return [
        row
        for row in rows
        if any(
            wanted & {*_term_key(found), *_term_key(via)}
            for found, via in matched_terms(explanations.get(row.pk, {}))
        )
    ]


def _term_key(term: str) -> frozenset[str]:
    """The spellings under which a term may stand in an explanation: as typed, or as tokens."""
    return frozenset(filter(None, {term.lower(), " ".join(tokenize(term))}))


def _sorted(
    rows: list[_Row], order: Order, topic: Topic, began: datetime | None, now: datetime
) -> list[_Row]:
    if order is Order.NEWEST:
        return sorted(rows, key=lambda row: (row.dated, row.score), reverse=True)
    if order in (Order.SCORE, Order.DAY):
        return rows  # as the database sorted them
    by_number = {row.pk: row for row in rows}
    pages = (NewsPage(row.pk, row.score, row.dated, row.domain, row.site_seen) for row in rows)
    return [by_number[key] for key in news_order(pages, topic.news_halved_days, began, now)]
