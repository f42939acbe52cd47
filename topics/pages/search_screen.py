"""The search page: pages found, their facets, and what else can be searched."""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from time import perf_counter

from django.utils.translation import gettext as _

from crawler.api.ontologies import label_key
from crawler.api.text import tokenize
from topics.models import Topic
from topics.pages.search_concepts import with_other_names
from topics.pages.search_facets import Facet, Row, facets_of, read_rows
from topics.pages.search_facts import resolve, views_that_fit
from topics.pages.search_results import FoundPages, result_rows, run_query, scope_of
from topics.pages.spelling import may_be_misspelt, nearest_words, vocabulary
from topics.search.backend import SearchResult
from topics.search.errors import IndexUnusableError, QueryError, QueryTooSlowError, SearchError
from topics.search.outbox import indexable_pages
from topics.search.problems import sentence
from topics.search.query import MAX_CHARACTERS, Query, is_query, parse_query
from topics.search.store import IndexStore, default_store
from topics.search.tree import And, Clause, Node, Not, Or, grouped, leaves, query_text

logger = logging.getLogger(__name__)

PAGES_PER_SCREEN = 20
#: Most screens of results; further ones would cost more and more.
MAX_SCREENS = 50
#: Most conditions that are left out one at a time to see which removes everything.
_MAX_TRIED = 8


class SearchOrder(StrEnum):
    """What decides which page comes first."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    SCORE = "score"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What the address of a search says.

    Attributes
    ----------
    text : str
        The query.
    without : frozenset of str
        Other names of concepts that are switched off, as `label_key` spells them.
    screen : int
        From 1.
    """

    text: str
    order: SearchOrder = SearchOrder.RELEVANCE
    without: frozenset[str] = frozenset()
    screen: int = 1


@dataclass(frozen=True, slots=True)
class OtherName:
    """Another name of what is looked for, and whether pages with it are found too."""

    text: str
    key: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class QuerySuggestion:
    """Another query: what it changes, and how many pages it finds."""

    label: str
    query: str
    count: int


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What the search page shows: something found, or a sentence on why nothing could be.

    Attributes
    ----------
    reading : str
        The query with every group in parentheses, if words and OR stand side by side.
    base : str
        The query to which a condition can be appended.
    parts : list of QuerySuggestion
        Each condition of several, and the query without it; not counted.
    meant : list of QuerySuggestion
        Queries with a word spelt otherwise.
    relaxed : list of QuerySuggestion
        If nothing was found: the query without one of its conditions.
    shorter : QuerySuggestion or None
        If little was found: the query without words such as "what" and "does".
    without_results : list of str
        If nothing is found without any one of them either: the conditions that find nothing alone.
    rebuilding : str
        How far the index is that will replace the one that answered.
    screen : int
        The screen that `found` holds: the last one if the request names a later one.
    """

    found: FoundPages | None = None
    error: str = ""
    reading: str = ""
    base: str = ""
    parts: Sequence[QuerySuggestion] = ()
    names: Sequence[OtherName] = ()
    facets: Sequence[Facet] = ()
    meant: Sequence[QuerySuggestion] = ()
    relaxed: Sequence[QuerySuggestion] = ()
    shorter: QuerySuggestion | None = None
    without_results: Sequence[str] = ()
    rebuilding: str = ""
    screen: int = 1


def n_screens(total: int) -> int:
    """Return on how many screens some pages are shown, from 1 to `MAX_SCREENS`."""
    return min(max(-(-total // PAGES_PER_SCREEN), 1), MAX_SCREENS)


def search_pages(
    request: SearchRequest, topics: Sequence[Topic], reader: int | None = None
) -> SearchAnswer:
    """Search in some topics for what a person typed; never raises for what they typed.

    `reader` is the key of the person, who must be named if a topic is shared; see `Scope`.
    """
    try:
        return _Search(request, topics, reader).answer()
    except QueryError as error:
        return SearchAnswer(error=sentence(error.problem, error.position, error.found, error.hint))
    except QueryTooSlowError:
        return SearchAnswer(
            error=_("The search took too long and was stopped. Use less common words.")
        )
    except IndexUnusableError:
        return SearchAnswer(error=_("The search index is being built. Try again in a minute."))
    except SearchError:
        logger.exception("search: there is no engine")
        return SearchAnswer(error=_("Search is out of order. The operator has to look at it."))


def rebuilding(store: IndexStore) -> str:
    """Say how far the index is that is to replace the one in use; "" if none is."""
    done = store.n_rebuilt()
    if done is None:
        return ""
    total = indexable_pages().count()
    return _(
        "The search index is being rebuilt: %(done)d of %(total)d pages. "
        "Until it is ready, the newest pages may be missing from the results."
    ) % {"done": min(done, total), "total": total}


def found_views(
    request: SearchRequest, topics: Sequence[Topic], reader: int | None = None
) -> tuple[list[int], frozenset[tuple[int, int]]]:
    """Return the pages that a search finds, in its order, and the views that have its facts.

    The views are those of `views_that_fit`. Raises as `search_pages` reports.
    """
    ids, _rows, fitting = _Search(request, topics, reader).ordered()
    return ids, fitting


class _Search:
    """One search, step by step."""

    def __init__(self, request: SearchRequest, topics: Sequence[Topic], reader: int | None) -> None:
        self._request = request
        self._topics = topics
        self._scope = scope_of(topics, reader)
        self._crawls = [topic.crawl for topic in topics if topic.crawl is not None]
        self._keys = [crawl.key for crawl in self._crawls]
        self._typed = parse_query(request.text)
        self._wide, self._names = self._with_names(self._typed)
        self._query = resolve(self._wide, self._scope)

    def answer(self) -> SearchAnswer:
        started = perf_counter()
        ids, rows, fitting = self.ordered()
        screen = min(max(self._request.screen, 1), n_screens(len(ids)))
        first = (screen - 1) * PAGES_PER_SCREEN
        shown = ids[first : first + PAGES_PER_SCREEN]
        pages = result_rows(shown, self._query, self._crawls, self._scope.reader, fitting)
        facets = self._that_fit(facets_of(rows, self._scope)) if len(ids) > 1 else []
        meant = self._meant()
        relaxed = [] if ids else self._relaxed()
        return SearchAnswer(
            FoundPages(len(ids), pages, perf_counter() - started),
            reading=self._reading(),
            base=self._base(),
            parts=[
                QuerySuggestion(label, query_text(rest), 0) for label, rest in self._without_each()
            ],
            names=self._shown_names(),
            facets=facets,
            meant=meant,
            relaxed=relaxed,
            shorter=self._shorter(len(ids)),
            without_results=[] if ids or relaxed else self._without_results(),
            rebuilding=rebuilding(default_store()),
            screen=screen,
        )

    def ordered(self) -> tuple[list[int], list[Row], frozenset[tuple[int, int]]]:
        """Return the pages found in the order that is wanted, and what facets need of them.

        The last part are the views that have the facts, as `views_that_fit` returns them.
        """
        hits, order = self._run(self._query).hits, self._request.order
        by_moment = order is SearchOrder.NEWEST
        rows = read_rows({hit.id for hit in hits}, self._scope, with_moments=by_moment)
        fitting = views_that_fit(self._wide, self._scope, {row.page_id for row in rows})
        rows = self._that_are_meant(rows, fitting)
        best: dict[int, Row] = {}
        for row in rows:
            if row.page_id not in best or row.score > best[row.page_id].score:
                best[row.page_id] = row
        # A page that was dropped since the index was written is left out.
        ids = [hit.id for hit in hits if hit.id in best]
        if order is SearchOrder.RELEVANCE and not self._query.wanted:
            order = SearchOrder.SCORE
        if by_moment:
            ids.sort(key=lambda page: best[page].when, reverse=True)
        elif order is SearchOrder.SCORE:
            ids.sort(key=lambda page: best[page].score, reverse=True)
        return ids, rows, fitting

    def _that_are_meant(self, rows: list[Row], fitting: Collection[tuple[int, int]]) -> list[Row]:
        """Leave out topics' views of a page that do not have the facts that are searched."""
        if not fitting:
            return rows
        crawls = {topic.pk: topic.crawl_id for topic in self._topics}
        pages = {page_id for _crawl, page_id in fitting}
        return [
            row
            for row in rows
            if row.page_id not in pages or (crawls[row.topic_id], row.page_id) in fitting
        ]

    def _run(self, query: Query, *, limit: int | None = None) -> SearchResult:
        return run_query(query, self._keys, limit=limit)

    def _count(self, query: Query) -> int:
        """How many pages a search for a query would show, by other names too."""
        wide, _names = self._with_names(query)
        return self._run(resolve(wide, self._scope), limit=1).total

    def _with_names(self, query: Query) -> tuple[Query, list[str]]:
        return with_other_names(query, self._scope.readers, without=self._request.without)

    def _base(self) -> str:
        return f"({self._typed.text})" if isinstance(self._typed.tree, Or) else self._typed.text

    def _that_fit(self, facets: Sequence[Facet]) -> list[Facet]:
        """Leave out conditions with which the query would be longer than one may be."""
        base = self._base()
        if not is_query(f"{base} is:news"):
            return []
        room = MAX_CHARACTERS - len(base) - 1
        short = [
            replace(facet, values=[one for one in facet.values if len(one.condition) <= room])
            for facet in facets
        ]
        return [facet for facet in short if facet.values]

    def _reading(self) -> str:
        tree = self._typed.tree
        mixed = isinstance(tree, Or) and any(isinstance(part, And) for part in tree.parts)
        return query_text(tree) if mixed and "(" not in self._typed.text else ""

    def _shown_names(self) -> list[OtherName]:
        keys = ((name, label_key(name)) for name in self._names)
        return [OtherName(name, key, key not in self._request.without) for name, key in keys]

    def _meant(self) -> list[QuerySuggestion]:
        """Other spellings of words that no page holds as they were typed."""
        unknown = [clause for clause in self._typed.wanted if self._is_unknown(clause)]
        if not unknown:
            return []
        known = vocabulary(self._topics)
        found = []
        for clause in unknown:
            # Pages with another form of the word were found: it may well be spelt right.
            found_otherwise = bool(self._run(Query(clause.text, clause), limit=1).total)
            for word in nearest_words(clause.text, known, one_letter=found_otherwise):
                text = _replaced(self._typed.text, clause, word)
                # A longer word may make the query longer than one may be.
                count = self._count(parse_query(text)) if is_query(text) else 0
                if count:
                    found.append(QuerySuggestion(word, text, count))
                    break
        return found

    def _is_unknown(self, clause: Clause) -> bool:
        if not may_be_misspelt(clause):
            return False
        exact = replace(clause, is_phrase=True)
        return not self._run(Query(clause.text, exact), limit=1).total

    def _relaxed(self) -> list[QuerySuggestion]:
        found = []
        for label, rest in self._without_each():
            count = self._count(Query("", rest))
            if count:
                found.append(QuerySuggestion(label, query_text(rest), count))
        return found

    def _shorter(self, n_found: int) -> QuerySuggestion | None:
        """The query without its common words, if it finds more pages than the few found."""
        tree = self._typed.tree
        if not isinstance(tree, And) or n_found >= PAGES_PER_SCREEN:
            return None
        common = [part for part in tree.parts if isinstance(part, Clause) and _is_common(part)]
        others = tuple(part for part in tree.parts if part not in common)
        if not common or not any(isinstance(part, Clause) for part in others):
            return None
        rest = others[0] if len(others) == 1 else And(others)
        count = self._count(Query("", rest))
        label = ", ".join(dict.fromkeys(part.text for part in common))
        return QuerySuggestion(label, query_text(rest), count) if count > n_found else None

    def _without_results(self) -> list[str]:
        tree = self._typed.tree
        parts = tree.parts if isinstance(tree, And) and len(tree.parts) <= _MAX_TRIED else ()
        alone = [part for part in parts if not isinstance(part, Not)]
        return [query_text(part) for part in alone if not self._count(Query("", part))]

    def _without_each(self) -> Iterator[tuple[str, Node]]:
        """Each condition, and what is left of the query without it, if that can be searched."""
        tree = self._typed.tree
        if not isinstance(tree, And) or len(tree.parts) > _MAX_TRIED:
            return
        for part in tree.parts:
            others = tuple(other for other in tree.parts if other is not part)
            rest = others[0] if len(others) == 1 else And(others)
            if any(is_wanted for _leaf, is_wanted in leaves(rest)):
                yield grouped(part), rest


def _is_common(clause: Clause) -> bool:
    """Whether a clause is one of the words that say nothing about a subject."""
    plain = not (clause.is_phrase or clause.is_prefix or clause.in_title)
    return plain and not tokenize(clause.text)


def _replaced(text: str, clause: Clause, word: str) -> str:
    at = text.index(clause.text, clause.position)
    return f"{text[:at]}{word}{text[at + len(clause.text) :]}"


def read_request(
    text: str, *, order: str = "", without: Collection[str] = (), screen: str = ""
) -> SearchRequest:
    """Read what an address says; what it cannot mean is taken for the default."""
    chosen = next((one for one in SearchOrder if one == order), SearchOrder.RELEVANCE)
    number = int(screen) if screen.isdecimal() and len(screen) < 5 else 1
    off = frozenset(label_key(name) for name in list(without)[:50])
    return SearchRequest(text.strip(), chosen, off, min(max(number, 1), MAX_SCREENS))
