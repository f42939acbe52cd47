"""Many pages as one sparse matrix, so that all of them are judged in one go."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Judge
from crawler.knowledge.judges.features import IDF_POWER, LEAD_WEIGHT, n_lead_terms
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PageMatrix:
    """Term counts of pages; entry i says that page `rows[i]` holds term `columns[i]`.

    Attributes
    ----------
    terms : dict of str to int
        Column of each term, in the order of the columns.
    rows, columns : ndarray of int32, shape (n_entries,)
        Page by page.
    counts : ndarray of float32, shape (n_entries,)
        Occurrences, >= 1.
    weighted : ndarray of float32, shape (n_entries,)
        Sum of the tag classes K over the occurrences [P1 eq. 2].
    lead : ndarray of bool, shape (n_entries,)
        The term is among the first `N_LEAD` tokens.
    lengths : ndarray of float64, shape (n_pages,)
        Tokens of each page.
    languages, titles : sequence of str
        Language and title of each page.
    """

    pages: Sequence[PageTerms]
    terms: dict[str, int]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    counts: NDArray[np.float32]
    weighted: NDArray[np.float32]
    lead: NDArray[np.bool_]
    lengths: Vector
    languages: Sequence[str]
    titles: Sequence[str]

    @classmethod
    def of(cls, pages: Sequence[PageTerms]) -> "PageMatrix":
        """Build it; about 0.1 ms a page. `pages` may unpack each page on access."""
        # Each new term takes the next number, in one loop of C's.
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        columns, counts, weighted = array("i"), array("f"), array("f")
        sizes, leads, lengths, languages, titles = [], [], [], [], []
        for page in pages:
            columns.extend(map(numbers.__getitem__, page.vocabulary))
            counts.frombytes(page.counts().astype(np.float32).tobytes())
            weighted.frombytes(page.weighted_counts().astype(np.float32).tobytes())
            sizes.append(len(page.vocabulary))
            leads.append(n_lead_terms(page))
            lengths.append(len(page))
            languages.append(page.language)
            titles.append(page.title)
        return cls(
            pages,
            dict(numbers),
            np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
            np.frombuffer(columns, np.int32),
            np.frombuffer(counts, np.float32),
            np.frombuffer(weighted, np.float32),
            _is_lead(np.array(sizes, np.int64), np.array(leads, np.int64)),
            np.array(lengths, np.float64),
            languages,
            titles,
        )

    def __len__(self) -> int:
        return len(self.pages)

    def sums(self, entries: Vector) -> Vector:
        """Sum a value of each entry over the page's entries, shape (n_pages,)."""
        return np.bincount(self.rows, weights=entries, minlength=len(self)).astype(np.float64)

    def by_column(self, weights: Mapping[str, float]) -> Vector:
        """Return the weight of each term as a vector over the columns, 0 for terms without one."""
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

    def holding_any(self, terms: Sequence[str]) -> NDArray[np.bool_]:
        """True for each page that holds one of some terms, shape (n_pages,)."""
        held = np.zeros(len(self), dtype=np.bool_)
        columns = [self.terms[term] for term in terms if term in self.terms]
        held[self.rows[np.isin(self.columns, columns)]] = True
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


def similarities(
    pages: PageMatrix,
    topic: Mapping[str, float],
    frequencies: DocumentFrequencies,
    own: Collection[str] = (),
) -> Vector:
    """Cosine of each page's TF-IDF vector [P1 eq. 1, 2] and a topic's unit vector.

    Shape (n_pages,), in [0, 1]; as `crawler.knowledge.vectors.tf_idf` has it, 0 for a
    page without terms. `own` are the terms that stay rare.
    """
    idf: Vector = np.log10(10 ** frequencies.idf(list(pages.terms), topic=own) + 0.5)
    # The length of the page, which tf is divided by, falls out of the cosine.
    weights: Vector = pages.weighted * idf[pages.columns]
    return np.minimum(_shares(pages, weights, topic), 1.0)


def linear_scores(
    pages: PageMatrix, learnt: Mapping[str, float], frequencies: DocumentFrequencies
) -> Vector:
    """Sum of learnt weights over each page's features (`crawler.knowledge.judges.features`).

    Shape (n_pages,); 0 for a page without terms.
    """
    weights = _feature_weights(pages, frequencies)
    return _shares(pages, weights, learnt)


def likenesses(
    pages: PageMatrix, vectors: Sequence[Mapping[str, float]], frequencies: DocumentFrequencies
) -> Vector:
    """Scalar product of each page's features, at norm 1, with each of some vectors.

    Shape (n_vectors, n_pages); 0 for a page without terms.
    """
    weights = _feature_weights(pages, frequencies)
    lengths = np.sqrt(pages.sums(weights * weights))
    weights /= np.where(lengths > 0, lengths, 1.0)[pages.rows]
    found = np.zeros((len(vectors), len(pages)))
    for row, vector in zip(found, vectors, strict=True):
        row[:] = pages.sums(weights * pages.by_column(vector)[pages.columns])
    return found


def projections(
    pages: PageMatrix,
    rows: Mapping[str, int],
    axes: NDArray[np.float32],
    frequencies: DocumentFrequencies,
) -> Vector:
    """Scalar product of each page's features, at norm 1, with each of some axes.

    `rows` gives the row of each term in `axes`, of shape (n_terms, n_axes); other terms count in
    the norm alone. Shape (n_pages, n_axes); 0 for a page without terms.
    """
    weights = _feature_weights(pages, frequencies)
    lengths = np.sqrt(pages.sums(weights * weights))
    row_of = np.array([rows.get(term, -1) for term in pages.terms], np.int64)
    entry_rows = row_of[pages.columns]
    is_known = entry_rows >= 0
    entry_rows, known = entry_rows[is_known], weights[is_known].astype(np.float32)
    ends = np.searchsorted(pages.rows[is_known], np.arange(len(pages) + 1))
    found = np.zeros((len(pages), axes.shape[1]))
    for number, (start, end) in enumerate(pairwise(ends.tolist())):
        found[number] = known[start:end] @ axes[entry_rows[start:end]]
    return found / np.where(lengths > 0, lengths, 1.0)[:, None]


def _feature_weights(pages: PageMatrix, frequencies: DocumentFrequencies) -> Vector:
    """Weight of each entry (`crawler.knowledge.judges.features`), before the page's norm is 1."""
    idf = frequencies.idf(list(pages.terms)) ** IDF_POWER
    weights: Vector = np.log(pages.weighted.astype(np.float64))
    weights += 1
    weights *= idf[pages.columns]
    weights[pages.lead] *= LEAD_WEIGHT
    return weights


def _shares(pages: PageMatrix, weights: Vector, wanted: Mapping[str, float]) -> Vector:
    """Scalar product of each page's weights, at norm 1, with the wanted ones."""
    lengths = np.sqrt(pages.sums(weights * weights))
    totals = pages.sums(weights * pages.by_column(wanted)[pages.columns])
    found: Vector = totals / np.where(lengths > 0, lengths, 1.0)
    return found


def _is_lead(sizes: NDArray[np.int64], leads: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True for the first `leads[i]` of the `sizes[i]` entries of page i."""
    starts = np.cumsum(sizes) - sizes
    places = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
    is_lead: NDArray[np.bool_] = places < np.repeat(leads, sizes)
    return is_lead
