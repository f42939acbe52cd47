"""How much of a page is about the topic, beside how surely it is."""

from collections.abc import Collection

import numpy as np

from crawler.knowledge.features import n_lead_terms
from crawler.knowledge.page_matrix import PageMatrix, Vector
from crawler.page.parsed import PageTerms


def topic_density(page: PageTerms, topic_terms: Collection[str]) -> float:
    """How much of the start of a page is the topic's words.

    A judge says how sure it is that a page is on topic, and grows sure quickly: of two pages
    that surely are, one may mention the topic beside much else.

    Parameters
    ----------
    page : PageTerms
    topic_terms : collection of str

    Returns
    -------
    float
        In [0, 1]: share of topic terms among those that stand in the first 250 tokens, where
        a term that the page holds c times counts 1 + ln c; 0 for a page without terms.
    """
    n_lead = n_lead_terms(page)
    weights = 1 + np.log(page.counts()[:n_lead])
    is_topic = _among(page.vocabulary[:n_lead], topic_terms)
    return float(weights @ is_topic / max(weights.sum(), 1.0))


def topic_densities(pages: PageMatrix, topic_terms: Collection[str]) -> Vector:
    """`topic_density` of each page, shape (n_pages,)."""
    weights: Vector = np.where(pages.lead, 1 + np.log(pages.counts.astype(np.float64)), 0.0)
    is_topic = _among(list(pages.terms), topic_terms)
    found: Vector = pages.sums(weights * is_topic[pages.columns])
    return found / np.maximum(pages.sums(weights), 1.0)


def _among(terms: Collection[str], topic_terms: Collection[str]) -> Vector:
    return np.fromiter((term in topic_terms for term in terms), np.float64, len(terms))
