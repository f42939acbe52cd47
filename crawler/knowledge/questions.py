"""Which pages to ask a user about, so that the answers say most about the others."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.answers import LIKENESS_VARIANCE, OFFSET_VARIANCE, clipped_log_odds
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judges.features import FeatureMatrix, term_weights
from crawler.knowledge.judges.logistic import sigmoid
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]
Places = NDArray[np.int64]

#: Questions on one screen; a user may request a second one.
N_QUESTIONS: Final = 5
MOST_QUESTIONS: Final = 10
#: Pages are compared down to so many times the number kept, and so many at least.
RANKS_COMPARED: Final = 2
LEAST_COMPARED: Final = 20
#: Of more pages as many, evenly over their ranks.
MOST_COMPARED: Final = 300
#: No answer is expected more surely: its page would teach nothing.
_LEAST_CURVATURE: Final = 0.02
_LEAST_VARIANCE: Final = 1e-9


def ranks_to_compare(relevances: Vector, answered: Bools, threshold: float) -> Places:
    """Find the pages that matter for the choice of questions.

    Parameters
    ----------
    relevances : ndarray of float64, shape (n_pages,)
        Of the pages that may be asked about or have been answered, each in [0, 1].
    answered : ndarray of bool, shape (n_pages,)
    threshold : float
        Relevance from which pages are kept.

    Returns
    -------
    ndarray of int64, shape (n_compared,)
        Places of the pages that are kept, of as many below them, and of those answered.
    """
    order = np.argsort(-relevances, kind="stable")
    n_kept = int((relevances >= threshold).sum())
    best = order[: max(RANKS_COMPARED * n_kept, LEAST_COMPARED)]
    if len(best) > MOST_COMPARED:
        best = best[np.linspace(0, len(best) - 1, MOST_COMPARED).round().astype(np.int64)]
    return np.union1d(best, np.flatnonzero(answered))


def choose_questions(
    pages: Sequence[PageTerms],
    relevances: Vector,
    answered: Bools,
    sample: Sequence[PageTerms],
    frequencies: DocumentFrequencies,
    n_questions: int = N_QUESTIONS,
) -> list[int]:
    """Choose the pages whose answers lower the doubt about all pages most.

    Parameters
    ----------
    pages : sequence of PageTerms
        Those that `ranks_to_compare` names.
    relevances : ndarray of float64, shape (n_pages,)
        As the answers so far have corrected them.
    answered : ndarray of bool, shape (n_pages,)
        These are not chosen; what they say counts.
    sample : sequence of PageTerms
        Pages of the crawl; likeness is what two pages share beyond their mean.

    Returns
    -------
    list of int
        Places in `pages`, the most useful first; fewer than `n_questions` if there are fewer.

    Notes
    -----
    The answers correct log-odds by a Gaussian process (`crawler.knowledge.answers`). One page
    after the other is chosen: the one whose answer takes away most of the variance of all
    corrections. A page counts by the standard deviation of its expected answer, so that pages
    whose relevance is settled count little.
    """
    if not len(pages):
        return []
    covariance = OFFSET_VARIANCE + LIKENESS_VARIANCE * _likeness(pages, sample, frequencies)
    said = clipped_log_odds(relevances)
    certain = sigmoid(said)
    for place in np.flatnonzero(answered).tolist():
        curvature = max(float(certain[place] * (1 - certain[place])), _LEAST_CURVATURE)
        covariance = _known(covariance, place, 1 / curvature)
    free = ~answered
    chosen: list[int] = []
    while free.any() and len(chosen) < n_questions:
        variances = np.maximum(np.diag(covariance), _LEAST_VARIANCE)
        # The mean of a sigmoid over a normal distribution: MacKay 1992, "The evidence framework".
        expected = sigmoid(said / np.sqrt(1 + np.pi * variances / 8))
        curvatures = np.maximum(expected * (1 - expected), _LEAST_CURVATURE)
        noise = 1 / curvatures
        gains = np.sqrt(curvatures) @ covariance**2 / (variances + noise)
        best = int(np.where(free, gains, -1.0).argmax())
        chosen.append(best)
        free[best] = False
        covariance = _known(covariance, best, float(noise[best]))
    return chosen


def _known(covariance: Vector, place: int, noise: float) -> Vector:
    """The covariance that is left when one page's answer is known, up to some noise."""
    column = covariance[:, place]
    left: Vector = covariance - np.outer(column, column) / (covariance[place, place] + noise)
    return left


def _likeness(
    pages: Sequence[PageTerms], sample: Sequence[PageTerms], frequencies: DocumentFrequencies
) -> Vector:
    """Cosine of each two pages' vectors less the sample's mean, shape (n_pages, n_pages)."""
    vectors = [(page.vocabulary, term_weights(page, frequencies)) for page in (*pages, *sample)]
    gram, n = FeatureMatrix.of((), vectors).gram(), len(pages)
    centred = gram[:n, :n]
    if len(sample):
        nearness = gram[n:].mean(axis=0)
        centred = centred - nearness[:n] - nearness[:n, None] + nearness[n:].mean()
    lengths = np.sqrt(np.maximum(np.diag(centred), 1e-12))
    found: Vector = centred / np.outer(lengths, lengths)
    return found
