"""How many pages hold each term, over all pages seen [P2 eq. 4]."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import log10
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from crawler.page.parsed import PageTerms

#: Past this many terms the rarest are forgotten: at most three quarters are left.
MAX_TERMS: Final = 100_000
_TERMS_LEFT: Final = 75_000
#: Of pages that a crawl kept, such a share counts as holding a term of its topic.
KEPT_SHARE: Final = 0.1
#: Judges see new counts when the training set grew by this share, or when a seed page came in.
_GROWTH: Final = 0.5


@dataclass(slots=True)
class DocumentFrequencies:
    """Page counts of terms, kept for all languages together.

    Tokens of different scripts do not meet, so one table serves them all; only
    the number of pages is counted per language.

    Attributes
    ----------
    n_pages : dict of str to int
        Pages seen, by language.
    terms : Counter of str
        Pages that hold the term.
    n_kept : int
        Pages that were kept, of all that were seen.
    """

    n_pages: dict[str, int] = field(default_factory=dict)
    terms: Counter[str] = field(default_factory=Counter)
    n_kept: int = 0
    #: The terms counted last, and their pages: a judge and the content value count the same.
    _counted: tuple[Sequence[str], NDArray[np.float64]] = field(
        default=((), np.zeros(0)), init=False, repr=False, compare=False
    )

    def has_grown(self, seen: int) -> bool:
        """True if judges that saw so many pages must see these counts."""
        return self.total > (1 + _GROWTH) * seen

    def add(self, pages: Iterable[PageTerms], n_kept: int = 0) -> None:
        """Count each page once; `n_kept` of them are kept as pages of a topic."""
        self.n_kept += n_kept
        self._counted = ((), np.zeros(0))
        for page in pages:
            self.n_pages[page.language] = self.n_pages.get(page.language, 0) + 1
            self.terms.update(page.vocabulary)
        if len(self.terms) > MAX_TERMS:
            held = np.fromiter(self.terms.values(), np.int64, len(self.terms))
            most_forgotten = int(np.partition(held, -_TERMS_LEFT - 1)[-_TERMS_LEFT - 1])
            self.terms = Counter({term: n for term, n in self.terms.items() if n > most_forgotten})

    @property
    def total(self) -> int:
        """Pages seen in all languages."""
        return sum(self.n_pages.values())

    def idf(
        self, terms: Sequence[str], language: str = "", *, topic: Collection[str] = ()
    ) -> NDArray[np.float64]:
        """lg(D / D_w) of each term, floored at 0, shape (len(terms),) [P2 eq. 4].

        D counts the pages of `language`, or all pages when no language is named or that
        one was not seen: never only those in no known language. D_w is floored at 1
        (*Resolved*). Of the pages that hold a term of `topic`, as many as the crawl kept
        count for a tenth (*Resolved*): rarity is that of the web, and a crawl that does
        well sees nearly only pages that hold them.
        """
        n_pages = max((language and self.n_pages.get(language, 0)) or self.total, 1)
        held = self._held(terms)
        if topic:
            held = held.copy()
            own = np.frombuffer(bytes(map(topic.__contains__, terms)), np.bool_)
            held[own] -= (1 - KEPT_SHARE) * np.minimum(held[own], self.n_kept)
        idf: NDArray[np.float64] = np.maximum(log10(n_pages) - np.log10(np.maximum(held, 1.0)), 0.0)
        return idf

    def _held(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """Pages that hold each term, shape (len(terms),); not to be written to."""
        last, held = self._counted
        if terms is not last:
            # Without a Python loop: this runs for every page.
            held = np.fromiter(map(self.terms.get, terms, repeat(0)), np.float64, len(terms))
            self._counted = terms, held
        return held

    def copy(self) -> "DocumentFrequencies":
        """Return counts that change by themselves."""
        return DocumentFrequencies(dict(self.n_pages), self.terms.copy(), self.n_kept)

    def dump(self) -> bytes:
        """Pack for storage."""
        return msgspec.msgpack.encode((self.n_pages, self.terms, self.n_kept))

    @classmethod
    def load(cls, packed: bytes) -> "DocumentFrequencies":
        """Unpack what `dump` gave."""
        n_pages, terms, n_kept = msgspec.msgpack.decode(
            packed, type=tuple[dict[str, int], dict[str, int], int]
        )
        return cls(n_pages, Counter(terms), n_kept)
