"""The content judge: how many of a page's key terms are topic terms [P2 eq. 3-7]."""

from crawler.knowledge.content_value import content_value
from crawler.knowledge.judge import TrainingSet, Verdict
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.terms import TermRules, concept_names
from crawler.knowledge.vectors import matched_terms, topic_vector
from crawler.page.parsed import PageTerms


class ContentJudge:
    """Relevance = CV, the share of the page's 20 key terms that are topic terms.

    *Resolved*: topic terms are the topic's name, terms and concepts and the 60
    strongest terms of its example pages.

    References
    ----------
    [P2 eq. 3-7]
    """

    def __init__(self, profile: TopicProfile, training_set: TrainingSet) -> None:
        self._rules, self._reading = TermRules(profile), SuffixMatcher(profile)
        training_set = self._reading.training_set(training_set)
        self._concepts = concept_names(profile)
        self._frequencies = training_set.frequencies
        self.topic_terms = frozenset(topic_vector(profile, training_set))

    def judge(self, page: PageTerms) -> Verdict:
        """CV in [0, 1]; 0 where a rule of the topic forbids the page."""
        if not self.topic_terms:
            return Verdict(0.0, note="too_little")
        read = self._reading.page(page)
        value = content_value(read, self.topic_terms, self._frequencies)
        share = 1 / max(value.n_key, 1)
        matched = matched_terms(dict.fromkeys(value.matched, share), self._concepts)
        broken = self._rules.broken_by(page)
        return Verdict(0.0 if broken else value.trust * value.value, matched, broken)


class ContentKind:
    """Registers `ContentJudge`."""

    name = "content"
    parameters = ()

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet
    ) -> ContentJudge:
        """Make the judge; it has no settings."""
        return ContentJudge(profile, training_set)
