"""What every ranking of a link graph requires of its links."""

import numpy as np
from numpy.typing import NDArray


def check_edges(n_pages: int, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> None:
    """Refuse links whose ends are not pages.

    Raises
    ------
    ValueError
        If the arrays differ in length or an end is outside [0, n_pages).
    """
    if sources.shape != targets.shape or sources.ndim != 1:
        raise ValueError(
            f"each link needs two ends: {sources.shape} sources, {targets.shape} targets"
        )
    for ends in (sources, targets):
        if ends.size and (ends.min() < 0 or ends.max() >= n_pages):
            raise ValueError(
                f"ends of links must be in [0, {n_pages}), got {ends.min()} to {ends.max()}"
            )
