"""The cosine judge: tag-weighted TF-IDF against the topic's vector."""

from crawler.knowledge.judge import TrainingSet, Verdict
from crawler.knowledge.page_matrix import PageMatrix, Vector, similarities
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.terms import TermRules, concept_names, profile_vector
from crawler.knowledge.vectors import matched_terms, tf_idf, topic_vector
from crawler.page.parsed import PageTerms

#: Cosine that counts as relevance 1/2: P3's first threshold.
HALF = 0.15


class CosineJudge:
    """Cosine of a page's and the topic's vectors, as relevance c / (c + 0.15).

    The topic's vector is the unit vector of its name, terms and concepts, joined with
    the 60 strongest terms of the example pages' mean. *Resolved*: the cosine is bent so
    that P3's threshold 0.15 becomes 1/2, and relevance stays in [0, 1).
    """

    def __init__(self, profile: TopicProfile, training_set: TrainingSet) -> None:
        self._rules, self._reading = TermRules(profile), SuffixMatcher(profile)
        training_set = self._reading.training_set(training_set)
        self._concepts = concept_names(profile)
        self._frequencies = training_set.frequencies
        self._topic = topic_vector(profile, training_set)
        self._own = frozenset(profile_vector(profile))
        self.topic_terms = frozenset(self._topic)
        self.term_weights = self._topic

    def judge(self, page: PageTerms) -> Verdict:
        """Relevance c / (c + 0.15); 0 where a rule of the topic forbids the page."""
        if not self._topic:
            return Verdict(0.0, note="too_little")
        broken = self._rules.broken_by(page)
        read = self._reading.page(page)
        vector = tf_idf(read, self._frequencies, self._topic, topic=self._own)
        shares = {term: self._topic[term] * weight for term, weight in vector.items()}
        matched = matched_terms(shares, self._concepts)
        if broken:
            return Verdict(0.0, matched, broken)
        cosine = min(sum(shares.values()), 1.0)
        return Verdict(relevance_of(cosine, HALF), matched)

    def relevances(self, pages: PageMatrix) -> Vector:
        """Relevance of each page, as `judge` gives it, shape (n_pages,)."""
        read = self._reading.matrix(pages)
        cosines = similarities(read, self._topic, self._frequencies, self._own)
        cosines[self._rules.broken_pages(pages)] = 0.0
        found: Vector = cosines / (cosines + HALF)
        return found


class CosineKind:
    """Registers `CosineJudge`."""

    name = "cosine"
    parameters = ()

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet
    ) -> CosineJudge:
        """Make the judge; it has no settings."""
        return CosineJudge(profile, training_set)


def relevance_of(similarity: float, half: float) -> float:
    """Return a similarity as relevance in [0, 1): `half` becomes 1/2, 0 and less become 0."""
    return similarity / (similarity + half) if similarity > 0 else 0.0
