"""What the focus strategy counts and compares: words by bucket, pages by what they share."""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Buckets that words are hashed into. CRC32, as Python's own hash is salted per process.
N_BUCKETS = 2**16
#: Average pages that every posterior begins with.
PRIOR_PAGES = 2.0
#: Distance that chances keep from 0 and 1.
LEAST = 1e-4
#: Folders of a URL that are distinguished, from the top.
MAX_FOLDERS = 4


@lru_cache(maxsize=100_000)
def bucket(token: str) -> int:
    """Return the bucket of a word, in [0, N_BUCKETS)."""
    return zlib.crc32(token.encode()) % N_BUCKETS


def packed_words(tokens: Iterable[str], most: int) -> bytes:
    """Buckets of the first `most` distinct tokens, small enough for a memo."""
    distinct = list(dict.fromkeys(tokens))[:most]
    return np.array([bucket(token) for token in distinct], "<u2").tobytes()


def buckets_of(packed: bytes) -> NDArray[np.int64]:
    """Undo the packing of `packed_words`."""
    return np.frombuffer(packed, "<u2").astype(np.int64)


def folders(url: str) -> list[int]:
    """Numbers of the folders a URL lies in, the site's topmost first, at most `MAX_FOLDERS`."""
    path = url.partition("://")[2].partition("?")[0]
    ends = [place for place, letter in enumerate(path) if letter == "/"]
    return [zlib.crc32(path[:end].encode()) for end in ends[1 : MAX_FOLDERS + 1]]


class Tally(msgspec.Struct):
    """How many fetched pages share something, and the sum of their worth."""

    n: float = 0.0
    worth: float = 0.0

    def add(self, worth: float, weight: float = 1.0) -> None:
        """Count one page, or the part of one that `weight` says."""
        self.n += weight
        self.worth += weight * worth

    def posterior(self, mean: float, prior_pages: float = PRIOR_PAGES) -> float:
        """Expected worth of a page that shares it, where `prior_pages` were worth `mean`."""
        return (self.worth + prior_pages * mean) / (self.n + prior_pages)

    def lift(self, mean: float) -> float:
        """Posterior log-odds against those of an average page."""
        return log_odds(self.posterior(mean)) - log_odds(mean)


def lifts_of(n_pages: Floats, worth: Floats, mean: float) -> Floats:
    """`Tally.lift` of many tallies at once, shape (n_tallies,)."""
    chance = (worth + PRIOR_PAGES * mean) / (n_pages + PRIOR_PAGES)
    chance = np.clip(chance, LEAST, 1 - LEAST)
    lifts: Floats = np.log(chance / (1 - chance)) - log_odds(mean)
    return lifts


def log_odds(chance: float) -> float:
    """ln(p / (1 - p)), p kept off both ends."""
    chance = min(max(chance, LEAST), 1 - LEAST)
    return log(chance / (1 - chance))


@dataclass(frozen=True, slots=True)
class WordStats:
    """What fetched pages with a word were worth.

    Attributes
    ----------
    n_pages, worth : ndarray of float64, shape (N_BUCKETS,)
        Pages that hold a word of the bucket, and the sum of their worth.
    """

    n_pages: Floats
    worth: Floats

    def lifts(self, mean: float) -> Floats:
        """ln of each word's posterior worth over the mean page's, shape (N_BUCKETS,)."""
        posterior = (self.worth + PRIOR_PAGES * mean) / (self.n_pages + PRIOR_PAGES)
        lifts: Floats = np.log(np.maximum(posterior, 1e-6) / max(mean, 1e-6))
        return lifts


@dataclass(frozen=True, slots=True)
class WordLists:
    """The words of many links, for sums over all of them at once."""

    n_lists: int
    buckets: NDArray[np.int64]
    owners: NDArray[np.int64]

    @classmethod
    def of(cls, packed: Sequence[bytes]) -> "WordLists":
        """Put packed word lists one after the other."""
        lengths = np.array([len(words) // 2 for words in packed], np.int64)
        owners = np.repeat(np.arange(len(packed)), lengths)
        return cls(len(packed), buckets_of(b"".join(packed)), owners)

    def sum(self, values: Floats) -> Floats:
        """Sum of `values` over each list's words."""
        total = np.bincount(self.owners, values[self.buckets], self.n_lists)
        return total.astype(np.float64)

    def mean(self, values: Floats, weights: Floats) -> Floats:
        """Weighted mean of `values` over each list's words; 0 for an empty list."""
        chosen = weights[self.buckets]
        total = np.bincount(self.owners, chosen * values[self.buckets], self.n_lists)
        return total / np.maximum(np.bincount(self.owners, chosen, self.n_lists), 1e-9)

    def cosine(self, unit: Floats, weights: Floats) -> Floats:
        """Cosine of each list, weighted, with a unit vector; 0 for an empty list."""
        chosen = weights[self.buckets]
        shared = np.bincount(self.owners, chosen * unit[self.buckets], self.n_lists)
        length = np.sqrt(np.bincount(self.owners, chosen * chosen, self.n_lists))
        return shared / np.maximum(length, 1e-9)
