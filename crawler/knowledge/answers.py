"""What answers to questions change: they correct a judge's log-odds, up or down."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from crawler.errors import ConvergenceError
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judges.features import product, term_vector
from crawler.knowledge.judges.logistic import sigmoid
from crawler.knowledge.page_matrix import PageMatrix, likenesses
from crawler.knowledge.vectors import linear_combination
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]

#: Fewer answers count as thumbs do.
MIN_ANSWERS = 5
#: Variance of what the judge's log-odds are wrong by on every page alike.
OFFSET_VARIANCE = 4.0
#: Variance of what they are wrong by on one page; pages like it share it.
LIKENESS_VARIANCE = 16.0
#: No judge is believed to be surer than 1 in 400, so that answers can correct it.
MAX_LOG_ODDS = 6.0
_MAX_STEPS = 100
_MAX_HALVINGS = 40
_CLOSE = 1e-9
#: Close to the solution the loss is flat to its last digits.
_ROUNDING = 1e-12
#: A page that is the mean of all pages is like none of them.
_LEAST_LENGTH = 1e-6


class PageLabel(Protocol):
    """What a person said of a page: a rating, or an answer to a question."""

    @property
    def good(self) -> bool:
        """It is on topic."""

    @property
    def answers(self) -> bool:
        """It answers a question."""


Label = TypeVar("Label", bound=PageLabel)


def answered_yes(labels: Iterable[Label]) -> list[Label]:
    """Return the answers that a judge learns from: those with yes, if there are enough in all."""
    answers = [label for label in labels if label.answers]
    return [label for label in answers if label.good] if len(answers) >= MIN_ANSWERS else []


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer to a question about a page.

    Attributes
    ----------
    good : bool
        It is on topic.
    judged : float
        Relevance the judge gives it.
    """

    terms: PageTerms
    good: bool
    judged: float


@dataclass(frozen=True, slots=True)
class Correction:
    """What is added to the judge's log-odds of each page.

    The pages that answers are about are drawn evenly from what was kept, so that the answers
    may correct the judge as a whole: the correction is a Gaussian process with one part that
    all pages share and one that like pages share. It starts from no correction, so that few
    answers correct little, and answers that the judge expected correct next to nothing.

    Attributes
    ----------
    offset : float
        Added to every page's log-odds.
    weights : dict of str to float
        The scalar product with a page's centred vector of norm 1 is added, too.
    centre : dict of str to float
        Mean vector of the crawl's pages.
    centre_weight, centre_square : float
        Its scalar products with `weights` and with itself.

    References
    ----------
    C. Rasmussen and C. Williams, "Gaussian processes for machine learning", 2006, section 3.4.
    """

    frequencies: DocumentFrequencies
    offset: float
    weights: Mapping[str, float]
    centre: Mapping[str, float]
    centre_weight: float
    centre_square: float

    @classmethod
    def of(
        cls,
        answers: Sequence[LabelledAnswer],
        sample: Sequence[PageTerms],
        frequencies: DocumentFrequencies,
    ) -> "Correction":
        """Fit the correction to answers.

        Parameters
        ----------
        answers : sequence of LabelledAnswer
            At least one.
        sample : sequence of PageTerms
            Pages of the crawl: likeness is what two pages share beyond their mean.
        """
        known = [term_vector(page, frequencies) for page in sample if len(page)]
        centre = linear_combination((1 / len(known), vector) for vector in known)
        square = product(centre, centre)
        vectors = [term_vector(answer.terms, frequencies) for answer in answers]
        nearness = np.array([product(vector, centre) for vector in vectors])
        gram = np.array([[product(one, other) for other in vectors] for one in vectors])
        gram += square - nearness - nearness[:, None]
        scales = _scales(np.diag(gram))
        covariance = OFFSET_VARIANCE + LIKENESS_VARIANCE * gram * np.outer(scales, scales)
        said = clipped_log_odds(np.array([answer.judged for answer in answers]))
        good = np.array([answer.good for answer in answers], np.float64)
        dual = fit_correction(covariance, said, good)
        parts = (LIKENESS_VARIANCE * dual * scales).tolist()
        weights = linear_combination([(-sum(parts), centre), *zip(parts, vectors, strict=True)])
        offset = OFFSET_VARIANCE * float(dual.sum())
        return cls(frequencies, offset, weights, centre, product(weights, centre), square)

    def relevance(self, page: PageTerms, relevance: float) -> float:
        """Return a page's corrected relevance, given what the judge says."""
        vector = term_vector(page, self.frequencies)
        by = self._by(
            np.array([float(len(page) > 0)]),
            np.array([product(vector, self.weights)]),
            np.array([product(vector, self.centre)]),
        )
        return float(sigmoid(clipped_log_odds(np.array([relevance])) + by)[0])

    def relevances(self, pages: PageMatrix, relevances: Vector) -> Vector:
        """`relevance` of each page, shape (n_pages,)."""
        likeness, nearness = likenesses(pages, [self.weights, self.centre], self.frequencies)
        own = (pages.lengths > 0).astype(np.float64)
        return sigmoid(clipped_log_odds(relevances) + self._by(own, likeness, nearness))

    def _by(self, own: Vector, likeness: Vector, nearness: Vector) -> Vector:
        """What is added to log-odds, from each page's products with itself and the vectors."""
        scales = _scales(own - 2 * nearness + self.centre_square)
        by: Vector = self.offset + (likeness - self.centre_weight) * scales
        return by


def fit_correction(covariance: Vector, said: Vector, good: Vector) -> Vector:
    """Find the most likely correction of log-odds, given answers.

    Parameters
    ----------
    covariance : ndarray of float64, shape (n, n)
        Of the corrections of the pages; positive semidefinite.
    said : ndarray of float64, shape (n,)
        The judge's log-odds.
    good : ndarray of float64, shape (n,)
        1 where the answer was yes, 0 where it was "not about the topic".

    Returns
    -------
    ndarray of float64, shape (n,)
        ``covariance @ dual`` corrects the log-odds of these pages.

    Raises
    ------
    ValueError
        If shapes do not agree.
    ConvergenceError
        If Newton's steps do not settle.

    Notes
    -----
    Newton's method; a step that does not lower the loss is halved. At the solution the dual of
    each page is its answer less its corrected probability.
    """
    n = len(said)
    if covariance.shape != (n, n) or good.shape != (n,):
        raise ValueError(f"need {n} rows and columns, got {covariance.shape} and {good.shape}")

    def loss(dual: Vector) -> float:
        logits = said + covariance @ dual
        errors = np.logaddexp(0.0, np.where(good > 0, -logits, logits))
        return float(errors.sum() + dual @ covariance @ dual / 2)

    dual = np.zeros(n)
    for _ in range(_MAX_STEPS):
        chances = sigmoid(said + covariance @ dual)
        curvature = chances * (1 - chances)
        wanted = curvature * (covariance @ dual) + good - chances
        solved = np.linalg.solve(np.eye(n) + curvature[:, None] * covariance, wanted)
        step = solved - dual
        if np.abs(step).max(initial=0.0) <= _CLOSE:
            return np.asarray(solved, np.float64)
        now, share = loss(dual), 1.0
        for _ in range(_MAX_HALVINGS):
            if loss(dual + share * step) <= now + _ROUNDING * (1 + now):
                break
            share /= 2
        dual = dual + share * step
    raise ConvergenceError(f"no correction by {n} answers within {_MAX_STEPS} steps")


def clipped_log_odds(relevances: Vector) -> Vector:
    """Log-odds of relevances, none surer than `MAX_LOG_ODDS`."""
    sure = float(sigmoid(np.array([MAX_LOG_ODDS]))[0])
    known = np.clip(relevances, 1 - sure, sure)
    found: Vector = np.log(known / (1 - known))
    return found


def _scales(squares: Vector) -> Vector:
    """One over the length of each vector, 0 for one of no length, given the squares."""
    lengths = np.sqrt(np.maximum(squares, 0.0))
    found: Vector = np.where(lengths > _LEAST_LENGTH, 1 / np.maximum(lengths, _LEAST_LENGTH), 0.0)
    return found
