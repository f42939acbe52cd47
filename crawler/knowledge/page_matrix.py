"""Many pages as one sparse matrix, so that all of them are judged in one go."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.judge import Judge
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]


class _Numbers(dict[str, int]):
    """Numbers terms in the order they are asked for."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class PageMatrix:
    """Term counts of pages; entry i says that page `rows[i]` holds term `columns[i]`.

    Attributes
    ----------
    pages : sequence of PageTerms
    terms : dict of str to int
        Column of each term, in the order of the columns.
    rows, columns : ndarray of int32, shape (n_entries,)
        Page by page.
    counts : ndarray of float32, shape (n_entries,)
        Occurrences, >= 1.
    weighted : ndarray of float32, shape (n_entries,)
        Sum of the tag classes K over the occurrences [P1 eq. 2].
    lengths : ndarray of float64, shape (n_pages,)
        Tokens of each page.
    languages : sequence of str
        Language of each page.
    """

    pages: Sequence[PageTerms]
    terms: dict[str, int]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    counts: NDArray[np.float32]
    weighted: NDArray[np.float32]
    lengths: Vector
    languages: Sequence[str]

    @classmethod
    def of(cls, pages: Sequence[PageTerms]) -> "PageMatrix":
        """Build it; about 0.1 ms a page. `pages` may unpack each page when it is asked for."""
        numbers = _Numbers()
        columns, counts, weighted = array("i"), array("f"), array("f")
        sizes, lengths, languages = [], [], []
        for page in pages:
            columns.extend(map(numbers.__getitem__, page.vocabulary))
            counts.frombytes(page.counts().astype(np.float32).tobytes())
            weighted.frombytes(page.weighted_counts().astype(np.float32).tobytes())
            sizes.append(len(page.vocabulary))
            lengths.append(len(page))
            languages.append(page.language)
        return cls(
            pages,
            dict(numbers),
            np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
            np.frombuffer(columns, np.int32),
            np.frombuffer(counts, np.float32),
            np.frombuffer(weighted, np.float32),
            np.array(lengths, np.float64),
            languages,
        )

    def __len__(self) -> int:
        return len(self.pages)

    def sums(self, entries: Vector) -> Vector:
        """Sum a value of each entry over the page's entries, shape (n_pages,)."""
        return np.bincount(self.rows, weights=entries, minlength=len(self)).astype(np.float64)

    def by_column(self, weights: dict[str, float]) -> Vector:
        """The weight of each term as a vector over the columns, 0 for terms without one."""
        vector = np.zeros(len(self.terms))
        for term, weight in weights.items():
            column = self.terms.get(term)
            if column is not None:
                vector[column] = weight
        return vector

    def holding(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        """True for each page that holds all of some terms, shape (n_pages,)."""
        held = np.ones(len(self), dtype=np.bool_)
        for term in terms:
            here = np.zeros(len(self), dtype=np.bool_)
            if term in self.terms:
                here[self.rows[self.columns == self.terms[term]]] = True
            held &= here
        return held

    def passing(
        self, candidates: NDArray[np.bool_], test: Callable[[PageTerms], bool]
    ) -> NDArray[np.bool_]:
        """Keep of some pages those that pass a test, shape (n_pages,)."""
        passed = np.zeros(len(self), dtype=np.bool_)
        for number in np.flatnonzero(candidates).tolist():
            passed[number] = test(self.pages[number])
        return passed


@runtime_checkable
class MatrixJudge(Protocol):
    """A judge that can also judge many pages in one go."""

    def relevances(self, pages: PageMatrix) -> Vector:
        """Relevance of each page, as `judge` gives it, shape (n_pages,)."""


def relevances(judge: Judge, pages: PageMatrix) -> Vector:
    """Judge every page: in one go if the judge can, else one after the other."""
    if isinstance(judge, MatrixJudge):
        return judge.relevances(pages)
    found = (judge.judge(page).relevance for page in pages.pages)
    return np.fromiter(found, np.float64, len(pages))
