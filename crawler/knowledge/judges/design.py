"""The data of the focus judge's regression: labelled pages against unlabelled ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.judge import TrainingSet
from crawler.knowledge.judges.calibration import Calibration, calibrate
from crawler.knowledge.judges.features import term_weights, words_weights
from crawler.knowledge.judges.language_offsets import language_offsets, offsets_of
from crawler.knowledge.judges.logistic import LogisticFit, fit_logistic
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import concept_vector, given_vector
from crawler.knowledge.topic_share import share_on_topic

Vector = NDArray[np.float64]
Rows = NDArray[np.int64]

#: C of the regression.
STRENGTH = 5.0
#: Trust in the topic's own words, beside 1 for an example page.
WORDS_WEIGHT = 2.0
CONCEPTS_WEIGHT = 1.0
#: Examples with more trust were given by hand: picked for what they are, and so no sample.
SEED_TRUST = 1.0
#: Times the fetched pages that are least like the topic are chosen.
N_CHOICES = 2


@dataclass(frozen=True, slots=True)
class LabelledVectors:
    """What a person gave: pages on topic and words as vectors, trust, and which are pages.

    `languages` and `titles` are those of the pages; of the topic's words the title is its name.
    """

    vectors: list[tuple[list[str], Vector]]
    trust: list[float]
    languages: list[str]
    titles: list[str]
    is_page: list[bool]

    @classmethod
    def of(cls, profile: TopicProfile, training_set: TrainingSet) -> "LabelledVectors":
        """Return the good examples that have terms, the topic's words, and its concepts."""
        given = cls([], [], [], [], [])
        frequencies = training_set.frequencies
        for example in training_set.examples:
            if example.good and len(example.terms):
                vector = term_weights(example.terms, frequencies)
                given.vectors.append((example.terms.vocabulary, vector))
                given.trust.append(example.weight)
                given.languages.append(example.terms.language)
                given.titles.append(example.terms.title)
                given.is_page.append(True)
        for words, trust, title in (
            (given_vector(profile), WORDS_WEIGHT, profile.name),
            (concept_vector(profile), CONCEPTS_WEIGHT, ""),
        ):
            if words:
                given.vectors.append((list(words), words_weights(words, frequencies)))
                given.trust.append(trust)
                given.languages.append("")
                given.titles.append(title)
                given.is_page.append(False)
        return given

    def trusts(self, n_rows: int) -> Vector:
        """Trust in each row: what was given, then pages of the background at 1."""
        trust = np.ones(n_rows)
        trust[: len(self.trust)] = self.trust
        return trust

    @property
    def good_pages(self) -> Rows:
        """Rows of the seed pages; rows of example pages only where there are no seeds."""
        pages = np.array(self.is_page)
        seeds = pages & (np.array(self.trust) <= SEED_TRUST)
        return np.flatnonzero(seeds if seeds.any() else pages)


@dataclass(frozen=True, slots=True)
class Separation:
    """A fit, and what it says of every page.

    Attributes
    ----------
    rows : ndarray of int64
        Rows it was fitted on: the labelled ones, then the background.
    logits : ndarray of float64, shape (n_all_rows,)
        Each page's logit by a fit without it.
    offsets : mapping of str to float
        What was added to the logits of each language; nothing for those it does not name.
    """

    rows: Rows
    fit: LogisticFit
    logits: Vector
    offsets: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Design:
    """All rows: what was given, pages that the crawl fetched, pages of any subject.

    Attributes
    ----------
    gram : ndarray of float64, shape (n_rows, n_rows)
        Inner products.
    languages, others : sequence of str
        Languages of the fetched pages, and of the pages of any subject.
    with_words : ndarray of bool
        True for each fetched page that the topic's words and concepts alone let through.
    """

    given: LabelledVectors
    gram: Vector
    languages: Sequence[str]
    others: Sequence[str]
    with_words: NDArray[np.bool_]

    @property
    def n_given(self) -> int:
        """Rows that were given."""
        return len(self.given.vectors)

    @property
    def fetched(self) -> Rows:
        """Rows that the crawl fetched."""
        return np.arange(self.n_given, self.n_given + len(self.languages))

    @property
    def n_others(self) -> int:
        """Rows of pages of any subject."""
        return len(self.others)

    def likeness(self) -> Vector:
        """Mean likeness of each row to what was given, itself left out, shape (n_rows,)."""
        trust, n_given = np.array(self.given.trust), self.n_given
        total = trust.sum()
        found: Vector = self.gram[:, :n_given] @ trust / total
        # What stands alone is like nothing else.
        without = np.maximum(total - trust, 1e-9)
        own = np.diag(self.gram)[:n_given] * trust
        found[:n_given] = (found[:n_given] * total - own) / without
        return found

    def share(self, scores: Vector) -> float:
        """Share of topic pages among the fetched ones, by a score of each row."""
        known = self.given.good_pages
        languages = [self.given.languages[row] for row in known]
        return share_on_topic(scores[known], languages, scores[self.fetched], self.languages)

    def fit_separation(self, n_least: int) -> Separation:
        """Separate the labelled rows from other pages and the fetched ones least like the topic.

        The better a crawl is, the more of its pages are on topic. Against all of them as
        background, the topic would vanish. So `n_least` fetched pages stand for what is off topic.
        The first choice takes those least like the labelled rows, the second those with the lowest
        logit of the first fit.
        """
        given = self.given
        always = np.setdiff1d(np.arange(len(self.gram)), self.fetched)
        logits: Vector = self.gram[:, : self.n_given] @ np.array(given.trust)
        start = None
        for _ in range(N_CHOICES if n_least else 1):
            order = np.argsort(logits[self.fetched], kind="stable")
            rows = np.concatenate([always, self.fetched[order[:n_least]]])
            start = None if start is None else start[rows]
            fit = self._fit(rows, given.trusts(len(rows)), start)
            logits = start = self._logits(rows, fit)
        return self._separation(rows, fit)

    def refit(self, separation: Separation, trust: Vector) -> Separation:
        """Fit the same rows with other trust in them."""
        start = self._logits(separation.rows, separation.fit)[separation.rows]
        return self._separation(separation.rows, self._fit(separation.rows, trust, start))

    def calibration(self, separation: Separation) -> Calibration:
        """Calibrate on the seeds; on rated pages only where there is nothing else."""
        background = separation.fit.left_out[self.n_given :]
        return calibrate(separation.fit.left_out[self.given.good_pages], background)

    def _fit(self, rows: Rows, trust: Vector, start: Vector | None) -> LogisticFit:
        """Fit the labelled rows against the others; the labelled rows come first."""
        positive = np.zeros(len(rows))
        positive[: self.n_given] = 1.0
        among = self.gram[np.ix_(rows, rows)]
        return fit_logistic(among, positive, trust, strength=STRENGTH, start=start)

    def _logits(self, rows: Rows, fit: LogisticFit) -> Vector:
        logits: Vector = self.gram[:, rows] @ fit.dual + fit.bias
        return logits

    def _separation(self, rows: Rows, fit: LogisticFit) -> Separation:
        logits = self._logits(rows, fit)
        logits[rows] = fit.left_out
        offsets = language_offsets(logits[self.fetched], self.languages, self.with_words)
        added = offsets_of([*self.given.languages, *self.languages, *self.others], offsets)
        fit = replace(fit, left_out=fit.left_out + added[rows])
        return Separation(rows, fit, logits + added, offsets)
