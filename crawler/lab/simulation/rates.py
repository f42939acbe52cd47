"""Sources that bring items at unknown rates, steady or drifting."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: The rate of half the sources is below this many items a day ...
MEDIAN_PER_DAY: Final = 0.2
#: ... and its logarithm spreads so far: the mean source brings 1 item a day, one in a hundred
#: more than 13, and half the sources fewer than 6 a month.
SPREAD: Final = 1.8
#: A drifting rate has forgotten half of what it was after so many days.
DRIFT_HALF_LIFE_DAYS: Final = 30.0
#: A jumping rate is drawn anew after so many days on average.
JUMP_DAYS: Final = 21.0


class Drift(StrEnum):
    """How rates change."""

    STEADY = "steady"
    DRIFTING = "drifting"
    JUMPING = "jumping"


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What the sources publish.

    Attributes
    ----------
    rates : ndarray of float64, shape (n_days, n_sources)
        True items per day, constant within a day.
    days : tuple of ndarray of float64
        Per source the days since the start at which its items appear, ascending.
    """

    rates: NDArray[np.float64]
    days: tuple[NDArray[np.float64], ...]

    def rate_at(self, source: int, day: float) -> float:
        """Return a source's true rate at a moment."""
        last = len(self.rates) - 1
        return float(self.rates[min(max(int(day), 0), last), source])


def draw_rates(
    rng: np.random.Generator,
    n_sources: int,
    n_days: int,
    drift: Drift,
    *,
    median_per_day: float = MEDIAN_PER_DAY,
    spread: float = SPREAD,
) -> NDArray[np.float64]:
    """Draw log-normal rates that keep their distribution however they drift.

    Parameters
    ----------
    drift : Drift
        DRIFTING: the logarithm is an Ornstein-Uhlenbeck process; JUMPING: drawn anew at
        random days.
    median_per_day : float
        > 0.
    spread : float
        Standard deviation of the rate's natural logarithm, >= 0.

    Returns
    -------
    ndarray of float64, shape (n_days, n_sources)
        Items per day.
    """
    level = rng.normal(size=n_sources)
    kept = 2.0 ** (-1.0 / DRIFT_HALF_LIFE_DAYS)
    levels = np.empty((n_days, n_sources))
    for day in range(n_days):
        levels[day] = level
        fresh = rng.normal(size=n_sources)
        if drift is Drift.DRIFTING:
            level = kept * level + math.sqrt(1 - kept**2) * fresh
        elif drift is Drift.JUMPING:
            level = np.where(rng.random(n_sources) < 1 / JUMP_DAYS, fresh, level)
    return np.asarray(median_per_day * np.exp(spread * levels), dtype=np.float64)


def draw_arrivals(rng: np.random.Generator, rates: NDArray[np.float64]) -> Arrivals:
    """Draw the moments of a Poisson process per source."""
    n_days, n_sources = rates.shape
    counts = rng.poisson(rates)
    days = []
    for source in range(n_sources):
        whole = np.repeat(np.arange(n_days, dtype=np.float64), counts[:, source])
        days.append(np.sort(whole + rng.random(len(whole))))
    return Arrivals(rates, tuple(days))
