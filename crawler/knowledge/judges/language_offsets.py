"""What is added to the logits of each language, so that its pages compare with the others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

#: With fewer pages that hold the topic's words, a language is not compared.
FEWEST_PAGES: Final = 10
#: Strength of the belief that languages are judged alike, in pages.
PRIOR_PAGES: Final = 10


def language_offsets(
    logits: Vector, languages: Sequence[str], with_words: NDArray[np.bool_]
) -> dict[str, float]:
    """What to add to the logits of each language.

    Languages share hardly any term. So a language with fewer examples has smaller weights, and
    its pages have lower logits, however much they are about the topic. Pages with the topic's own
    words show how much lower: with the offsets, those of each language have nearly the same mean.

    Parameters
    ----------
    logits : ndarray of float64, shape (n_pages,)
        Of the pages that the crawl fetched, each by a fit without the page.
    languages : sequence of str, length n_pages
        Codes; "" for an unknown language, which is not compared.
    with_words : ndarray of bool, shape (n_pages,)
        True for a page that the topic's words and concepts alone let through.

    Returns
    -------
    dict of str to float
        Log-odds; empty unless two languages have `FEWEST_PAGES` such pages.
    """
    codes = np.array(languages, dtype=np.str_)
    chosen = {
        language: logits[with_words & (codes == language)]
        for language in sorted(set(languages) - {""})
    }
    compared = {language: found for language, found in chosen.items() if len(found) >= FEWEST_PAGES}
    if len(compared) < 2:
        return {}
    mean = float(np.concatenate(list(compared.values())).mean())
    return {
        language: (mean - float(found.mean())) * len(found) / (len(found) + PRIOR_PAGES)
        for language, found in compared.items()
    }


def offsets_of(languages: Iterable[str], offsets: Mapping[str, float]) -> Vector:
    """Return the offset of each page, by its language, shape (n_pages,)."""
    return np.array([offsets.get(language, 0.0) for language in languages])
