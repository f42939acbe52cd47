import random
from datetime import UTC, datetime, timedelta

import pytest

from crawler.lab.simulation.policies import (
    ChoGarciaMolina,
    Policy,
    ProductPolicy,
    Thompson,
    TwentyPercent,
    Uniform,
    regular_change_rate,
)
from crawler.lab.simulation.revisiting import POLICIES, RevisitPlan, simulate_visits
from crawler.revisit.sources import visit_order

START = datetime(2026, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)
BUSY, QUIET, NEW = 1, 2, 3


def watched(policy: Policy) -> Policy:
    """A busy source (3 items a day) and a quiet one, both visited daily for 20 days."""
    for source in (BUSY, QUIET):
        policy.enter(source, START)
        policy.visited(source, START, 0, 10)
    for day in range(1, 21):
        policy.visited(BUSY, START + day * DAY, 3, 10)
        policy.visited(QUIET, START + day * DAY, 0, 10)
    return policy


@pytest.mark.parametrize("policy", [TwentyPercent(), ChoGarciaMolina(), ProductPolicy()])
def test_a_policy_that_learns_looks_at_the_busy_source_first(policy: Policy) -> None:
    assert watched(policy).order(START + 21 * DAY) == [BUSY, QUIET]


def test_thompson_looks_at_the_busy_source_nearly_always() -> None:
    policy = watched(Thompson(random.Random(1)))

    firsts = [policy.order(START + 21 * DAY)[0] for _ in range(50)]

    assert firsts.count(BUSY) >= 45


def test_uniform_looks_at_what_was_not_seen_for_longest() -> None:
    policy = watched(Uniform())
    policy.visited(QUIET, START + 20.5 * DAY, 0, 10)

    assert policy.order(START + 21 * DAY) == [BUSY, QUIET]
    policy.visited(BUSY, START + 20.6 * DAY, 9, 10)
    assert policy.order(START + 21 * DAY) == [QUIET, BUSY]


def test_ours_is_what_the_product_does() -> None:
    policy = watched(ProductPolicy())
    now = START + 30 * DAY

    assert policy.order(now) == visit_order(policy.states(), now) == [BUSY, QUIET]


@pytest.mark.parametrize("policy", [Uniform(), TwentyPercent(), ProductPolicy()])
def test_a_source_never_seen_comes_first_and_one_that_fails_rests(policy: Policy) -> None:
    watched(policy)
    policy.enter(NEW, START + 21 * DAY)
    policy.failed(BUSY, START + 21 * DAY)

    assert policy.order(START + 21 * DAY) == [NEW, QUIET]


@pytest.mark.parametrize(
    ("n_unchanged", "n_checks", "days", "rate"),
    [
        (10, 10, 1.0, 0.0),
        (5, 10, 1.0, 0.646627),  # -ln(5.5/10.5)
        (5, 10, 2.0, 0.323314),
        (0, 10, 1.0, 3.044522),  # -ln(0.5/10.5): finite
        (0, 1, 7.0, 0.156945),
    ],
)
def test_regular_checks_give_the_estimate_worked_out_by_hand(
    n_unchanged: int, n_checks: int, days: float, rate: float
) -> None:
    assert regular_change_rate(n_unchanged, n_checks, days) == pytest.approx(rate, abs=1e-6)


@pytest.mark.parametrize("arguments", [(2, 1, 1.0), (-1, 1, 1.0), (0, 0, 1.0), (0, 1, 0.0)])
def test_impossible_counts_are_refused(arguments: tuple[int, int, float]) -> None:
    with pytest.raises(ValueError, match="impossible"):
        regular_change_rate(*arguments)


SMALL = RevisitPlan(n_sources=60, n_weeks=4, tick_h=3.0)


def test_each_policy_spends_the_same_and_the_oracle_is_best() -> None:
    found = {name: simulate_visits(SMALL, name, seed=5) for name in POLICIES}

    assert {figures.items for figures in found.values()} == {found["ours"].items}
    # Half a visit per source and day, for the 9 days that count.
    visits = [
        figures.refreshes_per_100 * figures.items * figures.recall / 100
        for figures in found.values()
    ]
    assert visits == pytest.approx([60 * 0.5 * 9] * len(visits), abs=2)
    assert found["uniform"].delay_mean_h == pytest.approx(24.0, abs=2.5)
    assert (
        found["oracle"].delay_mean_h
        <= min(figures.delay_mean_h for figures in found.values()) * 1.05
    )
    assert found["ours"].delay_mean_h < 0.75 * found["uniform"].delay_mean_h
