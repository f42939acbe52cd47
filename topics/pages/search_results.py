"""From what a person typed to the pages to show."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

from django.utils import timezone
from django.utils.translation import gettext as _

from crawler.api.ranking import LEAST_TRUST
from crawler.api.tables import Crawl, Harvest
from topics.models import Topic
from topics.pages.search_facts import Scope, resolve
from topics.pages.stories import also_at
from topics.search.backend import SearchResult
from topics.search.errors import IndexUnusableError, QueryError, QueryTooSlowError
from topics.search.problems import sentence
from topics.search.query import Query, parse_query
from topics.search.snippet import Fragment, cut_fragments, mark_all
from topics.search.store import IndexStore, default_store

logger = logging.getLogger(__name__)

PAGES_PER_SCREEN = 20
#: Most screens of results; further ones would cost more and more.
MAX_SCREENS = 50


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that was found, as one of the topics sees it.

    `also` are pages of other sites with the same story.
    """

    harvest: Harvest
    topic: Topic | None
    title: Fragment
    fragments: list[Fragment]
    also: Sequence[Harvest] = ()


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


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What the search page shows: something found, or a sentence on why nothing could be."""

    found: FoundPages | None = None
    error: str = ""


def search_pages(text: str, topics: Sequence[Topic], *, screen: int = 1) -> SearchAnswer:
    """Search in some topics for what a person typed; never raises for what they typed."""
    crawls = [topic.crawl for topic in topics if topic.crawl is not None]
    offset = (min(max(screen, 1), MAX_SCREENS) - 1) * PAGES_PER_SCREEN
    try:
        return SearchAnswer(find_pages(text, crawls, limit=PAGES_PER_SCREEN, offset=offset))
    except QueryError as error:
        told = sentence(error.problem, error.position, error.found, error.hint)
        return SearchAnswer(error=told)
    except QueryTooSlowError:
        return SearchAnswer(
            error=_("The search took too long and was stopped. Use less common words.")
        )
    except IndexUnusableError:
        return SearchAnswer(error=_("The search index is being built. Try again in a minute."))


def find_pages(
    text: str,
    crawls: Sequence[Crawl] | None,
    *,
    limit: int = PAGES_PER_SCREEN,
    offset: int = 0,
    store: IndexStore | None = None,
) -> FoundPages:
    """Search the pages that some crawls keep; all crawls' with None.

    Raises
    ------
    QueryError, QueryTooSlowError, IndexUnusableError
    """
    started = perf_counter()
    query = resolve(parse_query(text), _scope(crawls))
    keys = None if crawls is None else [crawl.key for crawl in crawls]
    result = _search(store or default_store(), query, keys, limit, offset)
    harvests = _best_harvests([hit.id for hit in result.hits], crawls)
    best = _best_of_stories([harvests[hit.id] for hit in result.hits if hit.id in harvests])
    # A page stuffed with the words that are searched fits them best of all; it comes last.
    best.sort(key=lambda harvest: harvest.trust < LEAST_TRUST)
    also = also_at(best)
    pages = [_found(harvest, query, also.get(harvest.pk, ())) for harvest in best]
    return FoundPages(result.total, pages, perf_counter() - started)


def _scope(crawls: Sequence[Crawl] | None) -> Scope:
    topics = Topic.objects.select_related("crawl").order_by("pk")
    if crawls is not None:
        topics = topics.filter(crawl__in=crawls)
    zone = timezone.get_current_timezone()
    return Scope(list(topics), timezone.now(), zone)


def _search(
    store: IndexStore, query: Query, keys: Sequence[str] | None, limit: int, offset: int
) -> SearchResult:
    try:
        return store.open_to_search().search(query, topics=keys, limit=limit, offset=offset)
    except IndexUnusableError:
        logger.warning("search index: failed in a search, trying once more", exc_info=True)
    # A finished build may have taken the files away under us; the new ones are there.
    try:
        return store.open_to_search().search(query, topics=keys, limit=limit, offset=offset)
    except IndexUnusableError:
        store.mark_damaged()
        raise


def _best_harvests(page_ids: Sequence[int], crawls: Sequence[Crawl] | None) -> dict[int, Harvest]:
    """The best view of each page among the crawls that keep it."""
    harvests = Harvest.objects.kept().filter(url_id__in=page_ids, url__page__noindex=False)
    if crawls is not None:
        harvests = harvests.filter(crawl__in=crawls)
    ordered = harvests.select_related("url__site", "url__page", "crawl__topic").order_by("score")
    return {harvest.url_id: harvest for harvest in ordered}


def _best_of_stories(harvests: Iterable[Harvest]) -> list[Harvest]:
    """Fold pages of one story into the first of them."""
    first: dict[tuple[str, int], Harvest] = {}
    for harvest in harvests:
        name = ("story", harvest.story_id) if harvest.story_id else ("page", harvest.pk)
        first.setdefault(name, harvest)
    return list(first.values())


def _found(harvest: Harvest, query: Query, also: Sequence[Harvest]) -> FoundPage:
    page = harvest.page
    return FoundPage(
        harvest=harvest,
        topic=getattr(harvest.crawl, "topic", None),
        title=mark_all(page.title or harvest.url.url, query),
        fragments=cut_fragments(page.text, query),
        also=also,
    )
