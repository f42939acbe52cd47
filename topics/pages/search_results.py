"""From what a person typed to the pages to show."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from crawler.api.ranking import LEAST_TRUST
from crawler.api.tables import Crawl, Harvest
from focusweb.database import number_list
from focusweb.prepared import prepared
from topics.models import Topic, TopicReader
from topics.pages.news import UNLISTED
from topics.pages.reading import NO_MARKS, Marks, marks_by_page
from topics.pages.search_facts import Scope, resolve, views_that_fit
from topics.pages.stories import also_at
from topics.search.backend import SearchResult
from topics.search.errors import IndexUnusableError
from topics.search.query import Query, parse_query
from topics.search.snippet import Fragment, cut_fragments, mark_all
from topics.search.store import IndexStore, default_store

logger = logging.getLogger(__name__)

#: Pages that a search gives by default.
N_PAGES = 20


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that was found, as one of the topics sees it.

    `also` are pages of other sites with the same story; `marks` are the reader's.
    """

    harvest: Harvest
    topic: Topic | None
    title: Fragment
    fragments: list[Fragment]
    also: Sequence[Harvest] = ()
    marks: Marks = NO_MARKS


@dataclass(frozen=True, slots=True)
class FoundPages:
    """What a search gave.

    Attributes
    ----------
    total : int
        Pages that fit the query, on all screens.
    pages : list of FoundPage
        Those of this screen, best first. A page that was dropped since the index
        was written is left out, and of one story only the best is there.
    seconds : float
        Wall clock of it all.
    """

    total: int
    pages: list[FoundPage]
    seconds: float


def find_pages(
    text: str,
    crawls: Sequence[Crawl] | None,
    *,
    limit: int = N_PAGES,
    offset: int = 0,
    store: IndexStore | None = None,
) -> FoundPages:
    """Search the pages that some crawls keep; all crawls' with None.

    Raises
    ------
    QueryError, QueryTooSlowError, IndexUnusableError
    """
    started = perf_counter()
    typed, scope = parse_query(text), _scope(crawls)
    query = resolve(typed, scope)
    keys = None if crawls is None else [crawl.key for crawl in crawls]
    result = run_query(query, keys, limit=limit, offset=offset, store=store)
    ids = [hit.id for hit in result.hits]
    shown = result_rows(ids, query, crawls, fitting=views_that_fit(typed, scope, ids))
    return FoundPages(result.total, shown, perf_counter() - started)


def result_rows(
    page_ids: Sequence[int],
    query: Query,
    crawls: Sequence[Crawl] | None,
    reader: int | None = None,
    fitting: Collection[tuple[int, int]] = (),
) -> list[FoundPage]:
    """Turn pages that were found into what is shown of them, in the same order.

    `reader` is the key of the person whose marks are shown; by default none are. `fitting` is
    that of `best_harvests`.
    """
    harvests = best_harvests(page_ids, crawls, fitting)
    best = _best_of_stories([harvests[page_id] for page_id in page_ids if page_id in harvests])
    # A page stuffed with the words that are searched fits them best of all; it comes last.
    best.sort(key=lambda harvest: harvest.trust < LEAST_TRUST)
    also, marks = also_at(best), {} if reader is None else marks_by_page(best, reader)
    return [_found(one, query, also.get(one.pk, ()), marks.get(one.pk, NO_MARKS)) for one in best]


def _scope(crawls: Sequence[Crawl] | None) -> Scope:
    topics = Topic.objects.select_related("crawl").order_by("pk")
    if crawls is not None:
        topics = topics.filter(crawl__in=crawls)
    return scope_of(list(topics))


def readable_topics(user: Any) -> list[Topic]:
    """Return the topics that a person may read: their own, then those that others share.

    Their own come first, as a query that names a topic by its name means them.
    """
    topics = _readable(user.pk)
    shared = [topic.as_shared() for topic in topics if topic.owner_id != user.pk]
    return [topic for topic in topics if not topic.is_shared] + shared


@prepared
def _readable(user: int) -> QuerySet[Topic]:
    reads = Exists(TopicReader.objects.filter(topic=OuterRef("pk"), user_id=user))
    topics = Topic.objects.filter(Q(owner_id=user) | reads)
    return topics.select_related("owner", "crawl").order_by("name")


def scope_of(topics: Sequence[Topic], reader: int | None = None) -> Scope:
    """Where a search looks: in these topics, now, in the reader's time zone."""
    return Scope(topics, timezone.now(), timezone.get_current_timezone(), reader=reader)


def run_query(
    query: Query,
    keys: Sequence[str] | None,
    *,
    limit: int | None = None,
    offset: int = 0,
    store: IndexStore | None = None,
) -> SearchResult:
    """Give a query without facts to the engine, among the pages of some crawls by their keys.

    Raises
    ------
    QueryTooSlowError, IndexUnusableError
    """
    store = store or default_store()
    try:
        return store.open_to_search().search(query, topics=keys, limit=limit, offset=offset)
    except IndexUnusableError as error:
        if store.is_new():
            logger.info("search: %s", error)
            raise
        logger.warning("search index: failed in a search, trying once more", exc_info=True)
    # A finished build may have taken the files away under us; the new ones are there.
    try:
        return store.open_to_search().search(query, topics=keys, limit=limit, offset=offset)
    except IndexUnusableError:
        store.mark_damaged()
        raise


def best_harvests(
    page_ids: Sequence[int],
    crawls: Sequence[Crawl] | None,
    fitting: Collection[tuple[int, int]] = (),
) -> dict[int, Harvest]:
    """Return the best view of each page among the crawls that keep it.

    One of the `fitting` views goes before all others; see `views_that_fit`.
    """
    known = {crawl.pk: crawl for crawl in crawls or ()}
    views = [*(_views(page_ids) if crawls is None else _own_views(page_ids, [*known]))]
    # The last one stays; the order among those that fit is kept.
    views.sort(key=lambda view: (view.crawl_id, view.url_id) in fitting)
    best = {}
    for harvest in views:
        if harvest.crawl_id in known:
            harvest.crawl = known[harvest.crawl_id]
        best[harvest.url_id] = harvest
    return best


@prepared
def _own_views(page_ids: Sequence[int], crawls: Sequence[int]) -> QuerySet[Harvest]:
    return _kept_views(page_ids).filter(crawl__in=number_list(crawls))


@prepared
def _views(page_ids: Sequence[int]) -> QuerySet[Harvest]:
    return _kept_views(page_ids).select_related("crawl__topic")


def _kept_views(page_ids: Sequence[int]) -> QuerySet[Harvest]:
    """What each crawl that keeps a page makes of it; the best last."""
    rows = Harvest.objects.kept().filter(url_id__in=number_list(page_ids), url__page__noindex=False)
    return rows.select_related("url__site", "url__page").defer(*UNLISTED).order_by("score")


def _best_of_stories(harvests: Iterable[Harvest]) -> list[Harvest]:
    """Fold pages of one story into the first of them."""
    first: dict[tuple[str, int], Harvest] = {}
    for harvest in harvests:
        name = ("story", harvest.story_id) if harvest.story_id else ("page", harvest.pk)
        first.setdefault(name, harvest)
    return list(first.values())


def _without_title(text: str, title: str) -> str:
    """A page's text without a heading that is its title: that is shown above the extract."""
    heading, _line_end, rest = text.partition("\n")
    return rest if rest.strip() and title.startswith(heading.strip()) else text


def _found(harvest: Harvest, query: Query, also: Sequence[Harvest], marks: Marks) -> FoundPage:
    page = harvest.page
    return FoundPage(
        harvest=harvest,
        topic=getattr(harvest.crawl, "topic", None),
        title=mark_all(harvest.title, query),
        fragments=cut_fragments(_without_title(page.text, page.title), query),
        also=also,
        marks=marks,
    )
