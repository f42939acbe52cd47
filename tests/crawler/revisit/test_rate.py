import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.revisit.listed import Growth
from crawler.revisit.rate import ANY_SOURCE, FEED, HALF_LIVES_DAYS, Belief, Rate

VISITS = st.lists(st.tuples(st.floats(0, 60), st.integers(0, 50)), max_size=20)


def believed(half_life_days: float) -> Rate:
    """2 items in 4 days, beyond a prior of 0.3 in 2 days, under one half-life."""
    return Rate(0.3, 2.0, (Belief(half_life_days, 2.3, 6.0),))


def after(rate: Rate, visits: list[tuple[float, int]]) -> Rate:
    for days, n_new in visits:
        rate = rate.after(days, n_new)
    return rate


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
def test_a_visit_counts_fully_and_older_ones_halve_with_each_half_life(
    days: float, n_new: int, alpha: float, beta: float
) -> None:
    rate = believed(14.0).after(days, n_new)

    (belief,) = rate.beliefs
    assert (belief.alpha, belief.beta) == pytest.approx((alpha, beta))
    assert rate.per_day == pytest.approx(alpha / beta)


def test_a_feed_is_expected_to_bring_more_than_another_page() -> None:
    assert FEED.per_day == pytest.approx(0.3)
    assert ANY_SOURCE.per_day == pytest.approx(0.15)


@given(VISITS)
def test_every_belief_is_the_weighted_sum_over_all_visits(visits: list[tuple[float, int]]) -> None:
    beliefs = after(ANY_SOURCE, visits).beliefs

    assert [belief.half_life_days for belief in beliefs] == list(HALF_LIVES_DAYS)
    for belief in beliefs:
        alpha, beta, age = 0.3, 2.0, 0.0
        for days, n_new in reversed(visits):
            weight = 0.5 ** (age / belief.half_life_days)
            alpha, beta, age = alpha + weight * n_new, beta + weight * days, age + days
        assert math.isclose(belief.alpha, alpha, rel_tol=1e-9)
        assert math.isclose(belief.beta, beta, rel_tol=1e-9)


@given(VISITS)
def test_the_rate_lies_among_its_beliefs(visits: list[tuple[float, int]]) -> None:
    rate = after(FEED, visits)

    rates = [belief.per_day for belief in rate.beliefs]
    assert min(rates) * (1 - 1e-9) <= rate.per_day <= max(rates) * (1 + 1e-9)


@given(st.integers(0, 20), st.floats(0.01, 30))
def test_evidence_is_the_chance_of_a_visit(n_new: int, days: float) -> None:
    """Beside a slow second way: the chances of a negative binomial distribution."""
    before = Rate(0.3, 1.0, (Belief(14.0, 2.3, 6.0), Belief(90.0, 0.5, 9.0)))
    chances = []
    for belief in before.beliefs:
        kept = 2 ** (-days / belief.half_life_days)
        alpha, beta = 0.3 + (belief.alpha - 0.3) * kept, 1.0 + (belief.beta - 1.0) * kept
        p = beta / (beta + days)
        ways = math.gamma(alpha + n_new) / math.gamma(alpha) / math.factorial(n_new)
        chances.append(ways * p**alpha * (1 - p) ** n_new)

    one, other = before.after(days, n_new).beliefs

    ratio = math.log(chances[0] / chances[1])
    assert one.evidence - other.evidence == pytest.approx(ratio, abs=1e-9)


def test_a_steady_source_is_believed_after_a_while() -> None:
    assert after(ANY_SOURCE, [(0.5, 2)] * 100).per_day == pytest.approx(4.0, rel=0.07)


def test_a_source_that_begins_to_hurry_is_believed_within_two_days() -> None:
    slow = after(FEED, [(2.0, 0), (2.0, 1)] * 15)

    hurried = after(slow, [(0.5, 5)] * 4)

    assert slow.per_day < 0.4
    # One half-life of 14 days would say 1.2 a day, of the 10 that come now.
    assert hurried.per_day > 3.0


def test_a_visit_in_no_time_tells_no_belief_from_another() -> None:
    before = after(FEED, [(1.0, 2)])

    evidence = [belief.evidence for belief in before.after(0.0, 7).beliefs]

    assert evidence == [belief.evidence for belief in before.beliefs]


@pytest.mark.parametrize(("days", "n_new"), [(-1.0, 0), (1.0, -1)])
def test_negative_numbers_are_refused(days: float, n_new: int) -> None:
    with pytest.raises(ValueError, match="negative"):
        ANY_SOURCE.after(days, n_new)


def test_dates_teach_what_daily_looks_would_have_taught() -> None:
    assert FEED.after_growth(Growth(1.0, (2.0, 0.0, 1.0))) == after(
        FEED, [(1.0, 2), (1.0, 0), (1.0, 1)]
    )
    assert FEED.after_growth(Growth(1.0, (0.0,) * 14)).per_day < FEED.per_day / 2
