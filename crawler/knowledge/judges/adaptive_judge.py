"""The adaptive judge: cosine with class weights, threshold and vector following [P3]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import JudgeUpdate, TrainingSet, Verdict
from crawler.knowledge.judges.adaptation import FIRST_THRESHOLD, AdaptationConstants, revise
from crawler.knowledge.judges.cosine_judge import relevance_of
from crawler.knowledge.judges.intervals import CountedPage, Intervals, Mean
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.terms import TermRules, concept_names, profile_vector
from crawler.knowledge.vectors import learnt_vector, matched_terms, unit, weighted_sum
from crawler.page.parsed import PageTerms
from focusweb.parameters import Parameter, gettext_noop

#: Pages of an interval; 0 for no adaptation.
INTERVAL = 10
#: S, pages wanted per interval.
WANTED = 2


@dataclass(frozen=True, slots=True)
class ClassWeights:
    """C_k: terms frequent on topic pages and rare elsewhere count more [P3].

    Attributes
    ----------
    n_topic : int
        Example pages of the topic.
    held : dict of str to int
        How many of them hold each term.
    frequencies : DocumentFrequencies
        The background.
    """

    n_topic: int
    held: dict[str, int]
    frequencies: DocumentFrequencies

    @classmethod
    def of(cls, training_set: TrainingSet) -> "ClassWeights":
        """Count the good examples."""
        good = [example.terms for example in training_set.examples if example.good]
        held: dict[str, int] = {}
        for page in good:
            for term in page.vocabulary:
                held[term] = held.get(term, 0) + 1
        return cls(len(good), held, training_set.frequencies)

    def of_terms(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """log2(2 + p(k | topic) / p(k | background)), add-one smoothed (*Resolved*)."""
        n = len(terms)
        topic = np.fromiter((self.held.get(term, 0) for term in terms), float, n)
        seen = np.fromiter((self.frequencies.terms.get(term, 0) for term in terms), float, n)
        on = (topic + 1) / (self.n_topic + 2)
        off = (seen + 1) / (self.frequencies.total + 2)
        weights: NDArray[np.float64] = np.log2(2 + on / off)
        return weights

    def vector(self, page: PageTerms) -> dict[str, float]:
        """W of each term of a page, at norm 1: t * log(N / n + 0.1) * C [P3].

        *Resolved*: log(N / n + 0.1) is kept at or above log 1.1, its value for a term
        that every page holds.
        """
        if not page.vocabulary:
            return {}
        idf = np.log(10 ** self.frequencies.idf(page.vocabulary) + 0.1)
        weights = page.counts() / len(page) * idf * self.of_terms(page.vocabulary)
        return unit(dict(zip(page.vocabulary, weights.tolist(), strict=True)))


class AdaptiveJudge:
    """Relevance c / (c + thd) of the cosine c, so that the threshold is always 1/2.

    The vector joins manual terms and concepts with terms learnt from the example
    pages, and is moved by the relevant and irrelevant pages of all intervals so far;
    before the first it is moved by the background pages it holds for the one or the
    other. Manual terms never leave it.

    Parameters
    ----------
    threshold : float
        Where it stands before the first interval.
    interval : int, default 0
        Pages of an interval; 0 for no adaptation.
    wanted : int, default 2
        S, pages wanted per interval.
    needed : float, default 0.5
        Relevance from which a page passes.

    References
    ----------
    [P3]; *Resolved*: every revision begins with the first vector, so that small steps
    cannot add up to drift.
    """

    name = "adaptive"

    def __init__(
        self,
        profile: TopicProfile,
        training_set: TrainingSet,
        threshold: float,
        *,
        interval: int = 0,
        wanted: int = WANTED,
        needed: float = 0.5,
    ) -> None:
        self._rules, self._reading = TermRules(profile), SuffixMatcher(profile)
        training_set = self._reading.training_set(training_set)
        self._concepts = concept_names(profile)
        self._weights = ClassWeights.of(training_set)
        self._start, self._needed = threshold, needed
        self._interval, self._pace = interval, AdaptationConstants(wanted)
        memory = training_set.memories.get(self.name, b"") if interval else b""
        known = Intervals.load(memory, threshold=threshold)
        self._threshold = known.adaptation.threshold
        own = profile_vector(profile)
        self._first = weighted_sum(own, learnt_vector(training_set.examples, self._weights.vector))
        self._topic = self._revised(own, training_set, known) if self._first else {}
        self.topic_terms = frozenset(self._topic)

    def judge(self, page: PageTerms) -> Verdict:
        """Relevance in [0, 1); 0 where a rule of the topic forbids the page."""
        if not self._topic:
            return Verdict(0.0, note="too_little")
        shares = cosine_shares(self._topic, self._weights.vector(self._reading.page(page)))
        matched = matched_terms(shares, self._concepts)
        broken = self._rules.broken_by(page)
        if broken:
            return Verdict(0.0, matched, broken)
        return Verdict(relevance_of(min(sum(shares.values()), 1.0), self._threshold), matched)

    def learn(self, pages: Sequence[tuple[PageTerms, float]], memory: bytes) -> JudgeUpdate:
        """Count pages with their relevance; news once an interval is whole."""
        if not self._interval:
            return JudgeUpdate(self.name, memory, is_news=False)
        before = Intervals.load(memory, threshold=self._start)
        seen = (self._seen(page, relevance) for page, relevance in pages if len(page))
        after = before.after(seen, self._pace, length=self._interval)
        is_news = after.adaptation.n_intervals > before.adaptation.n_intervals
        return JudgeUpdate(self.name, after.dump(), is_news)

    def _seen(self, page: PageTerms, relevance: float) -> CountedPage:
        vector = self._weights.vector(self._reading.page(page))
        confirmed = sum(cosine_shares(self._first, vector).values()) >= self._start
        return CountedPage(vector, passed=relevance >= self._needed, confirmed=confirmed)

    def _revised(
        self, own: dict[str, float], training_set: TrainingSet, known: Intervals
    ) -> dict[str, float]:
        relevant: list[tuple[Mapping[str, float], float]] = []
        irrelevant: list[tuple[Mapping[str, float], float]] = []
        for example in training_set.examples:
            rated = relevant if example.good else irrelevant
            rated.append((self._weights.vector(example.terms), example.weight))
        if known.adaptation.n_intervals:
            _add_mean(relevant, known.relevant)
            _add_mean(irrelevant, known.irrelevant)
        else:
            for page in training_set.background:
                vector = self._weights.vector(page)
                wanted = sum(cosine_shares(self._first, vector).values()) >= self._threshold
                (relevant if wanted else irrelevant).append((vector, 1.0))
        return revise(self._first, relevant, irrelevant, pinned=own)


def _add_mean(rated: list[tuple[Mapping[str, float], float]], mean: Mean) -> None:
    """Let the crawl's pages together count as much as what a person gave, not more."""
    if mean.n_pages:
        given = sum(weight for _, weight in rated)
        rated.append((mean.weights, min(mean.n_pages, given) if given else mean.n_pages))


class AdaptiveKind:
    """Registers `AdaptiveJudge`.

    Parameters `threshold` where the adaptation begins, `interval` the pages of an
    interval, 0 for no adaptation, and `wanted` the pages wanted per interval.
    """

    name = "adaptive"
    parameters = (
        Parameter(
            "threshold",
            FIRST_THRESHOLD,
            gettext_noop("initial threshold"),
            excluded=frozenset({0.0}),
        ),
        Parameter(
            "interval",
            INTERVAL,
            gettext_noop("pages per interval; 0 turns adaptation off"),
            0,
            inf,
            is_whole=True,
        ),
        Parameter(
            "wanted",
            WANTED,
            gettext_noop("relevant pages wanted per interval"),
            1,
            inf,
            is_whole=True,
        ),
    )

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet
    ) -> AdaptiveJudge:
        """Make the judge for the interval that begins."""
        given = settings.judge_parameters
        return AdaptiveJudge(
            profile,
            training_set,
            given.get("threshold", FIRST_THRESHOLD),
            interval=int(given.get("interval", INTERVAL)),
            wanted=int(given.get("wanted", WANTED)),
            needed=settings.threshold,
        )


def cosine_shares(topic: Mapping[str, float], page: Mapping[str, float]) -> dict[str, float]:
    """Return what each shared term adds to the cosine of two unit vectors."""
    return {term: topic[term] * page[term] for term in topic.keys() & page.keys()}
