"""The content value of pages [P2 eq. 3-7]: how many of their key terms are topic terms."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.density import topic_densities, topic_density
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.stuffing import trust_of, trusts_in
from crawler.page.parsed import PageTerms

#: t of [P2 eq. 7] (*Resolved*).
N_KEY_TERMS = 20


@dataclass(frozen=True, slots=True)
class ContentValue:
    """CV and what it rests on.

    Attributes
    ----------
    value : float
        In [0, 1].
    matched : tuple of str
        Key terms that are topic terms, strongest first.
    n_key : int
        How many key terms the page has, at most 20.
    trust : float
        In (0, 1]; what its whole score is multiplied by, as it may be stuffed.
    density : float
        In [0, 1]; how much of the page is about the topic.
    """

    value: float
    matched: tuple[str, ...]
    n_key: int
    trust: float = 1.0
    density: float = 0.0


def content_value(
    page: PageTerms,
    topic_terms: frozenset[str],
    frequencies: DocumentFrequencies,
    term_weights: Mapping[str, float] = MappingProxyType({}),
) -> ContentValue:
    """CV = share of the page's key terms that are topic terms [P2 eq. 3-7].

    The key terms are the 20 (*Resolved*) with the largest TF * IDF; ties go to
    the term that appears first. How far the page is trusted, and how much of it is about
    the topic, by the weights of the terms, is returned beside it.
    """
    if not page.vocabulary:
        return ContentValue(0.0, (), 0)
    weights = page.counts() / len(page)
    # A term on every page seen has IDF 0; the +1 keeps frequency as the tie-break then.
    idf = frequencies.idf(page.vocabulary, page.language, topic=topic_terms)
    gains = weights * (idf + 1e-9)
    order = np.argsort(-gains, kind="stable")[:N_KEY_TERMS]
    key = [page.vocabulary[i] for i in order]
    matched = tuple(term for term in key if term in topic_terms)
    trust, density = trust_of(page, topic_terms), topic_density(page, term_weights)
    return ContentValue(len(matched) / len(key), matched, len(key), trust, density)


def content_values(
    pages: PageMatrix,
    topic_terms: frozenset[str],
    frequencies: DocumentFrequencies,
    term_weights: Mapping[str, float] = MappingProxyType({}),
    of: NDArray[np.bool_] | None = None,
) -> list[ContentValue]:
    """Return the CV of each page: `content_value` over many pages.

    Parameters
    ----------
    of : ndarray of bool, shape (n_pages,), optional
        The pages to value; all if it is not given.

    Returns
    -------
    list of ContentValue
        For pages outside `wanted` only `trust` and `density` are computed.
    """
    terms = list(pages.terms)
    is_topic = np.fromiter(map(topic_terms.__contains__, terms), np.bool_, len(terms))
    idf = {
        language: frequencies.idf(terms, language, topic=topic_terms) + 1e-9
        for language in set(pages.languages)
    }
    trusts = trusts_in(pages, topic_terms).tolist()
    densities = topic_densities(pages, term_weights).tolist()
    values = [ContentValue(0.0, (), 0, *both) for both in zip(trusts, densities, strict=True)]
    wanted = np.arange(len(pages)) if of is None else np.flatnonzero(of)
    starts = np.searchsorted(pages.rows, wanted).tolist()
    ends = np.searchsorted(pages.rows, wanted, side="right").tolist()
    for number, start, end in zip(wanted.tolist(), starts, ends, strict=True):
        columns = pages.columns[start:end]
        if len(columns):
            tf = pages.counts[start:end] / pages.lengths[number]
            gains = tf * idf[pages.languages[number]][columns]
            key = columns[np.argsort(-gains, kind="stable")[:N_KEY_TERMS]]
            matched = tuple(terms[column] for column in key[is_topic[key]].tolist())
            both = trusts[number], densities[number]
            values[number] = ContentValue(len(matched) / len(key), matched, len(key), *both)
    return values
