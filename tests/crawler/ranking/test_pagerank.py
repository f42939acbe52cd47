"""PageRank against hand-made numbers, a slow second version, and what always holds."""

import numpy as np
import pytest
from numpy.typing import NDArray

from crawler.errors import ConvergenceError
from crawler.ranking.pagerank import pagerank


def ends(*pairs: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Links as arrays of sources and targets."""
    links = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return links[:, 0], links[:, 1]


@pytest.mark.parametrize(
    ("n_pages", "links", "expected"),
    [
        (0, [], []),
        (2, [], [0.15, 0.15]),
        (2, [(0, 1), (1, 0)], [1.0, 1.0]),
        (1, [(0, 0)], [1.0]),
        (3, [(0, 1), (0, 2)], [0.15, 0.15 + 0.85 * 0.15 / 2, 0.15 + 0.85 * 0.15 / 2]),
        (3, [(0, 2), (1, 2)], [0.15, 0.15, 0.15 + 2 * 0.85 * 0.15]),
    ],
)
def test_small_graphs_have_the_ranks_worked_out_by_hand(
    n_pages: int, links: list[tuple[int, int]], expected: list[float]
) -> None:
    assert pagerank(n_pages, *ends(*links)) == pytest.approx(expected, abs=1e-5)


def test_ranks_solve_the_papers_equation() -> None:
    rng = np.random.default_rng(5)
    sources, targets = rng.integers(40, size=(2, 200))
    matrix = np.zeros((40, 40))
    for source, target in zip(sources, targets, strict=True):
        matrix[target, source] += 1 / np.count_nonzero(sources == source)

    ranks = pagerank(40, sources, targets, tol=1e-10)

    assert ranks == pytest.approx(np.linalg.solve(np.eye(40) - 0.85 * matrix, np.full(40, 0.15)))


@pytest.mark.parametrize(
    ("n_pages", "links", "damping"), [(1, [(0, 1)], 0.85), (2, [(-1, 0)], 0.85), (2, [(0, 1)], 1.0)]
)
def test_impossible_input_is_refused(
    n_pages: int, links: list[tuple[int, int]], damping: float
) -> None:
    with pytest.raises(ValueError, match="must be in"):
        pagerank(n_pages, *ends(*links), damping=damping)


def test_too_few_rounds_are_an_error() -> None:
    with pytest.raises(ConvergenceError, match="within 2 rounds"):
        pagerank(3, *ends((0, 1), (1, 2), (2, 0), (0, 2)), max_iter=2)
