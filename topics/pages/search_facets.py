"""How the pages of a search divide: by topic, site, language, time and state, with counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import reduce
from heapq import nsmallest
from itertools import accumulate, chain
from operator import add, attrgetter
from typing import Any, NamedTuple, TypeVar

from django.db.models import Case, QuerySet, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from crawler.api.ranking import NEW_SITE
from crawler.api.tables import Harvest
from focusweb.database import moment_parameter, number_list
from focusweb.prepared import PreparedQuery, prepared
from topics.models import Reading
from topics.pages.language_names import language_name
from topics.pages.search_facts import Scope, state_condition, topic_condition
from topics.pages.search_periods import beginnings, has_begun

#: Most values of one facet that are shown.
MAX_VALUES = 8
#: With more pages than this it is quicker to read all kept pages than to name them.
_MANY = 4000
#: States that are counted, beside those of a reader's marks. Each is a bit of a number: to convert
#: truth values and moments of each row took a sixth of the time.
FOUND_STATES = ("news", "newsite", "relevant")
_STATES_OF = tuple(
    frozenset(state for bit, state in enumerate(FOUND_STATES) if number >> bit & 1)
    for number in range(2 ** len(FOUND_STATES))
)
UNMARKED = frozenset({"unread"})
#: The shortest first.
_AGES = (("1d", 1), ("7d", 7), ("30d", 30))


Key = TypeVar("Key")


class Row(NamedTuple):
    """What facets and orders need of one topic's view of a page.

    `n_ages` is the number of counted ages that the page is too old for. `states` are the English
    names of the states it has. `when` is the earliest moment unless `with_moments` is true.
    """

    page_id: int
    topic_id: int
    site: str
    language: str
    score: float
    n_ages: int
    states: frozenset[str] = frozenset()
    when: datetime = datetime.min.replace(tzinfo=UTC)


_PAGE, _TOPIC, _SITE, _LANGUAGE, _STATES = map(
    attrgetter, ("page_id", "topic_id", "site", "language", "states")
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a facet: the condition that a click adds, and how many pages it leaves."""

    label: str
    condition: str
    count: int


@dataclass(frozen=True, slots=True)
class Facet:
    """One way to divide the pages."""

    name: str
    values: Sequence[Value]


def read_rows(page_ids: Set[int], scope: Scope, *, with_moments: bool = False) -> list[Row]:
    """Read what is needed of some pages, for each topic of the scope that keeps them."""
    topics = {topic.crawl_id: topic.pk for topic in scope.topics if topic.crawl_id is not None}
    # Moments are the only values that Django has to convert.
    rows = _query(page_ids, scope, "when") if with_moments else _plain_rows(page_ids, scope)
    marks = _marks(page_ids, scope)
    return [
        Row(
            page_id,
            topic := topics[crawl_id],
            site,
            language,
            score,
            n_ages,
            _STATES_OF[states] | marks.get((topic, page_id), UNMARKED),
            *when,
        )
        for page_id, crawl_id, site, language, score, n_ages, states, *when in rows
        if page_id in page_ids and crawl_id in topics
    ]


def _query(page_ids: Set[int], scope: Scope, *more: str) -> QuerySet[Any, Any]:
    """The kept pages among some, with the columns of `Row` that a page and its crawl decide."""
    kept = Harvest.objects.kept()
    if len(page_ids) <= _MANY:
        # With the crawls named too, SQLite looks up each page in each crawl.
        kept = kept.filter(url__in=number_list(page_ids))
    else:
        kept = kept.filter(crawl__in=[topic.crawl_id for topic in scope.topics if topic.crawl_id])
    kept = kept.annotate(when=Coalesce("published", "first_seen"))
    return kept.annotate(n_ages=_n_ages(scope), states=_state_bits(scope)).values_list(
        *("url_id", "crawl_id", "url__site__name", "url__page__language", "score"),
        *("n_ages", "states", *more),
    )


#: What Django made of `_query`, by the topics, the reader and how the pages are named.
_prepared: dict[tuple[object, ...], PreparedQuery] = {}
_MAX_PREPARED = 200


def _plain_rows(page_ids: Set[int], scope: Scope) -> Sequence[tuple[Any, ...]]:
    """The rows of `_query`, whose statement Django makes once: it takes 6 ms."""
    about = tuple((topic.crawl_id, topic.fresh_days) for topic in scope.topics)
    key = about, scope.reader, len(page_ids) <= _MANY
    prepared = _prepared.get(key)
    if prepared is None:
        if len(_prepared) >= _MAX_PREPARED:
            _prepared.clear()
        # So that no moment is midnight by chance, as each value must differ from the others.
        apart = timezone(timedelta(hours=5, minutes=7))
        sample = replace(scope, now=scope.now.replace(microsecond=123_457), zone=apart)
        prepared = PreparedQuery(_query(page_ids, sample), _values(page_ids, sample))
        _prepared[key] = prepared
    return prepared.rows(_values(page_ids, scope))


def _values(page_ids: Set[int], scope: Scope) -> list[object]:
    """All that differs between two searches of the same topics by the same person."""
    moments = [scope.now, scope.now - NEW_SITE]
    moments += [topic.window_start(scope.now) for topic in scope.topics]
    moments += [moment for _code, days in _AGES for moment in beginnings(days, 0, scope.day)]
    return [*number_list(page_ids).params, *map(moment_parameter, moments)]


def _n_ages(scope: Scope) -> Case:
    ages = [
        When(has_begun("when", days, 0, scope.day), then=number)
        for number, (_code, days) in enumerate(_AGES)
    ]
    return Case(*ages, default=len(_AGES))


def _state_bits(scope: Scope) -> Combinable:
    bits: list[Combinable] = [
        Case(When(state_condition(state, scope), then=1 << bit), default=0)
        for bit, state in enumerate(FOUND_STATES)
    ]
    return reduce(add, bits)


def _marks(page_ids: Set[int], scope: Scope) -> dict[tuple[int, int], frozenset[str]]:
    """The states that the reader gave pages, by number of topic and page; one query."""
    readers = {topic.pk: scope.reader or topic.owner_id for topic in scope.topics}
    people, is_few = [*scope.readers], len(page_ids) <= _MANY
    columns = (
        _marks_among([*readers], people, [*page_ids]) if is_few else _all_marks([*readers], people)
    )
    return {
        (topic, page): frozenset(
            state for state, holds in (("unread", read is None), ("starred", starred)) if holds
        )
        for topic, page, user, read, starred in columns
        if readers[topic] == user
    }


@prepared
def _marks_among(
    topics: Sequence[int], people: Sequence[int], page_ids: Sequence[int]
) -> QuerySet[Any, Any]:
    return _all_readings(topics, people).filter(url__in=number_list(page_ids))


@prepared
def _all_marks(topics: Sequence[int], people: Sequence[int]) -> QuerySet[Any, Any]:
    return _all_readings(topics, people)


def _all_readings(topics: Sequence[int], people: Sequence[int]) -> QuerySet[Any, Any]:
    rows = Reading.objects.filter(topic__in=number_list(topics), user__in=number_list(people))
    return rows.values_list("topic_id", "url_id", "user_id", "read", "starred")


def facets_of(rows: Sequence[Row], scope: Scope) -> list[Facet]:
    """Divide pages; a facet of a single value divides nothing and is left out."""
    names = {one.pk: (one.name_and_owner, topic_condition(one)) for one in scope.topics}
    ids = {row.page_id for row in rows}
    # Most searches find each page for one topic: then nothing has to be counted only once.
    alone = len(ids) == len(rows)
    facets = [
        Facet(_("Topic"), _counted(rows, _TOPIC, names.get, alone=alone)),
        Facet(_("Site"), _counted(rows, _SITE, _site, alone=alone)),
        Facet(_("Language"), _counted(rows, _LANGUAGE, _language, alone=alone)),
        Facet(_("Time"), _ages(rows)),
        Facet(_("Status"), _states(rows, alone=alone)),
    ]
    return [
        facet
        for facet in facets
        if len(facet.values) > 1 or any(value.count < len(ids) for value in facet.values)
    ]


def _site(name: str) -> tuple[str, str]:
    return name, f"site:{name}"


def _language(language: str) -> tuple[str, str] | None:
    code = language.partition("-")[0]
    return (language_name(code), f"lang:{code}") if code else None


def _counted(
    rows: Sequence[Row],
    key_of: Callable[[Row], Key],
    value_of: Callable[[Key], tuple[str, str] | None],
    *,
    alone: bool,
) -> list[Value]:
    """Count pages by label and condition of what they have, the most frequent first."""
    counts = Counter[tuple[str, str]]()
    keys = [*map(key_of, rows)]
    if not alone:
        keys = [key for _page, key in {*zip(map(_PAGE, rows), keys, strict=True)}]
    for key, n in Counter(keys).items():
        if (value := value_of(key)) is not None:
            counts[value] += n
    best = nsmallest(MAX_VALUES, counts.items(), key=lambda item: (-item[1], item[0]))
    return [Value(label, condition, n) for (label, condition), n in best]


def _ages(rows: Iterable[Row]) -> list[Value]:
    newest: dict[int, int] = {}
    for row in rows:
        newest[row.page_id] = min(row.n_ages, newest.get(row.page_id, row.n_ages))
    labels = {"1d": _("since yesterday"), "7d": _("last 7 days"), "30d": _("last 30 days")}
    counts = Counter(newest.values())
    totals = accumulate(counts[number] for number in range(len(_AGES)))
    return [
        Value(labels[code], f"after:{code}", total)
        for (code, _days), total in zip(_AGES, totals, strict=True)
        if total
    ]


def _states(rows: Iterable[Row], *, alone: bool) -> list[Value]:
    labels = {
        "news": _("new"),
        "newsite": _("on new sites"),
        "unread": _("unread"),
        "starred": _("starred"),
        "relevant": _("rated relevant"),
    }
    if alone:
        counts = Counter(chain.from_iterable(map(_STATES, rows)))
    else:
        counts = Counter(state for _page, state in {(r.page_id, s) for r in rows for s in r.states})
    return [Value(labels[state], f"is:{state}", counts[state]) for state in labels if counts[state]]
