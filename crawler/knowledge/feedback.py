"""What thumbs, answers and bad examples change: they move a judge's relevance.

The judge itself learns nothing from thumbs and bad examples; `focus` learns from answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.answers import MIN_ANSWERS, Correction, LabelledAnswer
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, TrainingSet
from crawler.knowledge.judges.features import product, term_vector
from crawler.knowledge.page_matrix import PageMatrix, likenesses
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import TermRules
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]
#: Relevance that the judge gives a page; None if that is not known.
RelevanceOf = Callable[[Example], float | None]

#: Log-odds that a page gains or loses if it is the rated page itself.
GAIN, LOSS = 2.0, 3.0
#: Relevance of 1 in 400, and of 399 in 400: no judge is surer, so that feedback can move it.
LEAST, MOST = 1 / 401, 400 / 401
#: A page is like another only as far as few pages of any subject are: the mean likeness of the
#: background and so many standard deviations are likeness 0.
DEVIATIONS = 1.0
#: Likeness 0 is never this close to likeness 1.
HIGHEST_FLOOR = 0.95


@dataclass(frozen=True, slots=True)
class Feedback:
    """What rated pages add to the log-odds of pages like them.

    A relevant page only raises pages and an irrelevant page only lowers them, whatever else was
    rated: the contributions are independent. The judge itself does not learn from thumbs. It
    would otherwise choose another background and another calibration, and one irrelevant page near
    the examples would let in hundreds.

    Answers to questions are another matter. The crawler chose these pages, evenly over the ranks
    of what was kept; so from `MIN_ANSWERS` answers on they correct the judge's relevance up or
    down (`crawler.knowledge.answers`). Fewer count as thumbs. Thumbs move the corrected relevance,
    so that each still moves pages one way only.

    Attributes
    ----------
    rules : TermRules
        Pages that break them stay at 0.
    vectors : sequence of dict of str to float
        Of the rated pages, each of norm 1.
    floors : ndarray of float64, shape (n_rated,)
        Scalar product that counts as likeness 0.
    strengths : ndarray of float64, shape (n_rated,)
        Log-odds at likeness 1; > 0 of pages on topic, < 0 of others.
    correction : Correction or None
        By the answers, if there are enough.
    """

    frequencies: DocumentFrequencies
    rules: TermRules
    vectors: Sequence[dict[str, float]]
    floors: Vector
    strengths: Vector
    correction: Correction | None = None

    @classmethod
    def of(cls, profile: TopicProfile, training_set: TrainingSet, said: RelevanceOf) -> "Feedback":
        """Return what the rated pages of a library change.

        `said` gives the judge's relevance of pages that answer questions. The floors rest on
        what the crawl itself fetched, if there is anything: pages that other crawls bring must
        not change what a thumb did.
        """
        rated = [example for example in training_set.rated if len(example.terms)]
        sample = training_set.background[: training_set.n_fetched] or training_set.background
        correction = None
        answers = [
            LabelledAnswer(example.terms, example.good, judged)
            for example in rated
            if example.answers and (judged := said(example)) is not None
        ]
        if len(answers) >= MIN_ANSWERS:
            correction = Correction.of(answers, sample, training_set.frequencies)
            rated = [example for example in rated if not example.answers]
        vectors = [term_vector(example.terms, training_set.frequencies) for example in rated]
        strengths = np.array([GAIN if example.good else -LOSS for example in rated])
        floors = np.zeros(len(rated))
        if rated and sample:
            among = likenesses(PageMatrix.of(sample), vectors, training_set.frequencies)
            floors = among.mean(axis=1) + DEVIATIONS * among.std(axis=1)
        floors = np.minimum(floors, HIGHEST_FLOOR)
        rules = TermRules(profile)
        return cls(training_set.frequencies, rules, vectors, floors, strengths, correction)

    def relevance(self, page: PageTerms, relevance: float) -> float:
        """Return a page's relevance with feedback, given what the judge says."""
        if not self._changes or self.rules.broken_by(page):
            return relevance
        if self.correction is not None:
            relevance = self.correction.relevance(page, relevance)
        if not self.vectors:
            return relevance
        own = term_vector(page, self.frequencies)
        like = [product(own, vector) for vector in self.vectors]
        return float(self._moved(np.array([relevance]), np.array(like)[:, None])[0])

    def relevances(self, pages: PageMatrix, relevances: Vector) -> Vector:
        """`relevance` of each page, shape (n_pages,); exactly the judge's out of reach."""
        if not self._changes:
            return relevances
        moved = relevances
        if self.correction is not None:
            moved = self.correction.relevances(pages, moved)
        if self.vectors:
            moved = self._moved(moved, likenesses(pages, self.vectors, self.frequencies))
        return np.where(self.rules.broken_pages(pages), relevances, moved)

    @property
    def _changes(self) -> bool:
        return bool(self.vectors) or self.correction is not None

    def _moved(self, relevances: Vector, products: Vector) -> Vector:
        """Relevances moved by scalar products of shape (n_rated, n_pages)."""
        floors = self.floors[:, None]
        likeness = np.maximum(products - floors, 0.0) / (1 - floors)
        parts = self.strengths[:, None] * likeness
        # Not their plain sum: ten thumbs on one story say little more than one.
        raised = np.sqrt((np.maximum(parts, 0.0) ** 2).sum(axis=0))
        lowered = np.sqrt((np.minimum(parts, 0.0) ** 2).sum(axis=0))
        by = raised - lowered
        known = np.clip(relevances, LEAST, MOST)
        moved = 1 / (1 + np.exp(-(np.log(known / (1 - known)) + by)))
        up, down = np.maximum(relevances, moved), np.minimum(relevances, moved)
        found: Vector = np.where(by > 0, up, np.where(by < 0, down, relevances))
        return found
