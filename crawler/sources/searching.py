"""Searches as sources: which are due, what their answers are worth, what failed."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from crawler.errors import FetchError, ParseError
from crawler.models import Crawl, FrontierEntry
from crawler.problems import MAX_DETAIL, Problem, ProblemKind
from crawler.reasons import Reason
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry, each_once
from crawler.sources.registry import KnownSource

#: Looks one search up; None if it has to wait for a later run.
Look = Callable[[str], Sequence[str] | None]


def find_by_searches(inquiry: Inquiry, kind: str, keys: Sequence[str], look: Look) -> Found:
    """Make those of some searches that are worth it now.

    Parameters
    ----------
    kind : str
        Of the searches, as `registry` has it.
    keys : sequence of str
        What the topic searches for now; other searches of this kind are removed.
    look : callable
        Returns the results of a search, or None if it is not its turn; raises FetchError or
        ParseError.
    """
    crawl = Crawl.objects.get(pk=inquiry.crawl_id)
    known = _searches(crawl, kind, keys, inquiry.now)
    urls: list[str] = []
    first_look: list[str] = []
    for key in registry.due_of_kind(crawl, kind, inquiry.now):
        state = known[key].state
        try:
            found = look(key)
        except (FetchError, ParseError) as error:
            known[key] = _failed(kind, key, state.after_failure(inquiry.now), error)
            continue
        if found is None:
            continue
        urls += _without_ended(crawl, found)
        first_look += found if state.visited is None else []
        known[key] = KnownSource(kind, state, inquiry.now, _unknown(crawl, found), len(found))
    registry.save_sources(crawl, registry.load_sources(crawl) | known)
    # Also of those that back off: their failure holds until they are visited again.
    problems = tuple(one.problem for one in known.values() if one.problem is not None)
    return Found(each_once(urls), problems, frozenset(first_look))


def _failed(kind: str, key: str, state: SourceState, error: FetchError | ParseError) -> KnownSource:
    """A search that failed, with what was seen."""
    own, detail = kind == registry.SEARCHES, str(error)
    if isinstance(error, ParseError):
        trouble = ProblemKind.SEARCH_UNREADABLE if own else ProblemKind.PROVIDER_UNREADABLE
        detail = error.detail
    elif own and error.reason is Reason.ACCESS_DENIED:
        trouble = ProblemKind.SEARCH_REFUSED
    else:
        trouble = ProblemKind.SEARCH_FAILED if own else ProblemKind.PROVIDER_FAILED
    since = state.failing_since
    problem = Problem(trouble, key, detail[:MAX_DETAIL], times=state.failures, since=since)
    return KnownSource(kind, state, problem=problem)


def _searches(
    crawl: Crawl, kind: str, keys: Sequence[str], now: datetime
) -> dict[str, KnownSource]:
    """Return the topic's searches of a kind; remove those it no longer makes."""
    registry.note(crawl, kind, keys, now)
    known = registry.caught_up(crawl)
    searches = {key: one for key, one in known.items() if one.kind == kind}
    gone = searches.keys() - set(keys)
    if gone:
        registry.save_sources(crawl, {key: one for key, one in known.items() if key not in gone})
    return {key: one for key, one in searches.items() if key not in gone}


def _unknown(crawl: Crawl, urls: Collection[str]) -> tuple[str, ...]:
    """Those that are new to the crawl."""
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=urls)
    known_urls = set(entries.values_list("url__url", flat=True))
    return tuple(url for url in urls if url not in known_urls)


def _without_ended(crawl: Crawl, urls: Collection[str]) -> list[str]:
    """Those that were not fetched yet: `KnownPages` visits known pages again.

    A search lists mostly what it listed the last time.
    """
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=urls, ended__isnull=False)
    ended = set(entries.values_list("url__url", flat=True))
    return [url for url in urls if url not in ended]
