"""The news that the charts count: the same pages as the topic's list shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from urllib.parse import urlencode

from crawler.api.ranking import is_new_site
from crawler.api.tables import Harvest, HarvestQuerySet
from crawler.api.text import tokenize
from topics.models import Topic
from topics.pages.explain import found_terms
from topics.pages.listing import MAX_LISTED
from topics.pages.not_spam import fair_news
from topics.rules.days import day_of

_COLUMNS: Final = (
    *("pk", "url_id", "score", "published", "first_seen"),
    *("url__site__first_seen", "url__site__name", "url__page__language", "url__page__title"),
)


@dataclass(frozen=True, slots=True)
class NewsRow:
    """One page of the news.

    Attributes
    ----------
    found : datetime
        When the topic's crawl first saw it.
    day : date
        Published, or else found, in the reader's time zone if a time is known.
    from_new_site : bool
        Its site has the badge *new site*.
    """

    pk: int
    url_id: int
    score: float
    published: datetime | None
    found: datetime
    day: date
    from_new_site: bool
    site: str
    site_seen: datetime
    language: str
    title: str


def news_rows(topic: Topic, now: datetime) -> list[NewsRow]:
    """The news of a topic, one page a story, best first; the oldest of very many are left out."""
    if topic.crawl is None:
        return []
    began = topic.crawl.baseline_end()
    rows = fair_news(topic, now).one_per_story().order_by("-score", "pk")
    return [_row(values, began, now) for values in rows.values_list(*_COLUMNS)[:MAX_LISTED]]


def _row(values: Sequence[Any], began: datetime | None, now: datetime) -> NewsRow:
    pk, url_id, score, published, found, site_seen, site, language, title = values
    return NewsRow(
        pk=pk,
        url_id=url_id,
        score=score,
        published=published,
        found=found,
        day=day_of(published or found),
        from_new_site=is_new_site(site_seen, began, now),
        site=site,
        site_seen=site_seen,
        language=language,
        title=title,
    )


def terms_of(topic: Topic, rows: Sequence[NewsRow]) -> Mapping[int, frozenset[str]]:
    """Return the topic's terms that were found on each page, by number of the harvest.

    A term is spelt as the topic spells it, one of a concept as the concept.
    """
    return terms_on(topic, Harvest.objects.filter(pk__in=[row.pk for row in rows]))


def terms_on(topic: Topic, found: HarvestQuerySet) -> Mapping[int, frozenset[str]]:
    """Return the topic's terms that were found on some of its pages, by number of the harvest."""
    if topic.crawl is None:
        return {}
    spelt = {" ".join(tokenize(term.text)): term.text for term in topic.crawl.profile.terms}
    return {
        pk: frozenset(via or spelt.get(term, term) for term, via in found_terms(explanation))
        for pk, explanation in found.values_list("pk", "explanation")
    }


def list_address(topic: Topic, **filters: object) -> str:
    """Return the topic's list with filters: where a number comes from."""
    chosen = {name: value for name, value in filters.items() if value not in ("", None)}
    return f"{topic.get_absolute_url()}?{urlencode(chosen)}" if chosen else topic.get_absolute_url()
