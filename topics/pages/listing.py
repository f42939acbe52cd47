"""Filter and order of a list of pages, as the query string has them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final, TypeVar

from django.db.models import BooleanField, Case, FilteredRelation, Q, When
from django.utils import timezone

from crawler.api.ranking import LEAST_TRUST, NewsPage, is_new_site, news_order
from crawler.api.tables import Harvest
from crawler.api.text import tokenize
from topics.models import SiteControl, Topic
from topics.pages.explain import matched_terms

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
    def is_news(self) -> bool:
        """Whether news are listed, or all kept pages; else what the reader marked, however old."""
        return not self.tag and self.show not in (Show.STARRED, Show.HIDDEN)

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
    stuffed : list of int
        Numbers of the news that stand apart; empty if a filter is set.
    n_unread, n_since : int
        Of all that is listed without filters: unread ones, and those first seen since the
        last visit.
    """

    numbers: list[int] = field(default_factory=list)
    url_ids: list[int] = field(default_factory=list)
    stuffed: list[int] = field(default_factory=list)
    choices: Choices = Choices()
    n_all: int = 0
    n_unread: int = 0
    n_since: int = 0


@dataclass(frozen=True, slots=True)
class _Row:
    pk: int
    url_id: int
    story: int | None
    score: float
    published: datetime | None
    first_seen: datetime
    domain: str
    site_seen: datetime
    site: str
    language: str
    #: The reader's marks.
    read: datetime | None
    starred: datetime | None
    hidden: str | None
    is_stuffed: bool = False

    @property
    def dated(self) -> datetime:
        return self.published or self.first_seen


_COLUMNS: Final = (
    *("pk", "url_id", "story_id", "score", "published", "first_seen"),
    *("url__site__domain", "url__site__first_seen", "url__site__name", "url__page__language"),
    *("reading__read", "reading__starred", "reading__hidden"),
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
    farms: Collection[str] = (),
    since: datetime | None = None,
) -> Listing:
    """Filter and sort the pages as the user chose.

    Parameters
    ----------
    began : datetime or None
        The end of the topic's first run, as `Crawl.baseline_end` gives it.
    farms : collection of str
        Domains whose pages count as keyword stuffing.
    since : datetime, optional
        When the person's last visit ended.
    """
    if topic.crawl is None:
        return Listing()
    found = [_Row(*row) for row in _base(topic, user, filters, now, farms)]
    rows = _one_per_story(row for row in found if not row.is_stuffed)
    if not filters.is_news:
        rows = found
    elif filters.known:
        rows = _one_per_story(found)
    visible = [row for row in rows if not row.hidden]
    shown = rows if filters.show is Show.HIDDEN else visible
    chosen = [row for row in shown if _fits(row, filters, began, now)]
    if filters.term:
        chosen = _with_term(chosen, filters.term)
    ordered = _sorted(chosen, filters.order, topic, began, now)
    return Listing(
        numbers=[row.pk for row in ordered],
        url_ids=[row.url_id for row in ordered],
        stuffed=[row.pk for row in _one_per_story(row for row in found if row.is_stuffed)],
        choices=_choices(rows),
        n_all=len(visible),
        n_unread=sum(row.read is None for row in visible),
        n_since=sum(row.first_seen > since for row in visible) if since else 0,
    )


def _base(
    topic: Topic, user: Any, filters: Filters, now: datetime, farms: Collection[str]
) -> Iterable[tuple[Any, ...]]:
    """The rows that the filters choose from, with their marks; one query."""
    own = Q(url__readings__user_id=user.pk, url__readings__topic=topic)
    marked = FilteredRelation("url__readings", condition=own)
    rows = Harvest.objects.filter(crawl=topic.crawl).annotate(reading=marked)
    columns: tuple[str, ...] = _COLUMNS
    if not filters.is_news:
        rows = rows.filter(reading__isnull=False)
        if filters.tag:
            rows = rows.filter(reading__tags__name=filters.tag)
        if filters.show is Show.STARRED:
            rows = rows.filter(reading__starred__isnull=False)
        if filters.show is Show.HIDDEN:
            rows = rows.filter(reading__hidden__gt="")
    elif filters.known:
        rows = rows.kept()
    else:
        rows = rows.news(topic.window_start(now), now).annotate(
            is_stuffed=_is_stuffed(topic, farms)
        )
        columns = (*columns, "is_stuffed")
    return rows.order_by("-score", "pk").values_list(*columns)[:MAX_LISTED]


def _is_stuffed(topic: Topic, farms: Collection[str]) -> Case:
    """As `topics.pages.not_spam` says."""
    doubtful = Q(trust__lt=LEAST_TRUST) | Q(url__site__domain__in=farms)
    trusted = Q(url__in=topic.thumbs.filter(value__gt=0).values("url"))
    rules = (SiteControl.Rule.RAISE, SiteControl.Rule.PIN)
    trusted |= Q(url__site__in=topic.sites.filter(rule__in=rules).values("site"))
    return Case(When(doubtful & ~trusted, then=True), default=False, output_field=BooleanField())


def _one_per_story(rows: Iterable[_Row]) -> list[_Row]:
    """The best page of each story; the rows are sorted."""
    first: dict[int, _Row] = {}
    for row in rows:
        first.setdefault(-row.pk if row.story is None else row.story, row)
    return list(first.values())


def _choices(rows: Iterable[_Row]) -> Choices:
    sites, languages = Counter[str](), Counter[str]()
    for row in rows:
        sites[row.site] += 1
        languages[row.language] += 1
    return Choices(
        tuple(name for name, _count in sites.most_common(MAX_SITES)),
        tuple(sorted(filter(None, languages))),
    )


def _fits(row: _Row, filters: Filters, began: datetime | None, now: datetime) -> bool:
    if filters.show is Show.UNREAD and row.read:
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
    wanted, harvests = _term_key(term), Harvest.objects.filter(pk__in=[row.pk for row in rows])
    explanations = dict(harvests.values_list("pk", "explanation"))
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
