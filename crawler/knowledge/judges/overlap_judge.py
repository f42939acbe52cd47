"""The overlap judge: shared tokens over all tokens of query and page [P4 eq. 4]."""

from collections.abc import Set

from crawler.knowledge.judge import TrainingSet, Verdict
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.terms import TermRules, concept_names, profile_vector
from crawler.knowledge.vectors import matched_terms
from crawler.page.parsed import PageTerms


def overlap(query: Set[str], document: Set[str]) -> float:
    """Fit = |q and d| / |q or d|, in [0, 1]; 0 for two empty sets [P4 eq. 4]."""
    shared = len(query & document)
    return shared / (len(query) + len(document) - shared) if shared else 0.0


class OverlapJudge:
    """Relevance = Fit of the topic's query terms and the page's tokens.

    *Resolved*: the paper rates links by it, by their metadata; of a page, `d` is all
    its tokens. A page has hundreds, so the figures are small: good for ranking, and a
    topic that keeps pages by it needs a threshold of a few hundredths.

    References
    ----------
    [P4 eq. 4]
    """

    def __init__(self, profile: TopicProfile) -> None:
        self._rules, self._reading = TermRules(profile), SuffixMatcher(profile)
        self._concepts = concept_names(profile)
        self.topic_terms = frozenset(profile_vector(profile))

    def judge(self, page: PageTerms) -> Verdict:
        """Fit in [0, 1]; 0 where a rule of the topic forbids the page."""
        if not self.topic_terms:
            return Verdict(0.0, note="too_little")
        document = frozenset(self._reading.page(page).vocabulary)
        fit = overlap(self.topic_terms, document)
        shared = self.topic_terms & document
        shares = dict.fromkeys(shared, fit / len(shared)) if shared else {}
        matched = matched_terms(shares, self._concepts)
        broken = self._rules.broken_by(page)
        return Verdict(0.0 if broken else fit, matched, broken)


class OverlapKind:
    """Registers `OverlapJudge`."""

    name = "overlap"
    parameters = ()

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet
    ) -> OverlapJudge:
        """Make the judge; it has no settings, and learns from no pages."""
        return OverlapJudge(profile)
