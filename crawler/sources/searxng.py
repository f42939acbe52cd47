"""Seeds from a search engine: the JSON interface of the user's own SearXNG."""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlencode

import msgspec

from crawler.errors import FetchError
from crawler.fetch.door import Door, status_refusal
from crawler.knowledge.profile import TopicProfile
from crawler.models import Crawl, FrontierEntry
from crawler.page.url import canonical_url
from crawler.problems import MAX_DETAIL, Problem, ProblemKind
from crawler.reasons import Reason
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry, each_once
from crawler.sources.registry import Known

#: Results taken of one search.
MAX_RESULTS = 20


class _Result(msgspec.Struct):
    url: str


class _Answer(msgspec.Struct):
    results: list[_Result]


class SearxngSearch:
    """Queries a SearXNG instance for each seed query.

    Parameters
    ----------
    address : str
        The instance's search page, such as http://localhost:8080/search; "" for none.
    """

    name = registry.SEARCHES

    def __init__(self, address: str) -> None:
        self._address = address

    def find(self, inquiry: Inquiry) -> Found:
        """Search for those of the topic's queries that are worth it now."""
        queries = inquiry.profile.queries
        if not self._address or not queries:
            return Found()
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        known = _searches(crawl, queries, inquiry.now)
        urls: list[str] = []
        first_look: list[str] = []
        for query in registry.due_of_kind(crawl, self.name, inquiry.now):
            state = known[query].state
            try:
                found = self._search(query, inquiry.profile, inquiry.door)
            except FetchError as error:
                refused = error.reason is Reason.ACCESS_DENIED
                trouble = ProblemKind.SEARCH_REFUSED if refused else ProblemKind.SEARCH_FAILED
                known[query] = _failed(state.after_failure(inquiry.now), trouble, query, error)
            # msgspec does not count hostile nesting and bytes that are not UTF-8 as decoding
            # errors.
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                after = state.after_failure(inquiry.now)
                known[query] = _failed(after, ProblemKind.SEARCH_UNREADABLE, query, error)
            else:
                urls += _without_ended(crawl, found)
                first_look += found if state.visited is None else []
                new = _unknown(crawl, found)
                known[query] = Known(self.name, state, inquiry.now, new, len(found))
        registry.save(crawl, registry.load(crawl) | known)
        # Also of those that back off: their failure holds until they are visited again.
        problems = tuple(one.problem for one in known.values() if one.problem is not None)
        return Found(each_once(urls), problems, frozenset(first_look))

    def _search(self, query: str, profile: TopicProfile, door: Door) -> list[str]:
        parameters = {"q": query, "format": "json"}
        if len(profile.languages) == 1:
            parameters["language"] = profile.languages[0]
        fetched = door.fetch(f"{self._address}?{urlencode(parameters)}")
        refused = status_refusal(fetched)
        if refused is not None:
            raise refused
        answer = msgspec.json.decode(fetched.body, type=_Answer)
        return [url for result in answer.results[:MAX_RESULTS] if (url := _canonical(result.url))]


def _failed(state: SourceState, trouble: ProblemKind, query: str, error: Exception) -> Known:
    """A search that failed, with what was seen."""
    detail = str(error)[:MAX_DETAIL]
    problem = Problem(trouble, query, detail, times=state.failures, since=state.failing_since)
    return Known(registry.SEARCHES, state, problem=problem)


def _searches(crawl: Crawl, queries: Sequence[str], now: datetime) -> dict[str, Known]:
    """The topic's searches as the ledger has them; those it no longer makes are struck out."""
    registry.note(crawl, registry.SEARCHES, queries, now)
    known = registry.caught_up(crawl)
    searches = {key: one for key, one in known.items() if one.kind == registry.SEARCHES}
    gone = searches.keys() - set(queries)
    if gone:
        registry.save(crawl, {key: one for key, one in known.items() if key not in gone})
    return {key: one for key, one in searches.items() if key not in gone}


def _unknown(crawl: Crawl, urls: Sequence[str]) -> tuple[str, ...]:
    """Those that are new to the crawl."""
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=urls)
    heard_of = set(entries.values_list("url__url", flat=True))
    return tuple(url for url in urls if url not in heard_of)


def _without_ended(crawl: Crawl, urls: Sequence[str]) -> list[str]:
    """Those that were not fetched yet: `KnownPages` visits known pages again.

    A search lists mostly what it listed the last time.
    """
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=urls, ended__isnull=False)
    ended = set(entries.values_list("url__url", flat=True))
    return [url for url in urls if url not in ended]


def _canonical(url: str) -> str:
    """The URL's one spelling; "" for what no crawl can fetch (a magnet link, say)."""
    try:
        return canonical_url(url)
    except FetchError:
        return ""
