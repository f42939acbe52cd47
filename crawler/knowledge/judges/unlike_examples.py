"""Whether a high share of topic pages rests on likeness to examples that are not alike."""

from itertools import combinations
from statistics import fmean
from typing import Final

from crawler.knowledge.judge import TrainingSet
from crawler.knowledge.judges.features import product, term_vector
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.suffixes import has_own_words

#: Examples of one subject have at least this mean cosine: 66 sets of five seeds have .08 to .44,
#: five pages of any subject .05 (manuals) and .08 (encyclopaedia).
LEAST_IN_COMMON: Final = 0.08
#: With less in common, at least such a part of the pages that seem to be on topic has a word of it.
LEAST_WITH_WORDS: Final = 0.5
#: Examples that are compared for that.
MOST_COMPARED: Final = 20


def is_likeness_alone(profile: TopicProfile, training_set: TrainingSet, share: float) -> bool:
    """Return whether only likeness to unlike examples speaks for a share of topic pages.

    Examples with little in common make everything look on topic, and nearly all that was fetched
    would be kept. Words of the topic on the fetched pages are the other evidence.

    Parameters
    ----------
    share : float
        Of the fetched pages that are taken to be on topic, in [0, 1].
    """
    if _in_common(training_set) >= LEAST_IN_COMMON:
        return False
    fetched = training_set.background[: training_set.n_fetched]
    n_holding = sum(has_own_words(profile, frozenset(page.vocabulary)) for page in fetched)
    return n_holding < LEAST_WITH_WORDS * share * len(fetched)


def _in_common(training_set: TrainingSet) -> float:
    """Mean cosine of the pairs of good examples; 0 for a single one."""
    good = [example.terms for example in training_set.examples if example.good][:MOST_COMPARED]
    vectors = [term_vector(page, training_set.frequencies) for page in good]
    return fmean([product(one, other) for one, other in combinations(vectors, 2)] or [0.0])
