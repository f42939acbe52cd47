"""The ontology judge: correlation of what page and topic share, matched by concept [P1]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import KEPT_SHARE, DocumentFrequencies
from crawler.knowledge.judge import JudgeUpdate, MatchedTerm, TrainingSet, Verdict
from crawler.knowledge.judges.cosine_judge import relevance_of
from crawler.knowledge.ontology.matching import ConceptMatcher
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.terms import TermRules, given_vector
from crawler.knowledge.vectors import N_MATCHED, strongest, tag_weights, with_examples
from crawler.page.parsed import PageTerms
from crawler.text.tokens import tokenize
from focusweb.parameters import Parameter, gettext_noop

#: Similarity that counts as relevance 1/2 (*Resolved*: the paper's 3.5 cannot be met).
HALF = 0.35
MIN_SHARED_TERMS = 3
#: The "average evaluation" that [P1 eq. 3] takes from both sides, a constant there too:
#: that of 400 equal weights in a vector of norm 1 (*Resolved*).
AVERAGE = 0.05
#: Marks a concept among tokens, which never hold a blank.
_CONCEPT = "concept "


@dataclass(frozen=True, slots=True)
class Constants:
    """What [P1 eq. 3] leaves to be set.

    Attributes
    ----------
    a, b : float
        Taken from every weight of the topic and of the page; both vectors have norm 1.
    min_shared_terms : int
        With fewer shared terms Sim is 0 (*Resolved*).
    """

    a: float = AVERAGE
    b: float = AVERAGE
    min_shared_terms: int = MIN_SHARED_TERMS


def similarity(
    topic: NDArray[np.float64], page: NDArray[np.float64], constants: Constants
) -> float:
    """Sim of the weights of the shared terms [P1 eq. 3].

    Parameters
    ----------
    topic, page : ndarray of float64, shape (m,)
        The shared terms' weights in both, in the same order.

    Returns
    -------
    float
        In [-1, 1]; 0 for fewer terms than `min_shared_terms`, and where a constant
        equals every weight, which makes the paper's formula 0/0 (*Resolved*).
    """
    if len(topic) < constants.min_shared_terms:
        return 0.0
    left, right = topic - constants.a, page - constants.b
    length = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / length if length else 0.0


class OntologyJudge:
    """Relevance s / (s + 0.35) of s = Sim(page, topic) over the shared terms.

    A concept's labels are one term, whatever the language [P1]; its weight on a page
    sums its labels', with n the pages that hold its most frequent label's rarest
    token (*Resolved*). The topic's weights are those of its name, terms and concepts,
    joined with its example pages' strongest terms.

    N and n count the pages kept so far, as in the paper. *Resolved*: until more are kept
    than there are example pages, they count those.

    References
    ----------
    [P1 eq. 2, 3]
    """

    name = "ontology"

    def __init__(
        self,
        profile: TopicProfile,
        training_set: TrainingSet,
        constants: Constants,
        *,
        threshold: float = 0.5,
    ) -> None:
        self._rules, self._reading = TermRules(profile), SuffixMatcher(profile)
        training_set = self._reading.training_set(training_set)
        training_set = replace(training_set, frequencies=_kept_pages(training_set))
        self._frequencies = training_set.frequencies
        self._constants, self._threshold = constants, threshold
        labels = [(_CONCEPT + (c.concept or c.text), c) for c in profile.concepts]
        self._names = {key: key.removeprefix(_CONCEPT) for key, _ in labels}
        self._matcher = ConceptMatcher((key, concept.text) for key, concept in labels)
        self._held: dict[str, float] = {}
        own = given_vector(profile)
        for key, concept in labels:
            # As of the topic's words, a tenth of the kept pages counts (`DocumentFrequencies.idf`).
            held = KEPT_SHARE * pages_with(concept.text, training_set.frequencies)
            self._held[key] = max(held, self._held.get(key, 1))
            own[key] = max(concept.degree, own.get(key, 0.0))
        self._own = frozenset(own)
        self._topic = with_examples(own, training_set)
        tokens = {token for _, concept in labels for token in tokenize(concept.text)}
        self.topic_terms = frozenset(self._topic.keys() - self._names.keys()) | tokens

    def judge(self, page: PageTerms) -> Verdict:
        """Relevance in [0, 1); 0 where a rule of the topic forbids the page."""
        if not self._topic:
            return Verdict(0.0, note="too_little")
        weights = self._weights(page)
        shared = weights.keys() & self._topic.keys()
        matched = self._matched({term: self._topic[term] * weights[term] for term in shared})
        broken = self._rules.broken_by(page)
        if broken:
            return Verdict(0.0, matched, broken)
        terms = sorted(shared)
        topic = np.array([self._topic[term] for term in terms])
        found = np.array([weights[term] for term in terms])
        return Verdict(relevance_of(similarity(topic, found, self._constants), HALF), matched)

    def learn(self, pages: Sequence[tuple[PageTerms, float]], memory: bytes) -> JudgeUpdate:
        """Count the pages that pass the threshold; news once they are half as many again."""
        kept = DocumentFrequencies.load(memory) if memory else DocumentFrequencies()
        passed = [page for page, relevance in pages if relevance >= self._threshold and len(page)]
        kept.add(map(self._reading.page, passed), n_kept=len(passed))
        is_news = kept.has_grown(self._frequencies.total)
        return JudgeUpdate(self.name, kept.dump(), is_news)

    def _weights(self, page: PageTerms) -> dict[str, float]:
        """W of each term and concept on the page, at norm 1 so that `b` has a scale."""
        weights = tag_weights(self._reading.page(page), self._frequencies, self._own)
        if self._names:
            tokens, classes = list(page.tokens()), page.tag_classes()
            total = max(self._frequencies.total, 1)
            for match in self._matcher.find(tokens):
                tag_class = float(classes[match.start : match.end].max())
                for concept in match.concepts:
                    idf = np.log10(max(total / self._held[concept], 1.0) + 0.5)
                    weights[concept] = weights.get(concept, 0.0) + tag_class * idf / len(page)
        length = float(np.linalg.norm(list(weights.values()))) if weights else 0.0
        return {term: weight / length for term, weight in weights.items()} if length else {}

    def _matched(self, shares: Mapping[str, float]) -> tuple[MatchedTerm, ...]:
        return tuple(
            MatchedTerm(self._names.get(term, term), share, self._names.get(term, ""))
            for term, share in strongest(shares, N_MATCHED)
        )


class OntologyKind:
    """Registers `OntologyJudge`; parameters `a`, `b` and `min_shared_terms`."""

    name = OntologyJudge.name
    parameters = (
        Parameter("a", AVERAGE, gettext_noop("subtracted from every topic weight")),
        Parameter("b", AVERAGE, gettext_noop("subtracted from every page weight")),
        Parameter(
            "min_shared_terms",
            MIN_SHARED_TERMS,
            gettext_noop("minimum number of shared terms; with fewer, the similarity is 0"),
            1,
            inf,
            is_whole=True,
        ),
    )

    def build(
        self, profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet
    ) -> OntologyJudge:
        """Make the judge with the constants of [P1 eq. 3]."""
        given = settings.judge_parameters
        least = int(given.get("min_shared_terms", MIN_SHARED_TERMS))
        constants = Constants(given.get("a", AVERAGE), given.get("b", AVERAGE), least)
        return OntologyJudge(profile, training_set, constants, threshold=settings.threshold)


def _kept_pages(training_set: TrainingSet) -> DocumentFrequencies:
    """How many of the pages kept hold each term; of the example pages while they are more."""
    examples = [example.terms for example in training_set.examples if example.good]
    if memory := training_set.memories.get(OntologyJudge.name):
        kept = DocumentFrequencies.load(memory)
        if kept.total > len(examples):
            return kept
    first = DocumentFrequencies()
    first.add(examples, n_kept=len(examples))
    return first


def pages_with(label: str, frequencies: DocumentFrequencies) -> int:
    """Pages that may hold a label: those that hold its rarest token."""
    return min((frequencies.terms.get(token, 0) for token in tokenize(label)), default=0)
