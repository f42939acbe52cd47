"""How much of a run one site may take while others wait."""

from typing import Final

WIDE: Final = "wide"
BALANCED: Final = "balanced"
DEEP: Final = "deep"

#: Pages of one site: at least so many, and so large a share of the run's budget.
_CAPS: Final = {WIDE: (5, 0.05), BALANCED: (20, 0.25)}


def site_cap(breadth: str, n_pages: int) -> int | None:
    """Pages that a site gives to a run before other sites' go first; None for no cap.

    Parameters
    ----------
    breadth : str
        `WIDE`, `BALANCED` or `DEEP`.
    n_pages : int
        The run's budget, >= 1.

    Raises
    ------
    ValueError
        If such a breadth does not exist.
    """
    if breadth == DEEP:
        return None
    if breadth not in _CAPS:
        raise ValueError(f"breadth is {WIDE}, {BALANCED} or {DEEP}, got {breadth!r}")
    least, share = _CAPS[breadth]
    return max(least, round(share * n_pages))
