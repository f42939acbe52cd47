"""Which revisit policy finds new items soonest: sources alone, no pages behind them."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from crawler.lab.simulation.measures import Discovery, discovery
from crawler.lab.simulation.policies import (
    ChoGarciaMolina,
    Key,
    Oracle,
    Policy,
    ProductPolicy,
    Thompson,
    TrueRate,
    TwentyPercent,
    Uniform,
)
from crawler.lab.simulation.rates import (
    SPREAD,
    Arrivals,
    Drift,
    draw_arrivals,
    draw_rates,
)
from crawler.lab.simulation.times import days_since_start, moment_of_day

#: Policies by name; each is made for one experiment.
POLICIES: Final[Mapping[str, Callable[[TrueRate, int], Policy]]] = {
    "uniform": lambda true_rate, seed: Uniform(),
    "plus_minus_20": lambda true_rate, seed: TwentyPercent(),
    "cho_garcia_molina": lambda true_rate, seed: ChoGarciaMolina(),
    "thompson": lambda true_rate, seed: Thompson(random.Random(seed)),
    "ours": lambda true_rate, seed: ProductPolicy(),
    "oracle": lambda true_rate, seed: Oracle(true_rate),
}


@dataclass(frozen=True, slots=True)
class RevisitPlan:
    """An experiment.

    Attributes
    ----------
    visits_per_day : float
        Budget per source and day.
    n_weeks : int
        At least 3.
    warm_days, tail_days : float
        Items of the first days, while all policies learn, and of the last, which no policy had the
        time to find, are not counted.
    tick_h : float
        Hours between two rounds of visits.
    spread : float
        Of the rates, see `draw_rates`.
    """

    n_sources: int = 500
    visits_per_day: float = 0.5
    n_weeks: int = 8
    warm_days: float = 14.0
    tail_days: float = 5.0
    tick_h: float = 1.0
    drift: Drift = Drift.STEADY
    spread: float = SPREAD

    @property
    def n_days(self) -> int:
        """Length of the experiment."""
        return 7 * self.n_weeks


def simulate_visits(plan: RevisitPlan, policy_name: str, seed: int) -> Discovery:
    """Let a policy choose visits over weeks, and measure how soon items are found.

    Every policy sees the same items for the same seed. All sources have been visited once, at
    moments spread over the two days before the start.
    """
    rng = np.random.default_rng(seed)
    rates = draw_rates(rng, plan.n_sources, plan.n_days, plan.drift, spread=plan.spread)
    arrivals = draw_arrivals(rng, rates)
    first_looks = -rng.random(plan.n_sources) / plan.visits_per_day
    policy = POLICIES[policy_name](
        lambda source, now: arrivals.rate_at(int(source), days_since_start(now)), seed
    )
    for source, day in enumerate(first_looks):
        policy.enter(source, moment_of_day(day))
        policy.visited(source, moment_of_day(day), 0, 0)
    return _measured(plan, arrivals, policy)


def _measured(plan: RevisitPlan, arrivals: Arrivals, policy: Policy) -> Discovery:
    found = [np.full(len(days), np.inf) for days in arrivals.days]
    n_counted_visits, credit = 0, 0.0
    counted_until = plan.n_days - plan.tail_days
    for tick in range(1, int(plan.n_days * 24 / plan.tick_h) + 1):
        day = tick * plan.tick_h / 24
        credit += plan.visits_per_day * plan.n_sources * plan.tick_h / 24
        n_visits, credit = int(credit), credit % 1
        for source in policy.order(moment_of_day(day))[:n_visits]:
            _visit(source, day, arrivals, found, policy)
        n_counted_visits += n_visits * (plan.warm_days <= day < counted_until)
    published, seen = np.concatenate(arrivals.days), np.concatenate(found)
    counts = (published >= plan.warm_days) & (published < counted_until)
    return discovery(published[counts], seen[counts], plan.n_days, n_counted_visits)


def _visit(
    source: Key, day: float, arrivals: Arrivals, found: list[np.ndarray], policy: Policy
) -> None:
    number = int(source)
    n_there = int(np.searchsorted(arrivals.days[number], day, "right"))
    n_known = int(np.isfinite(found[number]).sum())
    found[number][n_known:n_there] = day
    # Lists are long enough here that nothing drops off their end.
    policy.visited(source, moment_of_day(day), n_there - n_known, 1_000_000)
