"""Policies that choose the next source to visit: ours, and those it is compared with."""

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from crawler.revisit.rate import FEED
from crawler.revisit.sources import FLOOR_PER_DAY, SourceState, visit_order

#: A source by its number.
Key = int
#: The true rate of a source at a moment, for the oracle alone.
TrueRate = Callable[[Key, datetime], float]

#: The interval rule starts here, and goes no further.
FIRST_INTERVAL_DAYS: Final = 2.0
SHORTEST_DAYS: Final = 1 / 24
LONGEST_DAYS: Final = 14.0


class Policy(ABC):
    """One way to order sources; it learns from every look."""

    name: str

    def __init__(self) -> None:
        self._states: dict[Key, SourceState] = {}

    def enter(self, source: Key, now: datetime) -> None:
        """Add a source; one that is known stays as it is."""
        self._states.setdefault(source, SourceState(now, FEED))

    def visited(self, source: Key, now: datetime, n_new: int, n_listed: int) -> None:
        """Learn from a visit that worked."""
        self._states[source] = self._states[source].after_visit(now, n_new, n_listed)

    def failed(self, source: Key, now: datetime) -> None:
        """Learn from a visit that failed."""
        self._states[source] = self._states[source].after_failure(now)

    @abstractmethod
    def order(self, now: datetime) -> list[Key]:
        """Sources to visit, best first."""

    def states(self) -> Mapping[Key, SourceState]:
        """Return the state of each source."""
        return self._states


class PerSourcePolicy(Policy):
    """A policy that weighs each source by itself."""

    def order(self, now: datetime) -> list[Key]:
        """Sources to visit, best first: those never visited, then by `_worth`."""
        ready = {
            source: self._worth(source, state.days_waited(now), now)
            for source, state in self._states.items()
            if state.visited is not None and state.may_be_tried(now) and not state.is_given_up(now)
        }
        unseen = [
            source
            for source, state in self._states.items()
            if state.visited is None and state.may_be_tried(now) and not state.is_given_up(now)
        ]
        return unseen + sorted(ready, key=lambda source: -ready[source])

    @abstractmethod
    def _worth(self, source: Key, days: float, now: datetime) -> float:
        """What a visit is worth after so many days."""


class LearningPolicy(PerSourcePolicy):
    """A policy with a memory of its own for what second and later looks brought."""

    def visited(self, source: Key, now: datetime, n_new: int, n_listed: int) -> None:
        before = self._states[source]
        if before.visited is not None:
            self._learn(source, before.days_waited(now), n_new)
        super().visited(source, now, n_new, n_listed)

    @abstractmethod
    def _learn(self, source: Key, days: float, n_new: int) -> None:
        """Learn from the result of a visit after so many days."""


class Uniform(PerSourcePolicy):
    """Every source in turn."""

    name = "uniform"

    def _worth(self, source: Key, days: float, now: datetime) -> float:
        return days


class TwentyPercent(LearningPolicy):
    """An interval per source: a fifth shorter after news, a fifth longer after none.

    What is due longest comes first; when nothing is due, what will be soonest.
    """

    name = "plus_minus_20"

    def __init__(self) -> None:
        super().__init__()
        self._intervals: dict[Key, float] = {}

    def _learn(self, source: Key, days: float, n_new: int) -> None:
        changed = self._intervals.get(source, FIRST_INTERVAL_DAYS) * (0.8 if n_new else 1.2)
        self._intervals[source] = min(max(changed, SHORTEST_DAYS), LONGEST_DAYS)

    def _worth(self, source: Key, days: float, now: datetime) -> float:
        return days - self._intervals.get(source, FIRST_INTERVAL_DAYS)


def regular_change_rate(n_unchanged: int, n_checks: int, interval_days: float) -> float:
    """Estimate changes per day from checks at one interval.

    Parameters
    ----------
    n_unchanged : int
        Checks that saw no change, in [0, n_checks].
    n_checks : int
        At least 1.
    interval_days : float
        > 0.

    Raises
    ------
    ValueError
        If a count or the interval is out of range.

    References
    ----------
    J. Cho, H. Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003: the
    estimator with 0.5 added to both counts, which is finite and nearly unbiased.
    """
    if not 0 <= n_unchanged <= n_checks or n_checks < 1 or interval_days <= 0:
        raise ValueError(
            f"{n_unchanged} of {n_checks} checks every {interval_days} days is impossible"
        )
    return -math.log((n_unchanged + 0.5) / (n_checks + 0.5)) / interval_days


class ChoGarciaMolina(LearningPolicy):
    """Our index on their regular estimator: it sees whether there was news, not how much."""

    name = "cho_garcia_molina"

    def __init__(self) -> None:
        super().__init__()
        self._looks: dict[Key, tuple[int, int, float]] = {}

    def _learn(self, source: Key, days: float, n_new: int) -> None:
        n_unchanged, n_looks, watched = self._looks.get(source, (0, 0, 0.0))
        self._looks[source] = (n_unchanged + (not n_new), n_looks + 1, watched + days)

    def _rate(self, source: Key) -> float:
        n_unchanged, n_looks, watched = self._looks.get(source, (0, 0, 0.0))
        if not n_looks or watched <= 0:
            return FEED.per_day
        rate = regular_change_rate(n_unchanged, n_looks, watched / n_looks)
        return max(rate, FLOOR_PER_DAY)

    def _worth(self, source: Key, days: float, now: datetime) -> float:
        return self._rate(source) * days**2


class Thompson(PerSourcePolicy):
    """Our index on a rate drawn from what is believed, so that doubt leads to looks."""

    name = "thompson"

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng

    def _worth(self, source: Key, days: float, now: datetime) -> float:
        # The belief that foretold best stands for all of them.
        belief = max(self._states[source].rate.beliefs, key=lambda belief: belief.evidence)
        return self._rng.gammavariate(belief.alpha, 1 / belief.beta) * days**2


class ProductPolicy(Policy):
    """What the product does: `crawler.revisit`, as it is."""

    name = "ours"

    def order(self, now: datetime) -> list[Key]:
        return visit_order(self._states, now)


class Oracle(PerSourcePolicy):
    """The same index on the true rates, which a crawl cannot know."""

    name = "oracle"

    def __init__(self, true_rate: TrueRate) -> None:
        super().__init__()
        self._true_rate = true_rate

    def _worth(self, source: Key, days: float, now: datetime) -> float:
        return self._true_rate(source, now) * days**2
