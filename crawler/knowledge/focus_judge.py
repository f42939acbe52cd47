"""The focus judge: what the person gave against pages of any subject, as a probability."""

from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.calibration import Calibration, calibrate
from crawler.knowledge.cosine import CosineJudge
from crawler.knowledge.features import TrainingSet, term_weights, words_weights
from crawler.knowledge.judge import Judge, Library, Verdict
from crawler.knowledge.logistic import Fit, fit_logistic
from crawler.knowledge.page_matrix import PageMatrix, linear_scores
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.reading import Reading
from crawler.knowledge.terms import (
    TermRules,
    concept_names,
    concept_vector,
    given_vector,
    profile_vector,
)
from crawler.knowledge.vectors import matched_terms, strongest
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]

#: With less to tell from or to go by, the cosine judge speaks.
MIN_BACKGROUND = 30
#: C of the regression.
STRENGTH = 5.0
#: Trust in the topic's own words, beside 1 for an example page.
WORDS_WEIGHT = 2.0
CONCEPTS_WEIGHT = 1.0
#: Examples with more trust were rated: picked for their rank, and so no sample.
SEED_TRUST = 1.0
#: A page rejected by hand says more than one accepted: it looked like the topic.
REJECTED_WEIGHT = 3.0
#: Times the half of the fetched pages that is least like the topic is chosen.
N_HALVINGS = 2
#: Times the background is looked at again for topic pages in it.
N_RELABEL = 1
_LEAST_TRUST = 0.02
#: Learnt terms that count as the topic's own in the content value.
N_TOPIC_TERMS = 60


@dataclass(frozen=True, slots=True)
class Model:
    """What was learnt: a weight for each term, and how logits become probabilities."""

    weights: dict[str, float]
    bias: float
    calibration: Calibration


class FocusJudge:
    """Calibrated probability that a page is on topic, by logistic regression.

    Given pages and the topic's own words are told from background pages. A positive
    weight only ever comes from what a person gave, as background pages only pull
    down: learnt terms cannot drift away with what was fetched. Pages in a language
    that no example has are compared with the topic's words and concepts instead.
    """

    def __init__(self, profile: TopicProfile, library: Library, model: Model) -> None:
        self._rules, self._reading = TermRules(profile), Reading(profile)
        self._concepts = concept_names(profile)
        self._frequencies = library.frequencies
        self._model = model
        self._languages = frozenset(e.terms.language for e in library.examples if e.good)
        self._abroad = CosineJudge(profile, Library(library.frequencies))
        positive = {term: w for term, w in model.weights.items() if w > 0}
        learnt = (term for term, _ in strongest(positive, N_TOPIC_TERMS))
        self.topic_terms = frozenset(profile_vector(profile)) | frozenset(learnt)

    def judge(self, page: PageTerms) -> Verdict:
        """Probability in [0, 1]; 0 where a rule of the topic forbids the page."""
        if page.language and page.language not in self._languages and self._concepts:
            return self._abroad.judge(page)
        read = self._reading.page(page)
        weights = term_weights(read, self._frequencies)
        known = map(self._model.weights.get, read.vocabulary, repeat(0.0))
        shares = weights * np.fromiter(known, np.float64, len(weights))
        best = np.flatnonzero(shares > 0)
        matched = matched_terms(
            {read.vocabulary[i]: float(shares[i]) for i in best}, self._concepts
        )
        if broken := self._rules.broken_by(page):
            return Verdict(0.0, matched, broken)
        logit = float(shares.sum()) + self._model.bias
        return Verdict(self._model.calibration.probability(logit), matched)

    def relevances(self, pages: PageMatrix) -> Vector:
        """Probability of each page, as `judge` gives it, shape (n_pages,)."""
        read = self._reading.matrix(pages)
        logits = linear_scores(read, self._model.weights, self._frequencies) + self._model.bias
        found = self._model.calibration.probabilities(logits)
        found[self._rules.broken_pages(pages)] = 0.0
        if not self._concepts:
            return found
        known = [not language or language in self._languages for language in pages.languages]
        return np.where(known, found, self._abroad.relevances(pages))


class FocusKind:
    """Registers `FocusJudge`."""

    name = "focus"
    parameters = ()

    def build(self, profile: TopicProfile, settings: CrawlSettings, library: Library) -> Judge:
        """Make the judge; the cosine judge while there is too little to learn from."""
        n_told_from = len(library.background) - library.n_fetched + library.n_fetched // 2
        if n_told_from < MIN_BACKGROUND or not any(
            example.good and len(example.terms) for example in library.examples
        ):
            return CosineJudge(profile, library)
        return FocusJudge(profile, library, learn(profile, library))


@dataclass(frozen=True, slots=True)
class _Given:
    """What a person gave: pages and words as vectors, class, trust, and which are pages."""

    vectors: list[tuple[list[str], Vector]]
    positive: list[float]
    trust: list[float]
    is_page: list[bool]

    def trusts(self, n_rows: int) -> Vector:
        """Trust in each row: what was given, then pages of the background at 1."""
        trust = np.ones(n_rows)
        trust[: len(self.trust)] = self.trust
        return trust


def learn(profile: TopicProfile, library: Library) -> Model:
    """Learn a topic from its examples, words and background.

    Parameters
    ----------
    profile : TopicProfile
    library : Library
        With at least one good example and two background pages to tell it from.
        Background pages are unlabelled: of those the crawl fetched only the half least
        like the topic is used, and each page counts as off topic as far as it does not
        look like the topic to a judge that has not seen it.

    Returns
    -------
    Model
    """
    library = Reading(profile).library(library)
    given = _given(profile, library)
    frequencies = library.frequencies
    background = [(page.vocabulary, term_weights(page, frequencies)) for page in library.background]
    training = TrainingSet.of(given.vectors, background)
    gram, n_given = training.gram(), len(given.vectors)
    rows, fit = _told_apart(gram, given, library.n_fetched)
    trust = given.trusts(len(rows))
    for _ in range(N_RELABEL):
        chances = _calibration(fit, given).as_mixture.probability(fit.left_out[n_given:])
        trust[n_given:] = np.maximum(1 - chances, _LEAST_TRUST)
        fit = _fit(gram, rows, given, trust, gram[np.ix_(rows, rows)] @ fit.dual + fit.bias)
    weights = (fit.dual.astype(np.float32) @ training.vectors[rows]).tolist()
    return Model(
        dict(zip(training.columns, weights, strict=True)), fit.bias, _calibration(fit, given)
    )


def _told_apart(gram: Vector, given: _Given, n_fetched: int) -> tuple[NDArray[np.int64], Fit]:
    """Choose the pages the topic is told from, and tell it from them; the rows, and the fit.

    The better a crawl is, the more of what it fetched is on topic: told from all of that,
    the topic would vanish. So the half that is least like it stands for what is off topic:
    first by likeness to what was given, then as told from that half.
    """
    n_given = len(given.vectors)
    signs = np.array(given.trust) * (2 * np.array(given.positive) - 1)
    fetched = np.arange(n_given, n_given + n_fetched)
    always = np.setdiff1d(np.arange(len(gram)), fetched)
    logits: Vector = gram[:, :n_given] @ signs
    start = None
    for _ in range(N_HALVINGS if n_fetched else 1):
        least = fetched[np.argsort(logits[fetched], kind="stable")[: n_fetched // 2]]
        rows = np.concatenate([always, least])
        start = None if start is None else start[rows]
        fit = _fit(gram, rows, given, given.trusts(len(rows)), start)
        logits = start = gram[:, rows] @ fit.dual + fit.bias
    return rows, fit


def _fit(
    gram: Vector, rows: NDArray[np.int64], given: _Given, trust: Vector, start: Vector | None
) -> Fit:
    """Tell what was given from the other rows; what was given comes first."""
    positive = np.zeros(len(rows))
    positive[: len(given.positive)] = given.positive
    among = gram[np.ix_(rows, rows)]
    return fit_logistic(among, positive, trust, strength=STRENGTH, start=start)


def _given(profile: TopicProfile, library: Library) -> _Given:
    given = _Given([], [], [], [])
    frequencies = library.frequencies
    for example in library.examples:
        if len(example.terms):
            vector = term_weights(example.terms, frequencies)
            given.vectors.append((example.terms.vocabulary, vector))
            given.positive.append(float(example.good))
            given.trust.append(example.weight * (1 if example.good else REJECTED_WEIGHT))
            given.is_page.append(True)
    for words, trust in (
        (given_vector(profile), WORDS_WEIGHT),
        (concept_vector(profile), CONCEPTS_WEIGHT),
    ):
        if words:
            given.vectors.append((list(words), words_weights(words, frequencies)))
            given.positive.append(1.0)
            given.trust.append(trust)
            given.is_page.append(False)
    return given


def _calibration(fit: Fit, given: _Given) -> Calibration:
    """Calibrate on the seeds; on rated pages only where there is nothing else."""
    n_given = len(given.vectors)
    on = np.array(given.positive, bool) & np.array(given.is_page)
    seeds = on & (np.array(given.trust) <= SEED_TRUST)
    known, background = fit.left_out[:n_given], fit.left_out[n_given:]
    return calibrate(known[seeds if seeds.any() else on], background)
