"""The cosine judge: tag-weighted TF-IDF against the topic's vector."""

import numpy as np

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Library, MatchedTerm, Verdict
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.terms import TermRules, profile_vector
from crawler.page.parsed import PageTerms

#: Cosine that counts as relevance 1/2: P3's first threshold.
HALF = 0.15
#: Strongest terms of the example pages that join the topic's own.
N_LEARNT = 60
#: Share of the topic vector's weight that the person's own terms have.
OWN_SHARE = 0.5
N_MATCHED = 8


class CosineJudge:
    """Cosine of a page's and the topic's vectors, as relevance c / (c + 0.15).

    The topic's vector is the unit vector of its name and terms, joined with the
    60 strongest terms of the example pages' mean. *Resolved*: the cosine is bent so
    that P3's threshold 0.15 becomes 1/2, and relevance stays in [0, 1).
    """

    def __init__(self, profile: TopicProfile, library: Library) -> None:
        self._rules = TermRules(profile)
        self._frequencies = library.frequencies
        self._topic = _join(profile_vector(profile), _learnt(library))
        self.topic_terms = frozenset(self._topic)

    def judge(self, page: PageTerms) -> Verdict:
        """Relevance c / (c + 0.15); 0 where a rule of the topic forbids the page."""
        if not self._topic:
            return Verdict(0.0, note="too_little")
        broken = self._rules.broken_by(page)
        vector = tf_idf(page, self._frequencies)
        shares = {
            term: self._topic[term] * vector[term] for term in vector.keys() & self._topic.keys()
        }
        best = sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:N_MATCHED]
        matched = tuple(MatchedTerm(term, share) for term, share in best)
        if broken:
            return Verdict(0.0, matched, broken)
        cosine = min(sum(shares.values()), 1.0)
        return Verdict(cosine / (cosine + HALF), matched)


class CosineKind:
    """Registers `CosineJudge`."""

    name = "cosine"

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, library: Library
    ) -> CosineJudge:
        return CosineJudge(profile, library)


def tf_idf(page: PageTerms, frequencies: DocumentFrequencies) -> dict[str, float]:
    """The page's unit vector of W = tf * lg(N / n + 0.5) * K [P1 eq. 1, 2].

    *Resolved*: lg(N / n + 0.5) is kept at or above lg 1.5, its value for a term that
    every page holds, so that no weight is 0 while little has been seen.
    """
    if not page.vocabulary:
        return {}
    idf = np.log10(10 ** frequencies.idf(page.vocabulary) + 0.5)
    weights = page.weighted_counts() / len(page) * idf
    weights /= np.linalg.norm(weights)
    return dict(zip(page.vocabulary, weights.tolist(), strict=True))


def _learnt(library: Library) -> dict[str, float]:
    """The strongest terms of the good examples' mean vector, as a unit vector."""
    total: dict[str, float] = {}
    for example in library.examples:
        if example.good:
            for term, weight in tf_idf(example.terms, library.frequencies).items():
                total[term] = total.get(term, 0.0) + example.weight * weight
    best = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:N_LEARNT]
    return _unit(dict(best))


def _join(own: dict[str, float], learnt: dict[str, float]) -> dict[str, float]:
    """Both vectors' weighted sum as a unit vector; one of them alone if the other is empty."""
    own = _unit(own)
    if not own or not learnt:
        return own or learnt
    joined = {term: (1 - OWN_SHARE) * weight for term, weight in learnt.items()}
    for term, weight in own.items():
        joined[term] = joined.get(term, 0.0) + OWN_SHARE * weight
    return _unit(joined)


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = sum(weight * weight for weight in vector.values()) ** 0.5
    return {term: weight / length for term, weight in vector.items()} if length else {}
