"""Hubs and authorities, as the fourth paper starts from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.errors import ConvergenceError
from crawler.ranking.edges import check_edges

Vector = NDArray[np.float64]


def hubs_and_authorities(
    n_pages: int,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    *,
    weights: Vector | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
) -> tuple[Vector, Vector]:
    """Score every page as a hub and as an authority (HITS).

    Parameters
    ----------
    n_pages : int
        Pages of the graph, >= 0.
    sources, targets : ndarray of int64, shape (n_links,)
        The pages at each link's ends, in [0, n_pages).
    weights : ndarray of float64, shape (n_links,), optional
        What each link counts, >= 0; 1 by default.
    tol : float, default 1e-8
        Stop when no hub score moves by more than this in one round.
    max_iter : int, default 1000
        Most rounds to try; one costs O(n_pages + n_links) time. A score of two nearly
        equal communities settles slowly, yet by less than 1 / rounds in each round.

    Returns
    -------
    hubs, authorities : ndarray of float64, shape (n_pages,)
        Nonnegative; all 0 if the graph has no links, else of Euclidean norm 1 (*Resolved*: P4 does
        not normalise).

    Raises
    ------
    ValueError
        If a link's end is not a page, or a weight is negative.
    ConvergenceError
        If `max_iter` rounds do not reach `tol`.

    References
    ----------
    [P4 eq. 1, 2]; J. Kleinberg, "Authoritative sources in a hyperlinked
    environment", Journal of the ACM 46(5), 1999, section 3.
    """
    check_edges(n_pages, sources, targets)
    counts = np.ones(len(sources)) if weights is None else weights
    if counts.shape != sources.shape or (counts < 0).any():
        raise ValueError("weights must be nonnegative, one per link")
    hubs = _unit(np.ones(n_pages))
    for _ in range(max_iter):
        authorities = _unit(np.bincount(targets, hubs[sources] * counts, n_pages))  # [P4 eq. 1]
        previous, hubs = hubs, _unit(np.bincount(sources, authorities[targets] * counts, n_pages))
        if np.abs(hubs - previous).max(initial=0.0) <= tol:
            return hubs, authorities
    raise ConvergenceError(f"no convergence to {tol} within {max_iter} rounds")


def _unit(vector: NDArray[Any]) -> Vector:
    values = vector.astype(np.float64)
    length = float(np.linalg.norm(values))
    return values / length if length > 0 else values
