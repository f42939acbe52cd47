"""Postings and columns of a Whoosh index as arrays over the pages of all its segments."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh.reading import IndexReader

from topics.search.whoosh.columns import LENGTHS
from topics.search.whoosh.fields import term_of
from topics.search.whoosh.terms import Span, TermFile

#: Sets of pages that are remembered, of one segment and some topics each.
_MAX_REMEMBERED = 1_000
#: They never change: a segment is never written again, and its name never used again.
_of_topics: dict[tuple[str, tuple[str, ...]], NDArray[np.uint8]] = {}

Pages = NDArray[np.bool_]
#: A segment's file, the number of its first page, and where the postings are.
_Place = tuple[TermFile, int, Span]


@dataclass(frozen=True, slots=True)
class Postings:
    """The pages that hold a token, deleted ones too, in order.

    Attributes
    ----------
    pages : array of int64, shape (n_found,)
        Numbers of the pages.
    weights : array of float64, shape (n_found,)
        What the token counts in each.
    places : tuple
        Where its positions are.
    """

    pages: NDArray[np.int64]
    weights: NDArray[np.float64]
    places: tuple[_Place, ...]


class IndexSnapshot:
    """One state of an index, as long as its reader is open.

    Parameters
    ----------
    before_read : callable, optional
        Is called before postings are read; what it raises ends the search.
    """

    def __init__(self, reader: IndexReader, before_read: Callable[[], None] = lambda: None) -> None:
        self.n_pages: int = reader.doc_count_all()
        self._before_read = before_read
        self._parts = [(part, offset) for part, offset in reader.leaf_readers() if self.n_pages]

    @cached_property
    def live(self) -> Pages:
        """The pages that are not deleted."""
        live = np.ones(self.n_pages, np.bool_)
        for part, offset in self._parts:
            deleted = np.fromiter(part.segment().deleted_docs(), np.int64)
            live[deleted + offset] = False
        return live

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """The key of each page."""
        found = [part._terms.columns.keys() for part, _ in self._parts]
        return np.concatenate([np.empty(0, np.int64), *found])

    def lengths(self, field: str) -> NDArray[np.float64]:
        """Return how many tokens a field has in each page, as exactly as Whoosh keeps it."""
        levels = [part._terms.columns.levels(field) for part, _ in self._parts]
        lengths: NDArray[np.float64] = LENGTHS[np.concatenate([np.empty(0, np.uint8), *levels])]
        return lengths

    def mean_length(self, field: str) -> float:
        """Return how many tokens a field has on average."""
        total = sum(part.field_length(field) for part, _ in self._parts)
        return total / self.n_pages or 1.0

    def postings(self, field: str, token: str) -> Postings:
        """Return the postings of a token."""
        term = term_of(field, token)
        places = [(part._terms.file, offset) for part, offset in self._parts]
        found = [(file, offset, file.find(term)) for file, offset in places]
        return self._read([(file, offset, span) for file, offset, span in found if span])

    def postings_from(self, field: str, beginning: str) -> Postings:
        """Return the postings of all tokens that begin so, as if they were one; without places."""
        term = term_of(field, beginning)
        places = [(part._terms.file, offset) for part, offset in self._parts]
        each = self._read([(file, offset, file.find_from(term)) for file, offset in places])
        weights = np.bincount(each.pages, each.weights, self.n_pages).astype(np.float64)
        pages = np.flatnonzero(weights)
        return Postings(pages, weights[pages], ())

    def positions(self, postings: Postings) -> NDArray[np.int64]:
        """Return where the token of some postings stands, as often as each weighs."""
        self._before_read()
        found = [file.positions(span) for file, _, span in postings.places]
        return np.concatenate([np.empty(0, np.int64), *found])

    def of_topics(self, topics: Collection[str]) -> Pages:
        """Return the pages of any of some topics."""
        wanted = tuple(sorted(topics))
        found = [self._of_topics(part, wanted) for part, _ in self._parts]
        return np.concatenate([np.empty(0, np.bool_), *found])

    def _of_topics(self, part: Any, topics: tuple[str, ...]) -> Pages:
        key, n_pages = (part.segment().segment_id(), topics), part.doc_count_all()
        known = _of_topics.get(key)
        if known is None:
            pages, file = np.zeros(n_pages, np.bool_), part._terms.file
            for topic in topics:
                span = file.find(term_of("topics", topic))
                if span is not None:
                    pages[self._read([(file, 0, span)]).pages] = True
            if len(_of_topics) >= _MAX_REMEMBERED:
                _of_topics.clear()
            known = _of_topics[key] = np.packbits(pages)
        return np.unpackbits(known, count=n_pages).view(np.bool_)

    def _read(self, places: list[_Place]) -> Postings:
        """Read postings, one after the other."""
        pages: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        weights: list[NDArray[Any]] = [np.empty(0)]
        for file, offset, span in places:
            self._before_read()
            records = file.postings(span)
            pages.append(records["page"].astype(np.int64) + offset)
            weights.append(records["weight"])
        return Postings(np.concatenate(pages), np.concatenate(weights), tuple(places))
