"""Terms that separate two sets of pages: log-odds with an informative prior."""

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

from crawler.page.parsed import PageTerms

#: Weight of the prior, in pages: what both groups say together (*Resolved*).
PRIOR_PAGES = 10.0


def discriminative_terms(
    pages: Sequence[PageTerms], others: Sequence[PageTerms], *, limit: int = 20, bad: bool = False
) -> list[tuple[str, float]]:
    """Find the terms that more of the pages than of the others hold.

    Parameters
    ----------
    bad : bool, default False
        Find the terms of the others instead.

    Returns
    -------
    list of (str, float)
        Terms on at least two of the pages (one, if there is only one), with the
        z-score of their log-odds, > 0, largest first.

    References
    ----------
    B. Monroe, M. Colaresi, K. Quinn, "Fightin' words", Political Analysis 16(4),
    2008, eq. 15, 16, 22; here on page counts.
    """
    if bad:
        pages, others = others, pages
    ours = Counter(term for page in pages for term in page.vocabulary)
    theirs = Counter(term for page in others for term in page.vocabulary)
    n_ours, n_theirs = len(pages), len(others)
    total = max(n_ours + n_theirs, 1)
    scored = []
    for term, count in ours.items():
        if count < min(2, n_ours):
            continue
        prior = PRIOR_PAGES * (count + theirs[term]) / total
        odds = (count + prior) / (n_ours + PRIOR_PAGES + 1 - count - prior)
        other = (theirs[term] + prior) / (n_theirs + PRIOR_PAGES + 1 - theirs[term] - prior)
        delta = log(odds) - log(other)
        z = delta / sqrt(1 / (count + prior) + 1 / (theirs[term] + prior))
        if z > 0:
            scored.append((term, z))
    return sorted(scored, key=lambda item: (-item[1], item[0]))[:limit]
