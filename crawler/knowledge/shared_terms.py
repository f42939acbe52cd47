"""Words that the most relevant pages of a crawl share: they count in the density of its pages.

The person's words and a few examples name only some of a topic's words. The words that the top
pages hold more often than other pages are more of them (pseudo-relevance feedback). They never
decide whether a page is on topic, so that a crawl does not drift after its own pages.

References
----------
J. J. Rocchio, "Relevance feedback in information retrieval", 1971. V. Lavrenko, W. B. Croft,
"Relevance-based language models", SIGIR 2001.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judges.features import n_lead_terms
from crawler.knowledge.page_matrix import Vector
from crawler.knowledge.stuffing import LEAST_TRUST
from crawler.page.parsed import PageTerms

#: So many pages of each language are read.
N_TOP: Final = 10
#: So many of them must hold a word.
HELD_BY: Final = 3


def top_pages(
    relevances: Vector,
    trusts: Vector,
    is_kept: NDArray[np.bool_],
    is_first: NDArray[np.bool_],
    languages: Sequence[str],
) -> list[int]:
    """Return the places of the `N_TOP` most relevant pages of each language, best first.

    Only kept pages without keyword stuffing are read: whoever stuffs pages would say which words
    are the topic's. Later pages are read only where a language has fewer first ones: else each
    page that is found could change the density, and so the score, of the pages that are known.

    Parameters
    ----------
    relevances : ndarray of float64, shape (n_pages,)
        In [0, 1]; a page of 0, kept on a person's word alone, is never read.
    trusts : ndarray of float64, shape (n_pages,)
        As `trusts_in` gives them, in [0, 1].
    is_kept : ndarray of bool, shape (n_pages,)
    is_first : ndarray of bool, shape (n_pages,)
        Those by which the typical density is found (`first_until`).
    languages : sequence of str, length n_pages
    """
    is_read = is_kept & (trusts >= LEAST_TRUST) & (relevances > 0)
    n_read: Counter[str] = Counter()
    found = []
    for place in np.lexsort((-relevances, ~is_first)).tolist():
        if is_read[place] and n_read[languages[place]] < N_TOP:
            n_read[languages[place]] += 1
            found.append(place)
    return found


def weigh_shared_terms(
    pages: Sequence[PageTerms], frequencies: DocumentFrequencies
) -> dict[str, float]:
    """Return how much more often the top pages hold a word than other pages seen.

    Parameters
    ----------
    pages : sequence of PageTerms
        The top pages, of any language; each is compared with pages of its own.
    frequencies : DocumentFrequencies
        Over all pages seen, these too.

    Returns
    -------
    dict of str to float
        For each word that stands at the beginning of `HELD_BY` pages of a language: the root of
        its share of them, times the logarithm of that share over its share of the others. Only
        what is above 0, the strongest of each language 1.
    """
    by_language: defaultdict[str, list[PageTerms]] = defaultdict(list)
    for page in pages:
        by_language[page.language].append(page)
    weights: dict[str, float] = {}
    for language, top in by_language.items():
        n_seen = frequencies.n_pages.get(language) or frequencies.total
        weights = with_shared_terms(weights, _weigh(top, frequencies.terms, n_seen))
    return weights


def _weigh(top: Sequence[PageTerms], n_pages: Mapping[str, int], n_seen: int) -> dict[str, float]:
    """Weights of the words of top pages of one language, by the number of pages with each."""
    held = Counter(term for page in top for term in page.vocabulary[: n_lead_terms(page)])
    weights = {}
    for term, n_held in held.items():
        if n_held < HELD_BY:
            continue
        share = (n_held + 0.5) / (len(top) + 1)
        n_elsewhere = max(n_pages.get(term, 0) - n_held, 0)
        n_others = max(n_seen - len(top), n_elsewhere, 1)
        weights[term] = sqrt(share) * log(share * (n_others + 1) / (n_elsewhere + 0.5))
    most = max(weights.values(), default=0.0)
    return {term: weight / most for term, weight in weights.items() if weight > 0}


def with_shared_terms(
    weights: Mapping[str, float], shared: Mapping[str, float]
) -> dict[str, float]:
    """Return both weights of words as one: the larger of each word."""
    return {
        term: max(weights.get(term, 0.0), shared.get(term, 0.0))
        for term in weights.keys() | shared.keys()
    }
