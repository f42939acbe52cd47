"""Conditions of a query that read titles, addresses, authors and texts of pages, not the index."""

from functools import lru_cache
from time import monotonic
from typing import Final

from crawler.api.tables import HarvestQuerySet, Page, chunks
from crawler.api.text import fold
from topics.search.analysis import phrase_tokens, query_words
from topics.search.errors import QueryTooSlowError
from topics.search.matching import PageText
from topics.search.patterns import LinearPattern
from topics.search.tree import Clause, Pattern

#: Longest that one condition may take, in seconds.
LIMIT_S: Final = 2.0


def pages_by_author(name: str, pages: HarvestQuerySet) -> frozenset[int]:
    """Pages whose author has a name, or a part of one, in whatever case and script."""
    part = fold(name)
    named = pages.filter(url__page__byline__gt="").order_by()
    rows = named.values_list("url_id", "url__page__byline")
    return frozenset(key for key, byline in rows.iterator() if part in fold(byline or ""))


def pages_matching(pattern: Pattern, pages: HarvestQuerySet) -> frozenset[int]:
    """Pages whose title or address a regular expression matches.

    Raises
    ------
    QueryTooSlowError
        If the pages are so many, or the pattern so large, that it takes too long.
    """
    ready, ends, found = _ready(pattern), monotonic() + LIMIT_S, set[int]()
    rows = pages.order_by().values_list("url_id", "url__page__title", "url__url")
    for key, title, address in rows.iterator():
        if ready.is_in(title or "") or ready.is_in(address):
            found.add(key)
        if monotonic() > ends:
            raise QueryTooSlowError(f"a regular expression took more than {LIMIT_S} s")
    return frozenset(found)


@lru_cache(maxsize=100)
def _ready(pattern: Pattern) -> LinearPattern:
    return LinearPattern(pattern.text, ignore_case=pattern.ignore_case)


def pages_without(clause: Clause, pages: HarvestQuerySet) -> frozenset[int]:
    """Pages whose title shares something with a clause that their text does not hold.

    The index finds a clause in title and text together. All that it finds in other pages stands
    in their texts, so only these few texts are read.

    Raises
    ------
    QueryTooSlowError
        If they are so many that it takes too long.
    """
    # The last letter of a stem may differ (battery, batteri); a Chinese word may be cut elsewhere.
    starts = {word[:-1] if word.isascii() and len(word) > 2 else word[0] for word in _parts(clause)}
    rows = pages.order_by().values_list("url_id", "url__page__title")
    shared = [
        key for key, title in rows.iterator() if any(start in fold(title or "") for start in starts)
    ]
    ends, found = monotonic() + LIMIT_S, set[int]()
    for some in chunks(sorted(set(shared))):
        for page in Page.objects.filter(pk__in=some):
            if not PageText(page.pk, "", page.text).holds(clause):
                found.add(page.pk)
        if monotonic() > ends:
            raise QueryTooSlowError(f"reading texts took more than {LIMIT_S} s")
    return frozenset(found)


def _parts(clause: Clause) -> set[str]:
    """All that a find of a clause may consist of."""
    return {part for part in (*query_words(clause.text), *phrase_tokens(clause.text)) if part}
