import numpy as np
import pytest

from crawler.lab.simulation.rates import (
    MEDIAN_PER_DAY,
    SPREAD,
    Drift,
    draw_arrivals,
    draw_rates,
)


@pytest.mark.parametrize("drift", Drift)
def test_rates_keep_their_distribution_however_they_drift(drift: Drift) -> None:
    rates = draw_rates(np.random.default_rng(1), 4000, 60, drift)

    for day in (0, 59):
        logs = np.log(rates[day])
        assert np.exp(np.median(logs)) == pytest.approx(MEDIAN_PER_DAY, rel=0.15)
        assert logs.std() == pytest.approx(SPREAD, rel=0.05)


@pytest.mark.parametrize(
    ("drift", "likeness"), [(Drift.STEADY, 1.0), (Drift.DRIFTING, 0.5), (Drift.JUMPING, 0.23)]
)
def test_a_rate_remembers_what_its_drift_lets_it(drift: Drift, likeness: float) -> None:
    """After 30 days: all, a half, and e^(-30/21) of it."""
    rates = np.log(draw_rates(np.random.default_rng(2), 4000, 31, drift))

    assert np.corrcoef(rates[0], rates[30])[0, 1] == pytest.approx(likeness, abs=0.05)


def test_items_come_as_often_as_the_rate_says() -> None:
    rates = np.tile([0.5, 20.0], (200, 1))

    arrivals = draw_arrivals(np.random.default_rng(3), rates)

    assert [len(days) / 200 for days in arrivals.days] == pytest.approx([0.5, 20.0], rel=0.2)
    assert all((np.diff(days) >= 0).all() for days in arrivals.days)
    assert arrivals.rate_at(1, 3.7) == 20.0


def test_the_same_seed_gives_the_same_web() -> None:
    one, other = (draw_rates(np.random.default_rng(4), 5, 9, Drift.DRIFTING) for _ in range(2))

    assert (one == other).all()
