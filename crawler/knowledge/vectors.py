"""Pages and topics as vectors of terms, and what the two share."""

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from functools import partial
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, MatchedTerm, TrainingSet
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import PageTerms

#: Strongest terms of the example pages that join the topic's own.
N_LEARNT = 60
#: Share of the topic vector's weight that the person's own terms have; at one half,
#: learnt terms never outweigh what the person gave.
OWN_SHARE = 0.5
#: Terms a verdict names.
N_MATCHED = 8


def tf_idf(
    page: PageTerms,
    frequencies: DocumentFrequencies,
    of: Container[str] | None = None,
    *,
    topic: Collection[str] = (),
) -> dict[str, float]:
    """Return the page's unit vector of W = tf * lg(N / n + 0.5) * K [P1 eq. 1, 2].

    *Resolved*: lg(N / n + 0.5) is kept at or above lg 1.5, its value for a term that every page
    holds. So no weight is 0 while few pages have been seen. With `of`, only the components of those
    terms; the length is still the whole vector's. The terms of `topic` stay rare
    (`DocumentFrequencies.idf`).
    """
    if not page.vocabulary:
        return {}
    weights = _weights(page, frequencies, topic)
    unit_weights = weights / np.linalg.norm(weights)
    terms: Iterable[str] = page.vocabulary
    if of is not None:
        wanted = page.is_among(of)
        terms, unit_weights = compress(terms, wanted.tolist()), unit_weights[wanted]
    return dict(zip(terms, unit_weights.tolist(), strict=True))


def tag_weights(
    page: PageTerms, frequencies: DocumentFrequencies, topic: Collection[str] = ()
) -> dict[str, float]:
    """W = tf * lg(N / n + 0.5) * K of each term of the page [P1 eq. 1, 2].

    The terms of `topic` stay rare, as in `tf_idf`.
    """
    if not page.vocabulary:
        return {}
    return dict(zip(page.vocabulary, _weights(page, frequencies, topic).tolist(), strict=True))


def _weights(
    page: PageTerms, frequencies: DocumentFrequencies, topic: Collection[str]
) -> NDArray[np.float64]:
    idf = np.log10(10 ** frequencies.idf(page.vocabulary, topic=topic) + 0.5)
    return page.weighted_counts() / len(page) * idf


def topic_vector(profile: TopicProfile, training_set: TrainingSet) -> dict[str, float]:
    """Return the topic's own terms and the strongest of its example pages, as a unit vector."""
    return with_examples(profile_vector(profile), training_set)


def with_examples(own: Mapping[str, float], training_set: TrainingSet) -> dict[str, float]:
    """Return what the person gave and the strongest terms of the examples, as a unit vector."""
    vector_of = partial(tf_idf, frequencies=training_set.frequencies, topic=own)
    return weighted_sum(own, learnt_vector(training_set.examples, vector_of))


def learnt_vector(
    examples: Iterable[Example], vector_of: Callable[[PageTerms], Mapping[str, float]]
) -> dict[str, float]:
    """Return the strongest terms of the good examples' mean vector, as a unit vector."""
    total = linear_combination((one.weight, vector_of(one.terms)) for one in examples if one.good)
    return unit(dict(strongest(total, N_LEARNT)))


def weighted_sum(own: Mapping[str, float], learnt: Mapping[str, float]) -> dict[str, float]:
    """Both vectors' weighted sum as a unit vector; one of them alone if the other is empty."""
    own, learnt = unit(own), unit(learnt)
    if not own or not learnt:
        return own or learnt
    return unit(linear_combination([(1 - OWN_SHARE, learnt), (OWN_SHARE, own)]))


def linear_combination(parts: Iterable[tuple[float, Mapping[str, float]]]) -> dict[str, float]:
    """Return the sum of vectors, each times its factor."""
    total: dict[str, float] = {}
    for factor, vector in parts:
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + factor * weight
    return total


def unit(vector: Mapping[str, float]) -> dict[str, float]:
    """Return the vector at Euclidean norm 1; empty if it has no length."""
    length = sum(weight * weight for weight in vector.values()) ** 0.5
    return {term: weight / length for term, weight in vector.items()} if length else {}


def strongest(weights: Mapping[str, float], n: int) -> list[tuple[str, float]]:
    """Return the `n` largest weights, largest first; ties in the terms' order."""
    return sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:n]


def matched_terms(
    shares: Mapping[str, float], concepts: Mapping[str, str]
) -> tuple[MatchedTerm, ...]:
    """Return the strongest positive shares, with the concept that brought each."""
    best = strongest(shares, N_MATCHED)
    return tuple(MatchedTerm(term, s, concepts.get(term, "")) for term, s in best if s > 0)
