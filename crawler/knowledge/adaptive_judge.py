"""The adaptive judge: cosine with class weights, threshold and vector following [P3]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.adaptation import FIRST_THRESHOLD, revise
from crawler.knowledge.cosine import relevance_of
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, Library, Verdict
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.terms import TermRules, concept_names, profile_vector
from crawler.knowledge.vectors import join, matched_terms, strongest, unit
from crawler.page.parsed import PageTerms

#: Terms learnt from the example pages.
N_LEARNT = 60


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
    def of(cls, library: Library) -> "ClassWeights":
        """Count the good examples."""
        good = [example.terms for example in library.examples if example.good]
        held: dict[str, int] = {}
        for page in good:
            for term in page.vocabulary:
                held[term] = held.get(term, 0) + 1
        return cls(len(good), held, library.frequencies)

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
    pages, and is revised once, when the judge is built, by the background pages it
    holds for relevant and irrelevant: an interval of its own. Manual terms never
    leave it.

    References
    ----------
    [P3]
    """

    def __init__(self, profile: TopicProfile, library: Library, threshold: float) -> None:
        self._rules = TermRules(profile)
        self._concepts = concept_names(profile)
        self._weights = ClassWeights.of(library)
        self._threshold = threshold
        own = profile_vector(profile)
        first = join(own, self._learnt(library.examples))
        self._topic = self._revised(first, own, library) if first else first
        self.topic_terms = frozenset(self._topic)

    def judge(self, page: PageTerms) -> Verdict:
        """Relevance in [0, 1); 0 where a rule of the topic forbids the page."""
        if not self._topic:
            return Verdict(0.0, note="too_little")
        shares = shared(self._topic, self._weights.vector(page))
        matched = matched_terms(shares, self._concepts)
        broken = self._rules.broken_by(page)
        if broken:
            return Verdict(0.0, matched, broken)
        return Verdict(relevance_of(min(sum(shares.values()), 1.0), self._threshold), matched)

    def _learnt(self, examples: Sequence[Example]) -> dict[str, float]:
        total: dict[str, float] = {}
        for example in examples:
            if example.good:
                for term, weight in self._weights.vector(example.terms).items():
                    total[term] = total.get(term, 0.0) + example.weight * weight
        return unit(dict(strongest(total, N_LEARNT)))

    def _revised(
        self, first: dict[str, float], own: dict[str, float], library: Library
    ) -> dict[str, float]:
        relevant: list[tuple[dict[str, float], float]] = []
        irrelevant: list[tuple[dict[str, float], float]] = []
        for page in library.background:
            vector = self._weights.vector(page)
            wanted = sum(shared(first, vector).values()) >= self._threshold
            (relevant if wanted else irrelevant).append((vector, 1.0))
        for example in library.examples:
            rated = relevant if example.good else irrelevant
            rated.append((self._weights.vector(example.terms), example.weight))
        return revise(first, relevant, irrelevant, pinned=own)


class AdaptiveKind:
    """Registers `AdaptiveJudge`; parameter `threshold`, where the adaptation stands."""

    name = "adaptive"

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, library: Library
    ) -> AdaptiveJudge:
        """Make the judge for the interval that begins."""
        threshold = settings.judge_parameters.get("threshold", FIRST_THRESHOLD)
        return AdaptiveJudge(profile, library, threshold)


def shared(topic: dict[str, float], page: dict[str, float]) -> dict[str, float]:
    """What each shared term adds to the cosine of two unit vectors."""
    return {term: topic[term] * page[term] for term in topic.keys() & page.keys()}
