"""The content value of many pages in one go [P2 eq. 3-7]."""

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.page_matrix import PageMatrix, Vector
from crawler.ranking.score import N_KEY_TERMS


def content_values(
    pages: PageMatrix,
    topic_terms: frozenset[str],
    frequencies: DocumentFrequencies,
    of: NDArray[np.bool_] | None = None,
) -> Vector:
    """CV of each page, as `crawler.ranking.score.content_value` gives it.

    Parameters
    ----------
    pages : PageMatrix
    topic_terms : frozenset of str
    frequencies : DocumentFrequencies
    of : ndarray of bool, shape (n_pages,), optional
        The pages to value; all if it is not given.

    Returns
    -------
    ndarray of float64, shape (n_pages,)
        In [0, 1]; 0 for a page without terms, and for one that is not asked for.
    """
    terms = list(pages.terms)
    is_topic = np.fromiter((term in topic_terms for term in terms), np.float64, len(terms))
    idf = {
        language: frequencies.idf(terms, language, topic=topic_terms) + 1e-9
        for language in set(pages.languages)
    }
    values = np.zeros(len(pages))
    wanted = np.arange(len(pages)) if of is None else np.flatnonzero(of)
    starts = np.searchsorted(pages.rows, wanted).tolist()
    ends = np.searchsorted(pages.rows, wanted, side="right").tolist()
    for number, start, end in zip(wanted.tolist(), starts, ends, strict=True):
        columns = pages.columns[start:end]
        if len(columns):
            tf = pages.counts[start:end] / pages.lengths[number]
            gains = tf * idf[pages.languages[number]][columns]
            key = columns[np.argsort(-gains, kind="stable")[:N_KEY_TERMS]]
            values[number] = is_topic[key].mean()
    return values
