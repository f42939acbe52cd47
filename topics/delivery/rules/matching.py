"""Which pages fit a rule, and what each condition saw."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from django.db.models import Count, F, Q

from crawler.api.ranking import is_new_site
from crawler.api.tables import Harvest, HarvestQuerySet, Page, chunks
from crawler.api.text import tokenize
from topics.delivery.alerts import MAX_AGE
from topics.models import AlertRule, SavedSearch, SiteControl, Topic
from topics.pages.not_spam import stuffed_pages
from topics.pages.saved_searches import fitting
from topics.rules.sites import sites_in

#: Pages of one topic that a rule checks in one round, the best.
MAX_CHECKED: Final = 500
#: A search may depend on marks or the time, so its answer expires.
ANSWER_AGE: Final = timedelta(minutes=10)
MAX_ANSWERS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Fit:
    """A page that fits a rule: the topic it is of, and the values of the conditions."""

    topic: Topic
    harvest: Harvest
    values: dict[str, Any]


def topics_of_rule(rule: AlertRule) -> list[Topic]:
    """Return the topics that a rule checks, with a crawl."""
    topics = Topic.objects.visible_to(rule.owner).exclude(crawl=None).select_related("crawl")
    if rule.topic_id is not None:
        topics = topics.filter(pk=rule.topic_id)
    elif rule.search is not None and rule.search.topic_id is not None:
        topics = topics.filter(pk=rule.search.topic_id)
    return list(topics)


def young_pages(
    topic: Topic, since: datetime, now: datetime, *, floor: datetime
) -> HarvestQuerySet:
    """Fair pages first seen after a moment and no older than a floor; best first.

    What the first run found is known and never an alert. A page has its story, and the score that
    counts, once its crawl has ranked it.
    """
    pages = Harvest.objects.filter(crawl__topic=topic).news(floor, now)
    pages = pages.exclude(story=None).filter(first_seen__gt=since)
    return pages.exclude(pk__in=stuffed_pages(topic)).exclude(
        url__site__in=topic.sites.filter(rule=SiteControl.Rule.BLOCK).values("site")
    )


def rule_conditions(rule: AlertRule) -> Q:
    """Return what of a rule the database can decide."""
    wanted = Q()
    if rule.min_score is not None:
        wanted &= Q(score__gte=rule.min_score)
    if rule.language:
        wanted &= Q(url__page__language=rule.language)
    if rule.site:
        wanted &= _on(sites_in(rule.site))
    if rule.not_site:
        wanted &= ~_on(sites_in(rule.not_site))
    if rule.within_hours is not None:
        # When it was found, not now: an alert must not depend on how long its ranking took.
        wanted &= Q(published__gte=F("first_seen") - timedelta(hours=rule.within_hours))
    return wanted


def _on(names: Sequence[str]) -> Q:
    return Q(url__site__name__in=names) | Q(url__site__domain__in=names)


def fits(
    rule: AlertRule,
    topic: Topic,
    pages: HarvestQuerySet,
    now: datetime,
    *,
    limit: int = MAX_CHECKED,
) -> Iterator[Fit]:
    """Yield the best page of each story among `pages` that fits a rule, best first.

    Raises
    ------
    SearchError
        If the rule's saved search cannot be run now.
    """
    rows = list(
        pages.filter(rule_conditions(rule))
        .one_per_story()
        .select_related("url__site", "url__page", "crawl")[:limit]
    )
    wanted = _found_by_all(rule, rows, topic, now)
    n_sites = _sites_of_stories(rows) if rule.min_sites is not None else {}
    began = topic.crawl.baseline_end() if topic.crawl is not None else None
    for row in rows:
        new = is_new_site(row.url.site.first_seen, began, row.first_seen)
        if (rule.new_site and not new) or (wanted is not None and row.pk not in wanted):
            continue
        if rule.term and not has_term(row.page, rule.term):
            continue
        if rule.min_sites is not None and n_sites.get(row.story_id or 0, 1) < rule.min_sites:
            continue
        values = _values(rule, row, new)
        if rule.min_sites is not None:
            values["sites"] = n_sites.get(row.story_id or 0, 1)
        yield Fit(topic, row, values)


def _sites_of_stories(rows: Sequence[Harvest]) -> dict[int, int]:
    """How many sites report each of the stories."""
    stories = sorted({row.story_id for row in rows if row.story_id is not None})
    found: dict[int, int] = {}
    for some in chunks(stories):
        kept = Harvest.objects.kept().filter(story__in=some).order_by().values("story")
        counted = kept.annotate(n=Count("url__site__domain", distinct=True))
        found |= dict(counted.values_list("story", "n"))
    return found


def is_young(row: Harvest) -> bool:
    """Return whether a page was young enough for an alert when it was found."""
    return row.published is None or row.published >= row.first_seen - MAX_AGE


def has_term(page: Page, term: str) -> bool:
    """Return whether a page's title or text has the words of a term, in their order."""
    return _has_term(page.pk, page.changed, term)


@lru_cache(maxsize=20_000)
def _has_term(page_pk: int, changed: datetime, term: str) -> bool:
    # Each round checks the same pages; their words change only with `changed`.
    page = Page.objects.get(pk=page_pk)
    return is_run_in(tokenize(term), tokenize(f"{page.title}\n{page.text}"))


def is_run_in(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether `whole` contains `part` as consecutive items; an empty part never does."""
    length = len(part)
    return bool(part) and any(
        whole[at] == part[0] and list(whole[at : at + length]) == list(part)
        for at in range(len(whole) - length + 1)
    )


#: What a saved search said of a page, and when: each round checks the same pages again.
_answers: dict[tuple[object, ...], tuple[datetime, bool]] = {}


def searches_of(rule: AlertRule) -> list[SavedSearch]:
    """The searches that must find a page: the saved one, and the conditions of the rule's own."""
    own = SavedSearch(owner=rule.owner, topic=rule.topic, name=rule.query, query=rule.query)
    return [one for one in (rule.search, own if rule.query else None) if one is not None]


def _found_by_all(
    rule: AlertRule, rows: Sequence[Harvest], topic: Topic, now: datetime
) -> set[int] | None:
    """The keys of the pages that all searches of a rule find; None if it has no search."""
    found = [_found(search, rows, topic, now) for search in searches_of(rule)]
    return set.intersection(*found) if found else None


def _found(search: SavedSearch, rows: Sequence[Harvest], topic: Topic, now: datetime) -> set[int]:
    """The keys of those pages that a saved search finds; its answers are good for a while."""
    if len(_answers) > MAX_ANSWERS:
        _answers.clear()
    about = search.pk, search.owner_id, search.query, tuple(search.without), topic.pk
    keys = {row.pk: (*about, row.pk, row.page.changed) for row in rows}
    due = [
        pk
        for pk, key in keys.items()
        if key not in _answers or not timedelta(0) <= now - _answers[key][0] < ANSWER_AGE
    ]
    if due:
        found = fitting(search, Harvest.objects.filter(pk__in=due), topic, now)
        _answers.update({keys[pk]: (now, pk in found) for pk in due})
    return {pk for pk, key in keys.items() if _answers[key][1]}


def _values(rule: AlertRule, row: Harvest, new: bool) -> dict[str, Any]:
    values: dict[str, Any] = {"score": round(row.score, 4)}
    if rule.min_score is not None:
        values["needed"] = rule.min_score
    if rule.term:
        values["term"] = rule.term
    if rule.site or rule.not_site or rule.new_site:
        values["site"] = row.url.site.name
    if rule.new_site:
        values["new_site"] = new
    if rule.language:
        values["language"] = rule.language
    if rule.search is not None:
        values["search"] = rule.search.name
    if rule.query:
        values["query"] = rule.query
    if rule.within_hours is not None:
        values["hours"] = rule.within_hours
    return values
