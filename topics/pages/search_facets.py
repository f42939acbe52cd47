"""How the pages of a search divide: by topic, site, language, time and state, with counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Case, F, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from crawler.api.tables import Harvest
from focusweb.database import among
from topics.models import Reading
from topics.pages.language_names import language_name
from topics.pages.search_facts import Scope, midnight, state_condition

#: Most values of one facet that are shown.
MAX_VALUES = 8
#: With more pages than this it is quicker to read all kept pages than to name them.
_MANY = 4000
#: States that are counted, beside those of a reader's marks.
FOUND_STATES = ("news", "newsite", "relevant")
UNMARKED = frozenset({"unread"})
_AGES = (("1d", 1), ("7d", 7), ("30d", 30))


class Row(NamedTuple):
    """What facets and orders need of one topic's view of a page.

    `states` are those that hold, by their English names.
    """

    page_id: int
    topic_id: int
    site: str
    language: str
    score: float
    when: datetime
    states: frozenset[str] = frozenset()


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


def read_rows(page_ids: Set[int], scope: Scope) -> list[Row]:
    """Read what is needed of some pages, for each topic of the scope that keeps them."""
    topics = {topic.crawl_id: topic.pk for topic in scope.topics if topic.crawl_id is not None}
    kept = Harvest.objects.kept()
    if len(page_ids) <= _MANY:
        # With the crawls named too, SQLite looks up each page in each crawl.
        kept = kept.filter(url__in=among(page_ids))
    else:
        kept = kept.filter(crawl__in=topics)
    columns = ("url_id", "crawl_id", "url__site__name", "url__page__language", "score")
    found = {
        f"is_{state}": Case(When(state_condition(state, scope), then=True), default=False)
        for state in FOUND_STATES
    }
    rows = kept.annotate(when=Coalesce("published", "first_seen"), **found)
    marks = _marks(page_ids, scope)
    return [
        Row(
            page_id,
            topic := topics[crawl_id],
            site,
            language,
            score,
            when,
            _true(flags) | marks.get((topic, page_id), UNMARKED),
        )
        for page_id, crawl_id, site, language, score, when, *flags in rows.values_list(
            *columns, "when", *found
        )
        if page_id in page_ids and crawl_id in topics
    ]


def _true(flags: Iterable[bool]) -> frozenset[str]:
    return frozenset(state for state, holds in zip(FOUND_STATES, flags, strict=True) if holds)


def _marks(page_ids: Set[int], scope: Scope) -> dict[tuple[int, int], frozenset[str]]:
    """The states that owners of topics gave pages, by number of topic and page; one query."""
    rows = Reading.objects.filter(topic__in=scope.topics, user=F("topic__owner"))
    if len(page_ids) <= _MANY:
        rows = rows.filter(url__in=among(page_ids))
    columns = rows.values_list("topic_id", "url_id", "read", "starred")
    return {
        (topic, page): frozenset(
            state for state, holds in (("unread", read is None), ("starred", starred)) if holds
        )
        for topic, page, read, starred in columns
    }


def facets_of(rows: Sequence[Row], scope: Scope) -> list[Facet]:
    """Divide pages; a facet of a single value divides nothing and is left out."""
    names = {topic.pk: (topic.name, f"topic:{topic.slug}") for topic in scope.topics}
    ids = {row.page_id for row in rows}
    facets = [
        Facet(_("Topic"), _counted(rows, lambda row: names[row.topic_id])),
        Facet(_("Site"), _counted(rows, lambda row: (row.site, f"site:{row.site}"))),
        Facet(_("Language"), _counted(rows, _language)),
        Facet(_("Time"), _ages(rows, scope)),
        Facet(_("Status"), _states(rows)),
    ]
    return [
        facet
        for facet in facets
        if len(facet.values) > 1 or any(value.count < len(ids) for value in facet.values)
    ]


def _language(row: Row) -> tuple[str, str] | None:
    code = row.language.partition("-")[0]
    return (language_name(code), f"lang:{code}") if code else None


def _counted(rows: Iterable[Row], value_of: Callable[[Row], tuple[str, str] | None]) -> list[Value]:
    """Count pages by value, the most frequent first."""
    pairs = {(row.page_id, value) for row in rows if (value := value_of(row)) is not None}
    counts = Counter(value for _page, value in pairs)
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Value(label, condition, n) for (label, condition), n in best[:MAX_VALUES]]


def _ages(rows: Iterable[Row], scope: Scope) -> list[Value]:
    newest: dict[int, datetime] = {}
    for row in rows:
        newest[row.page_id] = max(row.when, newest.get(row.page_id, row.when))
    labels = {"1d": _("since yesterday"), "7d": _("last 7 days"), "30d": _("last 30 days")}
    found = []
    for code, days in _AGES:
        since = midnight(days, 0, scope)
        count = sum(when >= since for when in newest.values())
        if count:
            found.append(Value(labels[code], f"after:{code}", count))
    return found


def _states(rows: Iterable[Row]) -> list[Value]:
    labels = {
        "news": _("new"),
        "newsite": _("on new sites"),
        "unread": _("unread"),
        "starred": _("starred"),
        "relevant": _("rated relevant"),
    }
    counts = Counter(state for _page, state in {(r.page_id, s) for r in rows for s in r.states})
    return [Value(labels[state], f"is:{state}", counts[state]) for state in labels if counts[state]]
