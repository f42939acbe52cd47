"""The pages of a topic that a reader's filters choose, in the order they chose."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db.models import BooleanField, Case, FilteredRelation, Q, QuerySet, Value, When

from crawler.api.ranking import LEAST_TRUST, NewsPage, is_new_site, news_order
from crawler.api.tables import Harvest
from crawler.api.text import tokenize
from focusweb.database import number_list
from focusweb.prepared import prepared
from topics.models import Reading, Topic
from topics.pages.explain import found_terms
from topics.pages.filters import Filters, Order, Show
from topics.pages.not_spam import is_trusted_in
from topics.rules.days import day_of

#: Older news are found by search.
MAX_LISTED: Final = 3000
#: Sites that the filter offers, those with most pages first.
MAX_SITES: Final = 30
#: News whose quotes are stored: those of the first screen, and some more as a person hides some.
N_FIRST: Final = 40
N_STUFFED_FIRST: Final = 10
DAY: Final = timedelta(days=1)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


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
    numbers : list of int
        Negative for a change of a page.
    n_pages : int
        Of `numbers`, those of pages.
    stuffed : list of int
        Numbers of the news that stand apart; empty if a filter is set.
    n_unread : int
        Unread entries that the filters choose, whether read ones are listed beside them or not.
    n_since : int
        Pages first seen since the last visit, of all that is listed without filters.
    n_hidden : int
        Pages that the person hid, of all that the filters choose from.
    """

    numbers: list[int] = field(default_factory=list)
    url_ids: list[int] = field(default_factory=list)
    stuffed: list[int] = field(default_factory=list)
    choices: Choices = Choices()
    n_pages: int = 0
    n_all: int = 0
    n_unread: int = 0
    n_since: int = 0
    n_hidden: int = 0

    @property
    def n_changes(self) -> int:
        """Changes of pages among what is listed."""
        return len(self.numbers) - self.n_pages


class _Row(NamedTuple):
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
    is_stuffed: bool = False
    #: The reader's marks.
    read: datetime | None = None
    hidden: str | None = None

    @property
    def dated(self) -> datetime:
        return self.published or self.first_seen


_COLUMNS: Final = (
    *("pk", "url_id", "story_id", "score", "published", "first_seen"),
    *("url__site__domain", "url__site__first_seen", "url__site__name", "url__page__language"),
)
_MARKS: Final = ("reading__read", "reading__hidden")

_MOMENTS: Final = tuple(map(_Row._fields.index, ("published", "first_seen", "site_seen")))

#: A row of the news as JSON holds it, with seconds since 1970 for moments.
StoredRow = list[Any]


@dataclass(frozen=True, slots=True)
class ChangedPage:
    """A change of a watched page that is listed among the news."""

    pk: int
    score: float
    found: datetime


def list_pages(
    topic: Topic,
    user: Any,
    filters: Filters,
    now: datetime,
    *,
    began: datetime | None,
    farms: Collection[str] = (),
    since: datetime | None = None,
    stored: Sequence[StoredRow] | None = None,
    changes: Sequence[ChangedPage] = (),
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
    stored : sequence of lists, optional
        The news as `stored_news` gave them lately; without it, the database is searched.
    changes : sequence of ChangedPage
        Listed among the news, unless a filter but "unread" is set.
    """
    if topic.crawl is None:
        return Listing()
    if stored is not None and filters.is_news and not filters.known:
        found = _with_marks(stored, topic, user)
    else:
        found = _found(topic, user, filters, now, farms)
    rows = found
    if filters.is_news:
        rows = _one_per_story(row for row in found if not row.is_stuffed)
    visible = [row for row in rows if not row.hidden]
    shown = rows if filters.show is Show.HIDDEN else visible
    fitting = [row for row in shown if _fits(row, filters, began, now)]
    if filters.term:
        fitting = _with_term(fitting, filters.term)
    unread = [row for row in fitting if row.read is None]
    chosen = unread if filters.show is Show.UNREAD else fitting
    changed = [*_changed_rows(changes, filters, now)]
    ordered = _sorted([*chosen, *changed], filters.order, topic, began, now)
    return Listing(
        numbers=[row.pk for row in ordered],
        url_ids=[row.url_id for row in ordered if row.pk > 0],
        stuffed=[row.pk for row in _one_per_story(row for row in found if row.is_stuffed)],
        choices=_choices(rows),
        n_pages=len(chosen),
        n_all=len(visible),
        n_unread=len(unread) + len(changed),
        n_since=sum(row.first_seen > since for row in visible) if since else 0,
        n_hidden=len(rows) - len(visible),
    )


def stored_news(topic: Topic, now: datetime, farms: Collection[str]) -> list[StoredRow]:
    """Return the news of a topic, for `list_pages`; nothing in them depends on who reads them."""
    rows = _news(topic, now, farms).values_list(*_COLUMNS, "is_stuffed")[:MAX_LISTED]
    return [
        [value.timestamp() if isinstance(value, datetime) else value for value in row]
        for row in rows
    ]


def listed_first(
    stored: Iterable[StoredRow], topic: Topic, now: datetime, *, began: datetime | None
) -> list[int]:
    """Numbers of the stored news that a person sees first, and of the first stuffed ones."""
    rows = [_row(row) for row in stored]
    news = _one_per_story(row for row in rows if not row.is_stuffed)
    stuffed = _one_per_story(row for row in rows if row.is_stuffed)
    ordered = _sorted(news, Order.BEST, topic, began, now)
    return [row.pk for row in [*ordered[:N_FIRST], *stuffed[:N_STUFFED_FIRST]]]


def count_stories(stored: Iterable[StoredRow]) -> int:
    """Return the number of stories among stored news, without stuffed pages."""
    rows = (_row(row) for row in stored)
    return len(_one_per_story(row for row in rows if not row.is_stuffed))


def _with_marks(stored: Sequence[StoredRow], topic: Topic, user: Any) -> list[_Row]:
    """The rows of stored news, with the reader's marks; one query."""
    own = _marks_among(user.pk, topic.pk, [row[1] for row in stored])
    marks = {url: (read, hidden) for url, read, hidden in own}
    return [_row(row, *marks.get(row[1], (None, None))) for row in stored]


@prepared
def _marks_among(user: int, topic: int, urls: Sequence[int]) -> QuerySet[Any, Any]:
    own = Reading.objects.filter(user=user, topic=topic, url__in=number_list(urls))
    return own.values_list("url", "read", "hidden")


def _row(stored: StoredRow, read: datetime | None = None, hidden: str | None = None) -> _Row:
    values = [*stored, read, hidden]
    for place in _MOMENTS:
        if values[place] is not None:
            values[place] = datetime.fromtimestamp(values[place], UTC)
    return _Row._make(values)


def _found(
    topic: Topic, user: Any, filters: Filters, now: datetime, farms: Collection[str]
) -> list[_Row]:
    """The rows that the filters choose from, with their marks; one query."""
    own = Q(url__readings__user_id=user.pk, url__readings__topic=topic)
    marked = FilteredRelation("url__readings", condition=own)
    if filters.is_news and not filters.known:
        rows: Any = _news(topic, now, farms)
    else:
        unknown = Value(False, output_field=BooleanField())
        rows = Harvest.objects.filter(crawl=topic.crawl).annotate(is_stuffed=unknown)
    rows = rows.annotate(reading=marked)
    if filters.is_news:
        rows = rows.kept()
    else:
        rows = rows.filter(reading__isnull=False)
        if filters.tag:
            rows = rows.filter(reading__tags__name=filters.tag)
        if filters.show is Show.STARRED:
            rows = rows.filter(reading__starred__isnull=False)
        if filters.show is Show.HIDDEN:
            rows = rows.filter(reading__hidden__gt="")
    rows = rows.order_by("-score", "pk")
    columns = (*_COLUMNS, "is_stuffed", *_MARKS)
    return [_Row(*row) for row in rows.values_list(*columns)[:MAX_LISTED]]


def _news(topic: Topic, now: datetime, farms: Collection[str]) -> Any:
    """The news of a topic, each with whether it is stuffed; best first."""
    news = Harvest.objects.filter(crawl=topic.crawl).news(topic.window_start(now), now)
    return news.annotate(is_stuffed=_is_stuffed(topic, farms))


def _changed_rows(
    changes: Sequence[ChangedPage], filters: Filters, now: datetime
) -> Iterator[_Row]:
    """Changes as rows of the list, with negative numbers."""
    if replace(filters, order=Order.BEST, show=Show.ALL) != Filters():
        return
    if filters.show not in (Show.ALL, Show.UNREAD):
        return
    for one in changes:
        # The places of new sites are for pages.
        row = _Row(-one.pk, 0, None, one.score, None, one.found, "", EPOCH, "", "")
        if filters.order is not Order.DAY or one.found >= now - DAY:
            yield row


def _is_stuffed(topic: Topic, farms: Collection[str]) -> Case:
    """As `topics.pages.not_spam` says."""
    stuffed = Q(trust__lt=LEAST_TRUST) | Q(url__site__domain__in=farms)
    stuffed &= ~is_trusted_in(topic)
    return Case(When(stuffed, then=True), default=False, output_field=BooleanField())


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
    """Whether a page fits all filters but the marks of a reader."""
    if filters.new_sites and not is_new_site(row.site_seen, began, now):
        return False
    if filters.site and row.site != filters.site:
        return False
    if filters.language and row.language != filters.language:
        return False
    if filters.order is Order.DAY and row.dated < now - DAY:
        return False
    if filters.since is None and filters.until is None:
        return True
    day = day_of(row.dated)
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
            for found, via in found_terms(explanations.get(row.pk, {}))
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
        return sorted(rows, key=lambda row: (-row.score, row.pk))
    by_number = {row.pk: row for row in rows}
    pages = (NewsPage(row.pk, row.score, row.dated, row.domain, row.site_seen) for row in rows)
    return [by_number[key] for key in news_order(pages, topic.news_halved_days, began, now)]
