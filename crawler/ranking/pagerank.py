"""PageRank as the third paper has it, on the links found so far."""

import numpy as np
from numpy.typing import NDArray

from crawler.errors import ConvergenceError
from crawler.ranking.edges import check_edges


def pagerank(
    n_pages: int,
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    *,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> NDArray[np.float64]:
    """Rank pages by PR(i) = (1 - d) + d * sum of PR(j) / N(j) over the pages j that link to i.

    Parameters
    ----------
    n_pages : int
        Pages of the graph, >= 0.
    sources, targets : ndarray of int64, shape (n_links,)
        The pages at each link's ends, in [0, n_pages).
    damping : float, default 0.85
        d, in [0, 1).
    tol : float, default 1e-6
        Stop when no rank moves by more than this in one round.
    max_iter : int, default 500
        Most rounds to try; one costs O(n_pages + n_links) time.

    Returns
    -------
    ndarray of float64, shape (n_pages,)
        At least 1 - d each; their sum is at most `n_pages` and less where pages
        without out-links pass nothing on (*Resolved*: the paper is silent on those).

    Raises
    ------
    ValueError
        If a link's end is not a page, or `damping` is out of range.
    ConvergenceError
        If `max_iter` rounds do not reach `tol`.

    References
    ----------
    [P3, link authority]; S. Brin, L. Page, "The anatomy of a large-scale
    hypertextual web search engine", 1998, section 2.1.1.
    """
    check_edges(n_pages, sources, targets)
    if not 0 <= damping < 1:
        raise ValueError(f"damping must be in [0, 1), got {damping}")
    n_out = np.bincount(sources, minlength=n_pages)
    # Pages without out-links pass nothing on, and most pages that a crawl knows are not fetched
    # yet: they are ranked only when the others have settled.
    inner = np.flatnonzero(n_out)
    number = np.cumsum(n_out > 0) - 1
    shares = damping / n_out[inner]
    sources = number[sources]
    is_inner = n_out[targets] > 0
    inner_sources, inner_targets = sources[is_inner], number[targets[is_inner]]
    inner_ranks: NDArray[np.float64] = np.ones(len(inner))
    ranks: NDArray[np.float64] = np.ones(n_pages)
    for _ in range(max_iter):
        given = inner_ranks * shares
        passed = np.bincount(inner_targets, given[inner_sources], len(inner))
        before, inner_ranks = inner_ranks, np.asarray((1 - damping) + passed, np.float64)
        if np.abs(inner_ranks - before).max(initial=0.0) <= tol:
            passed = np.bincount(targets, given[sources], n_pages)
            previous, ranks = ranks, np.asarray((1 - damping) + passed, np.float64)
            if np.abs(ranks - previous).max(initial=0.0) <= tol:
                return ranks
    raise ConvergenceError(f"no convergence to {tol} within {max_iter} rounds")
