"""How many pages hold each term, over all pages seen [P2 eq. 4]."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log10

import msgspec
import numpy as np
from numpy.typing import NDArray

from crawler.page.parsed import PageTerms

#: Past this many terms those seen on one page only are forgotten.
MAX_TERMS = 200_000


@dataclass(slots=True)
class DocumentFrequencies:
    """Page counts of terms, kept for all languages together.

    Tokens of different scripts do not meet, so one table serves them all; only
    the number of pages is counted per language.

    Attributes
    ----------
    n_pages : dict of str to int
        Pages seen, by language.
    terms : dict of str to int
        Pages that hold the term.
    """

    n_pages: dict[str, int] = field(default_factory=dict)
    terms: dict[str, int] = field(default_factory=dict)

    def add(self, pages: Iterable[PageTerms]) -> None:
        """Count each page once."""
        counts = self.terms
        for page in pages:
            self.n_pages[page.language] = self.n_pages.get(page.language, 0) + 1
            for term in page.vocabulary:
                counts[term] = counts.get(term, 0) + 1
        if len(counts) > MAX_TERMS:
            self.terms = {term: count for term, count in counts.items() if count > 1}

    @property
    def total(self) -> int:
        """Pages seen in all languages."""
        return sum(self.n_pages.values())

    def idf(self, terms: Sequence[str], language: str = "") -> NDArray[np.float64]:
        """lg(D / D_w) of each term, floored at 0, shape (len(terms),) [P2 eq. 4].

        D counts the pages of `language`, or all pages when that language was not
        seen; D_w is floored at 1 (*Resolved*).
        """
        n_pages = max(self.n_pages.get(language, 0) or self.total, 1)
        known = self.terms.get
        held = np.array([known(term, 0) for term in terms], dtype=np.float64)
        idf: NDArray[np.float64] = np.maximum(
            log10(n_pages) - np.log10(np.maximum(held, 1.0)), 0.0
        )
        return idf

    def dump(self) -> bytes:
        """Pack for storage."""
        return msgspec.msgpack.encode((self.n_pages, self.terms))

    @classmethod
    def load(cls, packed: bytes) -> "DocumentFrequencies":
        """Unpack what `dump` gave."""
        n_pages, terms = msgspec.msgpack.decode(packed, type=tuple[dict[str, int], dict[str, int]])
        return cls(n_pages, terms)
