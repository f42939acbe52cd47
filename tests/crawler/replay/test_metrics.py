"""The measures of a crawl, against numbers worked out by hand."""

import pytest

from crawler.replay.metrics import (
    Truth,
    measure,
    normalised_interval,
    normalised_recall,
    paired_interval,
)

#: Two seeds, four pages to find of which one cannot be reached.
TRUTH = Truth(
    relevant=frozenset({"s.test/", "a.test/1", "a.test/2", "b.test/1", "c.test/1"}),
    seeds=frozenset({"s.test/", "t.test/"}),
    size=5,
    reachable=4,
)
ORDER = ["s.test/", "t.test/", "a.test/1", "x.test/", "a.test/2", "y.test/", "b.test/1"]


def test_recall_counts_found_pages_not_given_ones() -> None:
    measured = measure(ORDER, TRUTH, 10)

    assert measured.recall_1x == pytest.approx(2 / 3)
    assert measured.recall_2x == measured.recall_5x == measured.recall == 1.0
    assert measured.harvest_2x == pytest.approx(3 / 10)


def test_a_crawl_that_ends_early_is_held_against_the_whole_budget() -> None:
    measured = measure(ORDER[:3], TRUTH, 10)

    assert measured.recall == pytest.approx(1 / 3)
    assert measured.harvest == pytest.approx(0.1)
    assert measured.requests_per_relevant == 10


def test_area_is_the_share_of_a_crawl_that_only_finds() -> None:
    perfect = ["s.test/", "t.test/", "a.test/1", "a.test/2", "b.test/1"]

    assert measure(perfect, TRUTH, 6).auc == pytest.approx(1.0)
    assert measure(ORDER, TRUTH, 5).auc == pytest.approx((1 + 1 + 2) / (1 + 2 + 3))


def test_hosts_and_the_late_share_are_reported() -> None:
    measured = measure(ORDER, TRUTH, 6)

    assert measured.domain_recall == pytest.approx(1 / 3)
    assert measured.late_harvest == pytest.approx(1 / 3)


def test_nothing_fetched_is_nothing_found() -> None:
    measured = measure([], TRUTH, 5)

    assert (measured.recall_5x, measured.auc, measured.n_fetched) == (0.0, 0.0, 0)


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_without_fetches_is_refused(budget: int) -> None:
    with pytest.raises(ValueError, match="at least 1 fetch"):
        measure(ORDER, TRUTH, budget)


def test_the_score_stands_between_both_ends() -> None:
    floor, ceiling = {"T": 0.2, "U": 0.4}, {"T": 0.8, "U": 0.4}

    assert normalised_recall({"T": 0.5, "U": 0.4}, floor, ceiling) == pytest.approx(0.5)
    assert normalised_recall(floor, floor, ceiling) == 0.0
    assert normalised_recall(floor, floor, floor) == 0.0


def test_intervals_hold_the_mean_and_repeat_with_their_seed() -> None:
    values = {str(n): n / 20 for n in range(20)}
    others = {str(n): n / 40 for n in range(20)}

    low, high = paired_interval(values, others, seed=1)

    assert low < sum(values.values()) / 20 - sum(others.values()) / 20 < high
    assert paired_interval(values, others, seed=1) == (low, high)
    ends = dict.fromkeys(values, 0.0), dict.fromkeys(values, 1.0)
    low, high = normalised_interval(values, *ends, seed=2)
    assert low < normalised_recall(values, *ends) < high
