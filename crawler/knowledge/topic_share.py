"""Estimate how much of what a crawl fetched is on topic, without labels."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

#: With fewer labelled pages, in all or in a language, no estimate is made.
MIN_KNOWN = 2


def share_on_topic(
    known: Vector,
    known_languages: Sequence[str],
    fetched: Vector,
    fetched_languages: Sequence[str],
) -> float:
    """Estimate the share of topic pages among unlabelled ones.

    A topic page reaches the score of a page known to be on topic every second time, and
    another page hardly ever: so twice the mean share of known pages that a fetched page
    reaches is the share sought. Likeness is greater in some languages than in others, so
    that pages are held against known ones of their own language where there are two.

    Parameters
    ----------
    known : ndarray of float64, shape (n_known,)
        Score of each page known to be on topic, as a scorer gives it that has not seen it.
    known_languages : sequence of str
        Their languages.
    fetched : ndarray of float64, shape (n_fetched,)
        Score of each unlabelled page, likewise.
    fetched_languages : sequence of str
        Their languages.

    Returns
    -------
    float
        In [0, 1]; 0 where it cannot be known, with fewer than two known pages or nothing
        fetched. Too low if the known pages are better than most of the topic, too high if
        they have little in common.

    References
    ----------
    The known pages are a sample of the positive class among unlabelled ones: C. Elkan and
    K. Noto, "Learning classifiers from only positive and unlabeled data", KDD 2008.
    """
    if len(known) < MIN_KNOWN or not len(fetched):
        return 0.0
    of_known, of_fetched = np.array(known_languages), np.array(fetched_languages)
    reached = np.zeros(len(fetched))
    for language in sorted(set(fetched_languages)):
        here = of_fetched == language
        own = known[of_known == language]
        among = np.sort(own if len(own) >= MIN_KNOWN else known)
        reached[here] = np.searchsorted(among, fetched[here], side="right") / len(among)
    return min(2 * float(reached.mean()), 1.0)


def share_by_chances(known: Vector, fetched: Vector) -> float:
    """Estimate the share of topic pages among unlabelled ones, from calibrated verdicts.

    A classifier of labelled against unlabelled pages gives the probability that a page is
    *labelled*. Its mean over labelled pages is the chance c that a topic page is labelled. So an
    unlabelled page with probability p is on topic with the odds p / (1 - p) * (1 - c) / c, and with
    probability 1 at most.

    Parameters
    ----------
    known, fetched : ndarray of float64
        Probability in (0, 1) of each labelled page and of each unlabelled page, at least one of
        each. The classifier of a page has not seen it.

    Returns
    -------
    float
        In [0, 1]. Too high where other pages look like the topic. Too low where most unlabelled
        pages are on topic, since the classifier counts them as negative.

    References
    ----------
    C. Elkan and K. Noto, "Learning classifiers from only positive and unlabeled data",
    KDD 2008, section 2.
    """
    is_known = float(known.mean())
    odds = fetched / (1 - fetched) * (1 - is_known) / is_known
    return float(np.minimum(odds, 1.0).mean())
