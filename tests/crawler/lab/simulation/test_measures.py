import math

import numpy as np
import pytest

from crawler.lab.simulation.measures import as_numbers, discovery, over_seeds


def test_what_was_never_found_counts_with_the_time_it_waited() -> None:
    published = np.array([0.0, 1.0, 2.0, 3.0])
    found = np.array([0.5, 3.0, math.inf, 3.25])

    figures = discovery(published, found, end=4.0, n_refreshes=6)

    # 12, 48, 48 (and still waiting) and 6 hours.
    assert figures.delay_mean_h == pytest.approx(28.5)
    assert figures.delay_median_h == pytest.approx(30.0)
    assert figures.delay_p90_h == pytest.approx(48.0)
    assert (figures.share_24h, figures.recall, figures.undiscovered, figures.items) == (
        0.5,
        0.75,
        1,
        4,
    )
    assert figures.refreshes_per_100 == pytest.approx(200.0)


def test_an_item_published_lately_and_not_found_is_not_found_within_a_day() -> None:
    figures = discovery(np.array([3.9]), np.array([math.inf]), end=4.0, n_refreshes=0)

    assert (figures.share_24h, figures.recall) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("published", "found", "message"),
    [([], [], "no item was published"), ([2.0], [1.0], "found before it was published")],
)
def test_impossible_items_are_refused(
    published: list[float], found: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        discovery(np.array(published), np.array(found), end=4.0, n_refreshes=0)


def test_an_interval_over_seeds_is_students() -> None:
    spread = over_seeds([1.0, 2.0, 3.0])

    # By hand: standard deviation 1, t of 2 degrees of freedom 4.30, over the root of 3.
    assert (spread.mean, spread.half_width) == pytest.approx((2.0, 4.30 / math.sqrt(3)))
    assert over_seeds([7.0]).half_width == 0.0
    assert as_numbers({"x": spread}) == {"x": 2.0, "x_ci95": 2.4826}
