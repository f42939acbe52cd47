"""Who gets the first places of a list: the best, but not all from one site, nor only old ones."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.ranking.breadth import within_site

#: Of the first places, so many are for new sites if they have pages that passed.
NEW_SITE_SHARE: Final = 0.2
#: The places in which that share is kept.
FIRST_PLACES: Final = 10


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that passed the threshold, as far as its place depends on it.

    Attributes
    ----------
    site : hashable
        Pages of equal sites compete for the places of one site.
    new_site : bool
        The site was first seen lately, and not by the first run.
    """

    key: int
    site: Hashable
    new_site: bool = False


def with_reserved(ranked: Sequence[Candidate], n_places: int = FIRST_PLACES) -> list[Candidate]:
    """Order candidates so that new sites get some of the first places.

    Those that win one of the `n_places` come first (`first_ranked`), then all others; both in
    the order of `ranked`.
    """
    won = {one.key for one in first_ranked(ranked, n_places)}
    first = [one for one in ranked if one.key in won]
    return first + [one for one in ranked if one.key not in won]


def first_ranked(
    ranked: Sequence[Candidate],
    n_places: int,
    *,
    share: float = NEW_SITE_SHARE,
    per_site: int | None = None,
) -> list[Candidate]:
    """Return the candidates that win one of the first places, best first.

    Parameters
    ----------
    ranked : sequence of Candidate
        Best first.
    n_places : int
        How many places come first, >= 0. Fewer win when `per_site` leaves places empty.
    share : float
        Share of those that new sites get at least, in [0, 1], rounded up, as far as they
        have pages.
    per_site : int, optional
        Most pages of one site among the first places; without it, any number.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if n_places < 0 or not 0 <= share <= 1 or (per_site is not None and per_site < 1):
        raise ValueError(
            f"need places >= 0, a share in [0, 1] and 1 or more per site;"
            f" got {n_places}, {share}, {per_site}"
        )
    allowed = within_site(ranked, per_site)
    n_reserved = math.ceil(share * n_places - 1e-9)
    newcomers = [one for one in allowed if one.new_site][:n_reserved]
    taken = {one.key for one in newcomers}
    others = [one for one in allowed if one.key not in taken][: max(0, n_places - len(newcomers))]
    won = taken | {one.key for one in others}
    return [one for one in ranked if one.key in won]
