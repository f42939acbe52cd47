"""Which unlabelled pages a judge learns from."""

import pytest

from crawler.knowledge.background import N_BACKGROUND, n_others, shuffle_key


@pytest.mark.parametrize(
    ("n_fetched", "wanted"), [(0, 300), (1, 300), (100, 250), (300, 150), (5000, 150)]
)
def test_half_of_what_was_fetched_takes_the_place_of_other_pages(
    n_fetched: int, wanted: int
) -> None:
    assert n_others(n_fetched) == wanted
    assert N_BACKGROUND == 300


def test_neighbours_are_scattered_over_the_whole_shuffle() -> None:
    """Pages that were fetched together are alike; a sample must not be one bunch."""
    first = sorted(range(1, 10_001), key=shuffle_key)[:100]

    tenths = [sum(number * 10 // 10_001 == tenth for number in first) for tenth in range(10)]
    assert min(tenths) >= 8
    assert len({shuffle_key(number) for number in range(10_000)}) == 10_000
