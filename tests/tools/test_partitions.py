"""The simulation of a frontier on many machines: even loads, few moves, and polite."""

import numpy as np
import pytest

from bench import partitions

N_MACHINES = 8


@pytest.fixture(scope="module")
def sizes() -> partitions.Sizes:
    return partitions.site_sizes(5000, np.random.default_rng(1))


def test_bounded_loads_are_even_and_few_sites_move(sizes: partitions.Sizes) -> None:
    found = partitions.compare(sizes, N_MACHINES)

    bounded, plain = found["bounded preference"], found["preference"]
    assert max(bounded.rows, bounded.requests) <= 1.2
    assert plain.rows > 1.2
    assert bounded.moved < 2.5 / (N_MACHINES + 1)
    assert found["remainder"].moved > 0.8


@pytest.mark.parametrize(("lease_s", "is_polite"), [(partitions.LEASE_S, True), (0.0, False)])
def test_a_site_of_a_dead_machine_rests_until_nothing_is_under_way(
    sizes: partitions.Sizes, lease_s: float, is_polite: bool
) -> None:
    rng = np.random.default_rng(2)

    done = partitions.crawl(sizes, N_MACHINES, 40.0, rng, lease_s=lease_s)

    assert done.n_moved > 0
    assert (done.n_early == 0) is is_polite


def test_the_machine_of_a_site_never_changes_by_itself(sizes: partitions.Sizes) -> None:
    places = partitions.by_bounded_preference(sizes, N_MACHINES)

    assert (places == partitions.by_bounded_preference(sizes, N_MACHINES)).all()
    assert set(places.tolist()) == set(range(N_MACHINES))
