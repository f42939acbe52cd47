"""Terms with their postings as arrays, and how those of several segments become one."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Terms in order, with their postings.

    Attributes
    ----------
    n_pages, n_places : array of int, shape (n_terms,)
        How many postings and how many positions each term has.
    pages, weights : array of int, shape (n_postings,)
        The pages that hold each term, in order, and what it counts there.
    positions : array of int, shape (n_positions,)
        Where the pages hold it; a posting has as many as it weighs, or its field has none.
    """

    terms: list[bytes]
    n_pages: Numbers
    n_places: Numbers
    pages: Numbers
    weights: Numbers
    positions: Numbers

    def between(self, first: bytes, beyond: bytes) -> "Chunk":
        """Return the terms from one on and before another."""
        low, high = bisect_left(self.terms, first), bisect_left(self.terms, beyond)
        some = slice(low, high)
        of_pages, of_places = span_of(self.n_pages, low, high), span_of(self.n_places, low, high)
        return Chunk(
            self.terms[some],
            self.n_pages[some],
            self.n_places[some],
            self.pages[of_pages],
            self.weights[of_pages],
            self.positions[of_places],
        )

    def renumbered(self, numbers: NDArray[np.int64]) -> "Chunk":
        """The same with new numbers for the pages, without those whose number is negative."""
        pages, n_terms = numbers[self.pages], len(self.terms)
        if not len(pages) or pages.min() >= 0:
            return Chunk(
                self.terms, self.n_pages, self.n_places, pages, self.weights, self.positions
            )
        stay = pages >= 0
        term = np.repeat(np.arange(n_terms), self.n_pages)
        n_each = self.weights * np.repeat(self.n_places > 0, self.n_pages)
        n_pages = np.bincount(term[stay], minlength=n_terms)
        n_places = np.bincount(term[stay], n_each[stay], n_terms).astype(np.int64)
        held = n_pages > 0
        return Chunk(
            list(compress(self.terms, held.tolist())),
            n_pages[held],
            n_places[held],
            pages[stay],
            self.weights[stay],
            self.positions[np.repeat(stay, n_each)],
        )


def span_of(counts: Numbers, low: int, high: int) -> slice:
    """Where the numbers of some terms are, if each has as many as counted."""
    start = int(counts[:low].sum())
    return slice(start, start + int(counts[low:high].sum()))


def merged(chunks: Sequence[Chunk]) -> Chunk:
    """Join chunks; the pages of each have greater numbers than those of the one before."""
    chunks = [chunk for chunk in chunks if chunk.terms] or list(chunks[:1])
    if len(chunks) == 1:
        return chunks[0]
    terms = sorted(set().union(*(chunk.terms for chunk in chunks)))
    rank = {term: number for number, term in enumerate(terms)}
    ranks = [
        np.fromiter(map(rank.__getitem__, chunk.terms), np.int64, len(chunk.terms))
        for chunk in chunks
    ]
    n_pages, n_places = [c.n_pages for c in chunks], [c.n_places for c in chunks]
    return Chunk(
        terms,
        _summed(ranks, n_pages, len(terms)),
        _summed(ranks, n_places, len(terms)),
        _interleaved(ranks, n_pages, [c.pages for c in chunks], len(terms)),
        _interleaved(ranks, n_pages, [c.weights for c in chunks], len(terms)),
        _interleaved(ranks, n_places, [c.positions for c in chunks], len(terms)),
    )


def _summed(
    ranks: Sequence[NDArray[np.int64]], counts: Sequence[Numbers], n_terms: int
) -> NDArray[np.int64]:
    total = np.zeros(n_terms, np.int64)
    for rank, count in zip(ranks, counts, strict=True):
        total[rank] += count
    return total


def _interleaved(
    ranks: Sequence[NDArray[np.int64]],
    counts: Sequence[Numbers],
    values: Sequence[Numbers],
    n_terms: int,
) -> Numbers:
    """The values of each term side by side, those of the first chunk first."""
    total = _summed(ranks, counts, n_terms)
    free = np.cumsum(total) - total
    joined = np.empty(int(total.sum()), np.result_type(*values))
    for rank, count, some in zip(ranks, counts, values, strict=True):
        shift = free[rank] - (np.cumsum(count) - count)
        joined[np.arange(len(some)) + np.repeat(shift, count)] = some
        free[rank] += count
    return joined
