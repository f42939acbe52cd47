"""How much of a page is about the topic, beside how surely it is."""

from collections.abc import Mapping
from itertools import repeat
from typing import Final, Protocol, runtime_checkable

import numpy as np

from crawler.knowledge.judge import Judge
from crawler.knowledge.judges.features import n_lead_terms
from crawler.knowledge.page_matrix import PageMatrix, Vector
from crawler.knowledge.shared_terms import with_shared_terms
from crawler.page.parsed import PageTerms

#: Goes up when a density is measured in another way: what is stored is then measured again.
DENSITIES: Final = 5


@runtime_checkable
class WeightedJudge(Protocol):
    """A judge that says how much each word says of the topic.

    Attributes
    ----------
    term_weights : mapping of str to float
        > 0; of other terms 0.
    """

    term_weights: Mapping[str, float]


def with_own_words(learnt: Mapping[str, float], own: Mapping[str, float]) -> dict[str, float]:
    """What learnt words say of a topic, where a person's own words say as much as any.

    A few examples show that a word belongs to the topic, but not how much it weighs: a word that
    they share by chance may come out on top. Words that the user named need no such proof. The
    user's words without a learnt weight stay out: they do not separate these pages from others.

    Parameters
    ----------
    learnt : mapping of str to float
        Weights, > 0.
    own : mapping of str to float
        How much the person lets each word count, > 0.

    Returns
    -------
    dict of str to float
        The learnt words. The strongest own one has the strongest's weight, others in
        proportion, none less than what was learnt.
    """
    most, full = max(learnt.values(), default=0.0), max(own.values(), default=1.0)
    return {term: max(weight, most * own.get(term, 0.0) / full) for term, weight in learnt.items()}


def density_weights(judge: Judge, shared: Mapping[str, float]) -> Mapping[str, float]:
    """What each term adds to a page's density, in (0, 1], the strongest 1.

    Of a judge that weighs none, all its topic's terms count alike. Of a term that top pages share,
    `shared` has a weight: the larger of both counts.
    """
    if not isinstance(judge, WeightedJudge):
        return with_shared_terms(dict.fromkeys(judge.topic_terms, 1.0), shared)
    most = max(judge.term_weights.values(), default=1.0)
    weights = {term: weight / most for term, weight in judge.term_weights.items()}
    return with_shared_terms(weights, shared)


def topic_density(page: PageTerms, weights: Mapping[str, float]) -> float:
    """How much of the start of a page is the topic's words.

    A judge says how sure it is that a page is on topic, and grows sure quickly: of two pages
    that surely are, one may mention the topic beside much else.

    Parameters
    ----------
    weights : mapping of str to float
        As `density_weights` gives them.

    Returns
    -------
    float
        In [0, 1]: mean weight of the terms that stand in the first 250 tokens, where a term
        that the page holds c times counts 1 + ln c; 0 for a page without terms.
    """
    n_lead = n_lead_terms(page)
    counted = 1 + np.log(page.counts()[:n_lead])
    weighed = counted @ _weights_of(page.vocabulary[:n_lead], weights)
    return float(weighed / max(counted.sum(), 1.0))


def topic_densities(pages: PageMatrix, weights: Mapping[str, float]) -> Vector:
    """`topic_density` of each page, shape (n_pages,)."""
    counted: Vector = np.where(pages.lead, 1 + np.log(pages.counts.astype(np.float64)), 0.0)
    found: Vector = pages.sums(counted * pages.by_column(weights)[pages.columns])
    return found / np.maximum(pages.sums(counted), 1.0)


def _weights_of(terms: list[str], weights: Mapping[str, float]) -> Vector:
    return np.fromiter(map(weights.get, terms, repeat(0.0)), np.float64, len(terms))
