"""How much of one text stands in another: shingles of words, by a sketch of them."""

from collections.abc import Callable
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from crawler.page.parsed import PageTerms

#: Words of a shingle. Texts of one subject share words and pairs of them, and hardly any four
#: in a row.
N_WORDS: Final = 4
#: Shingles of a sketch, those of the smallest hashes: they are the same for the same text.
N_SKETCH: Final = 256
#: Fewer shingles in common are a phrase.
MIN_SHARED: Final = 5

#: Among so many of the smallest hashes `N_SKETCH` differ, but for a text that repeats itself.
_N_CHOSEN: Final = 2 * N_SKETCH

_MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)

Sketch = NDArray[np.uint64]


class Shingles:
    """A text's sketch, made on first use.

    Parameters
    ----------
    read : callable
        Returns the terms of the page; without its title, which is compared by itself.
    """

    __slots__ = ("_read", "_sketch")

    def __init__(self, read: Callable[[], PageTerms]) -> None:
        self._read = read
        self._sketch: Sketch | None = None

    def sketch(self) -> Sketch:
        """Return the smallest hashes of the text's shingles, in order."""
        if self._sketch is None:
            self._sketch = sketch(self._read())
        return self._sketch


def sketch(terms: PageTerms) -> Sketch:
    """Return the `N_SKETCH` smallest hashes of the text's shingles, in order, all if fewer.

    References
    ----------
    A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 3.
    """
    if not terms.vocabulary:
        return np.zeros(0, np.uint64)
    words = np.fromiter(
        (crc32(term.encode("utf-8", "replace")) for term in terms.vocabulary),
        np.uint64,
        len(terms.vocabulary),
    )
    text = words[terms.indices()[terms.n_title :]]
    n_shingles = max(len(text) - N_WORDS + 1, 0)
    hashes = np.zeros(n_shingles, np.uint64)
    for place in range(N_WORDS):
        hashes = (hashes ^ text[place : place + n_shingles]) * _MIX
        hashes ^= hashes >> _SHIFT
    if n_shingles > _N_CHOSEN:
        # To sort all of them takes most of the time; few are the same twice.
        smallest = np.unique(np.partition(hashes, _N_CHOSEN)[:_N_CHOSEN])
        if len(smallest) >= N_SKETCH:
            return smallest[:N_SKETCH]
    return np.unique(hashes)[:N_SKETCH]


def containment(one: Sketch, other: Sketch) -> tuple[float, float]:
    """Return how much of the shorter text stands in the longer one, and of the longer in it.

    Both in [0, 1], estimated from what both sketches hold of all shingles; 0 where fewer
    than `MIN_SHARED` are the same.
    """
    if min(len(one), len(other)) < MIN_SHARED:
        return 0.0, 0.0
    last = min(_last(one), _last(other))
    mine, theirs = one[one <= last], other[other <= last]
    n_same = len(np.intersect1d(mine, theirs, assume_unique=True))
    if n_same < MIN_SHARED:
        return 0.0, 0.0
    shorter, longer = sorted((len(mine), len(theirs)))
    return n_same / shorter, n_same / longer


def _last(found: Sketch) -> np.uint64:
    """Up to which hash a sketch holds all shingles of its text."""
    return found[-1] if len(found) == N_SKETCH else np.uint64(2**64 - 1)
