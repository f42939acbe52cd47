import random
from datetime import UTC, datetime, timedelta

import pytest

from crawler.lab.simulation.policies import (
    ChoGarciaMolina,
    Ours,
    Policy,
    Thompson,
    TwentyPercent,
    Uniform,
)
from crawler.lab.simulation.revisiting import POLICIES, RevisitPlan, watch
from crawler.revisit.sources import visit_order

START = datetime(2026, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def watched(policy: Policy) -> Policy:
    """A busy source (3 items a day) and a quiet one, both visited daily for 20 days."""
    for source in ("busy", "quiet"):
        policy.enter(source, START)
        policy.visited(source, START, 0, 10)
    for day in range(1, 21):
        policy.visited("busy", START + day * DAY, 3, 10)
        policy.visited("quiet", START + day * DAY, 0, 10)
    return policy


@pytest.mark.parametrize("policy", [TwentyPercent(), ChoGarciaMolina(), Ours()])
def test_a_policy_that_learns_looks_at_the_busy_source_first(policy: Policy) -> None:
    assert watched(policy).order(START + 21 * DAY) == ["busy", "quiet"]


def test_thompson_looks_at_the_busy_source_nearly_always() -> None:
    policy = watched(Thompson(random.Random(1)))

    firsts = [policy.order(START + 21 * DAY)[0] for _ in range(50)]

    assert firsts.count("busy") >= 45


def test_uniform_looks_at_what_was_not_seen_for_longest() -> None:
    policy = watched(Uniform())
    policy.visited("quiet", START + 20.5 * DAY, 0, 10)

    assert policy.order(START + 21 * DAY) == ["busy", "quiet"]
    policy.visited("busy", START + 20.6 * DAY, 9, 10)
    assert policy.order(START + 21 * DAY) == ["quiet", "busy"]


def test_ours_is_what_the_product_does() -> None:
    policy = watched(Ours())
    now = START + 30 * DAY

    assert policy.order(now) == visit_order(policy.states(), now) == ["busy", "quiet"]
    assert policy.order(now, {"quiet"}) == visit_order(policy.states(), now, of_new_sites={"quiet"})


@pytest.mark.parametrize("policy", [Uniform(), TwentyPercent(), Ours()])
def test_a_source_never_seen_comes_first_and_one_that_fails_rests(policy: Policy) -> None:
    watched(policy)
    policy.enter("new", START + 21 * DAY)
    policy.failed("busy", START + 21 * DAY)

    assert policy.order(START + 21 * DAY) == ["new", "quiet"]


SMALL = RevisitPlan(n_sources=60, n_weeks=4, tick_h=3.0)


def test_each_policy_spends_the_same_and_the_oracle_is_best() -> None:
    found = {name: watch(SMALL, name, seed=5) for name in POLICIES}

    assert {told.items for told in found.values()} == {found["ours"].items}
    # Half a visit per source and day, for the 9 days that count.
    visits = [told.refreshes_per_100 * told.items * told.recall / 100 for told in found.values()]
    assert visits == pytest.approx([60 * 0.5 * 9] * len(visits), abs=2)
    assert found["uniform"].delay_mean_h == pytest.approx(24.0, abs=2.5)
    assert found["oracle"].delay_mean_h <= min(told.delay_mean_h for told in found.values()) * 1.05
    assert found["ours"].delay_mean_h < 0.75 * found["uniform"].delay_mean_h
