import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.revisit.rate import ANY_SOURCE, FEED, HALF_LIFE_DAYS, Rate


@pytest.mark.parametrize(
    ("days", "n_new", "alpha", "beta"),
    [
        # By hand: g = 1, 1/2 and 1/4 of what was more than the prior (0.3, 2) stays.
        (0.0, 0, 2.3, 6.0),
        (0.0, 3, 5.3, 6.0),
        (14.0, 0, 1.3, 18.0),
        (14.0, 4, 5.3, 18.0),
        (28.0, 1, 1.8, 31.0),
    ],
)
def test_a_visit_counts_fully_and_older_ones_halve_every_fortnight(
    days: float, n_new: int, alpha: float, beta: float
) -> None:
    rate = Rate(2.3, 6.0, 0.3, 2.0).after(days, n_new)

    assert (rate.alpha, rate.beta) == pytest.approx((alpha, beta))
    assert rate.per_day == pytest.approx(alpha / beta)


def test_a_feed_is_expected_to_bring_more_than_another_page() -> None:
    assert FEED.per_day == pytest.approx(0.5)
    assert ANY_SOURCE.per_day == pytest.approx(0.15)


@given(st.lists(st.tuples(st.floats(0, 60), st.integers(0, 50)), max_size=20))
def test_the_running_rate_is_the_weighted_sum_over_all_visits(
    visits: list[tuple[float, int]],
) -> None:
    rate = ANY_SOURCE
    for days, n_new in visits:
        rate = rate.after(days, n_new)

    alpha, beta, age = 0.3, 2.0, 0.0
    for days, n_new in reversed(visits):
        weight = 0.5 ** (age / HALF_LIFE_DAYS)
        alpha, beta, age = alpha + weight * n_new, beta + weight * days, age + days
    assert math.isclose(rate.alpha, alpha, rel_tol=1e-9)
    assert math.isclose(rate.beta, beta, rel_tol=1e-9)


def test_a_steady_source_is_believed_after_a_while() -> None:
    rate = ANY_SOURCE
    for _ in range(100):
        rate = rate.after(0.5, 2)

    assert rate.per_day == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize(("days", "n_new"), [(-1.0, 0), (1.0, -1)])
def test_negative_numbers_are_refused(days: float, n_new: int) -> None:
    with pytest.raises(ValueError, match="negative"):
        ANY_SOURCE.after(days, n_new)
