"""How much of a page is about the topic, beside how surely it is."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import numpy as np

from crawler.knowledge.features import n_lead_terms
from crawler.knowledge.judge import Judge
from crawler.knowledge.page_matrix import PageMatrix, Vector
from crawler.page.parsed import PageTerms


@runtime_checkable
class WeighingJudge(Protocol):
    """A judge that says how much each word says of the topic.

    Attributes
    ----------
    term_weights : mapping of str to float
        > 0; of other terms 0.
    """

    term_weights: Mapping[str, float]


def density_weights(judge: Judge) -> Mapping[str, float]:
    """What each term adds to a page's density, in (0, 1], the strongest 1.

    Of a judge that weighs none, all its topic's terms count alike.
    """
    if not isinstance(judge, WeighingJudge):
        return dict.fromkeys(judge.topic_terms, 1.0)
    most = max(judge.term_weights.values(), default=1.0)
    return {term: weight / most for term, weight in judge.term_weights.items()}


def topic_density(page: PageTerms, weights: Mapping[str, float]) -> float:
    """How much of the start of a page is the topic's words.

    A judge says how sure it is that a page is on topic, and grows sure quickly: of two pages
    that surely are, one may mention the topic beside much else.

    Parameters
    ----------
    page : PageTerms
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
    return np.fromiter((weights.get(term, 0.0) for term in terms), np.float64, len(terms))
