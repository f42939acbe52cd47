"""How soon and how surely new things are found, with what was never found counted in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Where the curve of what is found in time has its points.
CURVE_HOURS: Final = tuple(float(hour) for hour in range(0, 73, 3))
#: Student's t for a 95 % interval, by degrees of freedom; beyond, 1.96.
_T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}


@dataclass(frozen=True, slots=True)
class Discovery:
    """How items were discovered.

    Attributes
    ----------
    delay_mean_h, delay_median_h, delay_p90_h : float
        Hours from being published to being found. An item that was not found has waited
        until the end, and counts with that: the true figure is larger.
    share_24h : float
        Found within 24 hours, of all published.
    recall : float
        Found at all, of all published.
    undiscovered, items : float
        Items not found until the end, and items in all.
    refreshes_per_100 : float
        Requests for lists of new items, per 100 items found.
    curve : tuple of (float, float)
        Share of the items found after so many hours.
    """

    delay_mean_h: float
    delay_median_h: float
    delay_p90_h: float
    share_24h: float
    recall: float
    undiscovered: float
    items: float
    refreshes_per_100: float
    curve: tuple[tuple[float, float], ...] = ()


def discovery(
    published: NDArray[np.float64], found: NDArray[np.float64], end: float, n_refreshes: float
) -> Discovery:
    """Measure how items were discovered.

    Parameters
    ----------
    published, found : ndarray of float64, shape (n_items,)
        In days; `found` is infinite for what was not found.
    end : float
        When the watching ended, in days; at or after every item's publication.
    n_refreshes : float
        Requests for lists while these items came.

    Raises
    ------
    ValueError
        If there is no item, or one was found before it was published.
    """
    if not len(published):
        raise ValueError("no item was published: nothing to measure")
    if (found < published).any():
        raise ValueError("an item was found before it was published")
    hours = (np.minimum(found, end) - published) * 24
    is_found = np.isfinite(found)
    return Discovery(
        delay_mean_h=float(hours.mean()),
        delay_median_h=float(np.median(hours)),
        delay_p90_h=float(np.quantile(hours, 0.9)),
        share_24h=float((is_found & (hours <= 24)).mean()),
        recall=float(is_found.mean()),
        undiscovered=float((~is_found).sum()),
        items=float(len(published)),
        refreshes_per_100=100 * n_refreshes / max(int(is_found.sum()), 1),
        curve=tuple((h, float((is_found & (hours <= h)).mean())) for h in CURVE_HOURS),
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over several seeds: its mean, and half its 95 % interval."""

    mean: float
    half_width: float


def over_seeds(values: Sequence[float]) -> Spread:
    """Mean and half the 95 % interval by Student's t; 0 wide for one value."""
    if len(values) < 2:
        return Spread(float(values[0]), 0.0)
    error = float(np.std(values, ddof=1)) / len(values) ** 0.5
    return Spread(float(np.mean(values)), _T95.get(len(values) - 1, 1.96) * error)


def discovery_over_seeds(found: Sequence[Discovery]) -> dict[str, Spread]:
    """Return every figure over several seeds."""
    names = [name.name for name in fields(Discovery) if name.name != "curve"]
    return {name: over_seeds([getattr(one, name) for one in found]) for name in names}


def as_numbers(spreads: Mapping[str, Spread]) -> dict[str, float]:
    """Means by name, and half the intervals by name with "_ci95" behind."""
    means = {name: round(spread.mean, 4) for name, spread in spreads.items()}
    widths = {f"{name}_ci95": round(spread.half_width, 4) for name, spread in spreads.items()}
    return means | widths
