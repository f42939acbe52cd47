"""HITS against hand-made numbers, eigenvectors, and what always holds."""

import numpy as np
import pytest

from crawler.errors import ConvergenceError
from crawler.ranking.hits import hubs_and_authorities
from tests.crawler.ranking.test_pagerank import ends


@pytest.mark.parametrize(
    ("n_pages", "links", "hubs", "authorities"),
    [
        (0, [], [], []),
        (2, [], [0, 0], [0, 0]),
        (2, [(0, 1)], [1, 0], [0, 1]),
        (1, [(0, 0)], [1], [1]),
        (3, [(0, 1), (0, 2)], [1, 0, 0], [0, 0.5**0.5, 0.5**0.5]),
    ],
)
def test_small_graphs_have_the_scores_worked_out_by_hand(
    n_pages: int, links: list[tuple[int, int]], hubs: list[float], authorities: list[float]
) -> None:
    found = hubs_and_authorities(n_pages, *ends(*links))

    assert found[0] == pytest.approx(hubs)
    assert found[1] == pytest.approx(authorities)


def test_scores_are_the_first_eigenvectors() -> None:
    rng = np.random.default_rng(3)
    matrix = (rng.random((25, 25)) < 0.2).astype(float)
    sources, targets = np.nonzero(matrix)

    hubs, authorities = hubs_and_authorities(25, sources, targets)

    first = np.abs(np.linalg.eigh(matrix.T @ matrix)[1][:, -1])
    assert authorities == pytest.approx(first, abs=1e-5)
    assert np.linalg.norm(hubs) == pytest.approx(1)


def test_a_heavy_link_makes_a_better_authority() -> None:
    _, authorities = hubs_and_authorities(3, *ends((0, 1), (0, 2)), weights=np.array([1.0, 3.0]))

    assert authorities[2] == pytest.approx(3 * authorities[1])


def test_negative_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="nonnegative"):
        hubs_and_authorities(2, *ends((0, 1)), weights=np.array([-1.0]))


def test_too_few_rounds_are_an_error() -> None:
    with pytest.raises(ConvergenceError, match="within 1 rounds"):
        hubs_and_authorities(3, *ends((0, 1), (1, 2), (0, 2)), max_iter=1)
