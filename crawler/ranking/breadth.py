"""How much of a run one site may take while others wait."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Final, Protocol, TypeVar

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


class OfSite(Protocol):
    """What belongs to a site."""

    @property
    def site(self) -> Hashable:
        """The site; equal for all that compete."""


T = TypeVar("T", bound=OfSite)


def within_site(ranked: Iterable[T], per_site: int | None) -> list[T]:
    """Keep the first `per_site` of each site, in their order; all if it is None."""
    if per_site is None:
        return list(ranked)
    n_seen: Counter[Hashable] = Counter()
    kept = []
    for one in ranked:
        n_seen[one.site] += 1
        if n_seen[one.site] <= per_site:
            kept.append(one)
    return kept
