"""Pages as the vectors that the focus judge separates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import mul

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]

#: Tokens at the start of a page that say most of what it is about.
N_LEAD = 250
LEAD_WEIGHT = 3.0
#: Rare terms count more, but far less than in TF-IDF: the judge learns which matter.
IDF_POWER = 0.25
#: A background term on fewer pages than this is dropped: it separates nothing.
MIN_PAGES = 2


def term_weights(page: PageTerms, frequencies: DocumentFrequencies) -> Vector:
    """Weight of each distinct term, of norm 1 (0 for a page without terms).

    Returns
    -------
    ndarray of float64, shape (n_vocabulary,)
        (1 + ln c) * idf ** 0.25, three times that for terms among the first 250
        tokens; c sums the tag classes K of the term's occurrences [P1 eq. 2].
        See docs/research/judges.md.
    """
    if not page.vocabulary:
        return np.zeros(0)
    idf = frequencies.idf(page.vocabulary)
    weights = (1 + np.log(page.weighted_counts())) * idf**IDF_POWER
    weights[: n_lead_terms(page)] *= LEAD_WEIGHT
    return unit_vector(weights)


def term_vector(page: PageTerms, frequencies: DocumentFrequencies) -> dict[str, float]:
    """Return `term_weights` by term."""
    weights = term_weights(page, frequencies).tolist()
    return dict(zip(page.vocabulary, weights, strict=True))


def product(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Scalar product of two sparse vectors."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    total: float = sum(map(mul, few.values(), map(many.get, few, repeat(0.0))))
    return total


def n_lead_terms(page: PageTerms) -> int:
    """Return how many distinct terms the lead holds; they come first in the vocabulary."""
    # The vocabulary is in order of first appearance.
    return int(page.indices()[:N_LEAD].max(initial=0)) + 1


def words_weights(words: Mapping[str, float], frequencies: DocumentFrequencies) -> Vector:
    """Weight of each of a topic's words, as if they were a page; of norm 1."""
    idf = frequencies.idf(list(words))
    return unit_vector(np.fromiter(words.values(), float, len(words)) * idf**IDF_POWER)


def unit_vector(weights: Vector) -> Vector:
    """Return the vector at Euclidean norm 1; as it is if it has no length."""
    length = float(np.linalg.norm(weights))
    return weights / length if length else weights


@dataclass(frozen=True, slots=True)
class FeatureMatrix:
    """Vectors of pages over the terms that can separate them.

    Attributes
    ----------
    columns : dict of str to int
        Column of each term.
    vectors : ndarray of float32, shape (n_pages, n_terms)
    """

    columns: dict[str, int]
    vectors: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        given: Sequence[tuple[Sequence[str], Vector]],
        background: Sequence[tuple[Sequence[str], Vector]],
    ) -> "FeatureMatrix":
        """Lay out given pages, then background pages.

        All terms of given pages become columns, and those background terms that
        two pages hold.
        """
        counts: Counter[str] = Counter()
        for terms, _ in background:
            counts.update(terms)
        wanted = dict.fromkeys(term for terms, _ in given for term in terms)
        wanted.update((term, None) for term, n in counts.items() if n >= MIN_PAGES)
        columns = {term: column for column, term in enumerate(wanted)}
        vectors = np.zeros((len(given) + len(background), len(columns)), np.float32)
        for row, (terms, weights) in zip(vectors, [*given, *background], strict=True):
            places = np.fromiter(map(columns.get, terms, repeat(-1)), np.int64, len(terms))
            row[places[places >= 0]] = weights[places >= 0]
        return cls(columns, vectors)

    def gram(self) -> Vector:
        """Inner products of the pages, shape (n_pages, n_pages)."""
        return (self.vectors @ self.vectors.T).astype(np.float64)
