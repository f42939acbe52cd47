import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.revisit.refresh import (
    MAX_PER_DAY,
    PastVisit,
    change_rate,
    refresh_value,
)


def slow_change_rate(checks: list[PastVisit]) -> float:
    """The rate of the largest likelihood, by trying a fine grid of rates."""

    def likelihood(rate: float) -> float:
        return math.fsum(
            math.log(-math.expm1(-rate * check.days)) if check.changed else -rate * check.days
            for check in checks
        )

    return max((1.01**step for step in range(-700, 400)), key=likelihood)


_CHECKS = st.lists(
    st.builds(PastVisit, st.floats(0.1, 30), st.booleans()), min_size=2, max_size=12
).filter(lambda checks: len({check.changed for check in checks}) == 2)


@given(_CHECKS)
def test_irregular_checks_give_the_most_likely_rate(checks: list[PastVisit]) -> None:
    assert change_rate(checks) == pytest.approx(slow_change_rate(checks), rel=0.02)


def test_irregular_checks_of_one_interval_agree_with_the_closed_form() -> None:
    checks = [PastVisit(2.0, True)] * 3 + [PastVisit(2.0, False)] * 5

    assert change_rate(checks) == pytest.approx(-math.log(5 / 8) / 2)


def test_the_rate_comes_near_the_truth() -> None:
    rng = random.Random(3)
    checks = []
    for _ in range(2000):
        days = rng.uniform(0.2, 8.0)
        checks.append(PastVisit(days, rng.random() < 1 - math.exp(-0.4 * days)))

    assert change_rate(checks) == pytest.approx(0.4, rel=0.1)


@pytest.mark.parametrize(
    ("checks", "low", "high"),
    [
        ([], 0.0, 0.0),
        ([PastVisit(3.0, False)], 0.0, 0.0),
        ([PastVisit(0.0, True)], 0.0, 0.0),
        ([PastVisit(1.0, True)], 0.9, 1.2),
        ([PastVisit(1.0, True)] * 50, 4.0, 5.0),
        ([PastVisit(1e-9, True)] * 9, MAX_PER_DAY, MAX_PER_DAY),
        ([PastVisit(1e6, True), PastVisit(1e-6, False)], 0.0, 1.0),
    ],
)
def test_one_sided_and_extreme_checks_stay_finite(
    checks: list[PastVisit], low: float, high: float
) -> None:
    assert low <= change_rate(checks) <= high


@pytest.mark.parametrize(
    ("importance", "rate", "days", "value"),
    [
        (1.0, 0.0, 100.0, 0.0),
        (1.0, 1.0, 0.0, 0.0),
        (2.0, 0.5, 2.0, 4 * (1 - 2 / math.e)),
        (3.0, 1.0, 1e4, 3.0),
        (1.0, 1e-9, 10.0, 5e-8),
    ],
)
def test_refresh_value_is_as_worked_out_by_hand(
    importance: float, rate: float, days: float, value: float
) -> None:
    assert refresh_value(importance, rate, days) == pytest.approx(value)


def test_refresh_value_is_smooth_where_the_formula_changes() -> None:
    below, above = refresh_value(1.0, 1e-6, 0.999), refresh_value(1.0, 1e-6, 1.001)

    assert above / below == pytest.approx((1.001 / 0.999) ** 2, rel=1e-3)
