"""What makes pages of different languages comparable by their logits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

#: Pages of a language with the topic's words of which its mean logit is taken.
FEWEST_PAGES: Final = 10
#: As many pages count for no offset.
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
    logits, languages, with_words
        Of the pages that the crawl fetched: by a fit without the page, its language, and whether
        the topic's words and concepts alone let it through.

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
