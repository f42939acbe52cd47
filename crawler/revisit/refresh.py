"""When to fetch a known page again: by how often its text has changed so far."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final

#: Known pages get so much of a budget; the rest looks for new ones.
REFRESH_SHARE: Final = 0.2
#: Changes per day beyond which rates cannot be distinguished.
MAX_PER_DAY: Final = 1000.0
_ROUNDS, _TOLERANCE = 200, 1e-9


@dataclass(frozen=True, slots=True)
class PastVisit:
    """A visit of a page: days since the visit before, and whether the text had changed."""

    days: float
    changed: bool


def change_rate(checks: Sequence[PastVisit]) -> float:
    """Estimate changes per day from checks at any intervals.

    Parameters
    ----------
    checks : sequence of PastVisit
        Those of no time at all say nothing.

    Returns
    -------
    float
        In [0, `MAX_PER_DAY`]; 0 if no check saw a change, or there is none.

    Notes
    -----
    The most likely rate solves: sum over changed of t/(e^(rate t) - 1) = sum over unchanged
    of t. *Resolved*: if every check saw a change, that has no finite solution; half a check
    without a change is added then, as their estimator for regular intervals does.

    References
    ----------
    J. Cho, H. Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003, section 5.
    """
    changed = [check.days for check in checks if check.changed and check.days > 0]
    unchanged = math.fsum(check.days for check in checks if not check.changed and check.days > 0)
    if not changed:
        return 0.0
    if unchanged == 0:
        unchanged = math.fsum(changed) / len(changed) / 2
    low, high = 0.0, MAX_PER_DAY
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if _expected_unchanged(changed, middle) > unchanged:
            low = middle
        else:
            high = middle
        if high - low <= _TOLERANCE * high:
            break
    return high


#: Prior of a page that was not visited twice: one change in about two months.
USUAL: Final = (PastVisit(30.0, changed=True), PastVisit(60.0, changed=False))


def believed_rate(checks: Sequence[PastVisit]) -> float:
    """Changes per day as far as visits show, with the prior `USUAL`.

    Without it a page that did not change at once, or that was fetched only once, would never be
    visited again (*Resolved*).
    """
    return change_rate([*USUAL, *checks])


def best_to_revisit(
    pages: Mapping[int, tuple[float, Sequence[PastVisit], float]], n_pages: int
) -> list[int]:
    """Choose the known pages to fetch again, best first.

    Parameters
    ----------
    pages : mapping of int to tuple
        By key: importance (>= 0), the looks so far, and days since the last (>= 0).
    n_pages : int
        How many to choose at most.

    References
    ----------
    `refresh_value`, crawl methods C8.
    """
    values = {
        key: refresh_value(importance, believed_rate(checks), days)
        for key, (importance, checks, days) in pages.items()
    }
    worth = [key for key in values if values[key] > 0]
    return nlargest(n_pages, worth, key=lambda key: (values[key], -key))


def _expected_unchanged(intervals: Sequence[float], rate: float) -> float:
    # Beyond 700 the exponential would overflow, and the term is 0 to the last bit.
    return math.fsum(t / math.expm1(rate * t) for t in intervals if 0 < rate * t < 700)


def refresh_value(importance: float, changes_per_day: float, days: float) -> float:
    """Say how much it is worth to fetch a known page now; take the largest first.

    Parameters
    ----------
    importance : float
        >= 0; a page's score, say.
    changes_per_day : float
        >= 0.
    days : float
        Since it was fetched, >= 0.

    Returns
    -------
    float
        0 for a page that never changes, growing with `days` up to importance / rate. A page that
        changes all the time gains nothing from a fetch (crawl methods C8).
    """
    x = changes_per_day * days
    if x < 1e-6:
        # The formula cancels to nothing here; this is its first term.
        return importance * changes_per_day * days**2 / 2
    return importance / changes_per_day * (1 - (1 + x) * math.exp(-x))
