"""Who gets the first places of a list: the best, but not all from one site, nor only old ones."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from crawler.knowledge.stuffing import LEAST_TRUST

#: Of the first places, so many are for new sites if they have pages that passed.
NEW_SITE_SHARE: Final = 0.2
#: The places in which that share is kept.
FIRST_PLACES: Final = 10


#: From so many pages on a site is known by them.
KNOWN_BY: Final = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that passed the threshold, as far as its place depends on it.

    Attributes
    ----------
    key : int
    site : hashable
        Pages of equal sites compete for the places of one site.
    new_site : bool
        The site was first seen lately, and not by the first run.
    trust : float
        In the page, in [0, 1].
    """

    key: int
    site: Hashable
    new_site: bool = False
    trust: float = 1.0


def with_reserved(
    ranked: Sequence[Candidate],
    n_places: int = FIRST_PLACES,
    *,
    share: float = NEW_SITE_SHARE,
    per_site: int | None = None,
) -> list[Candidate]:
    """Order candidates so that new sites are heard among the first.

    Parameters
    ----------
    ranked : sequence of Candidate
        Best first.
    n_places : int
        How many places come first, >= 0.
    share : float
        Share of those that new sites get at least, in [0, 1], rounded up, as far as they
        have pages.
    per_site : int, optional
        Most pages of one site among the first places; without it, any number.

    Returns
    -------
    list of Candidate
        The first `n_places` are those that won a place, then come all others; both in the
        order of `ranked`, but for stuffed pages, which come last, and with them whatever
        else their sites have where half of it is stuffed. Fewer win when `per_site` leaves
        places empty; `first_places` says how many.

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    won = {one.key for one in first_places(ranked, n_places, share=share, per_site=per_site)}
    in_order = [one for part in _apart(ranked) for one in part]
    first = [one for one in in_order if one.key in won]
    return first + [one for one in in_order if one.key not in won]


def first_places(
    ranked: Sequence[Candidate],
    n_places: int = FIRST_PLACES,
    *,
    share: float = NEW_SITE_SHARE,
    per_site: int | None = None,
) -> list[Candidate]:
    """Those that win one of the first places, as `with_reserved` deals them out, best first."""
    if n_places < 0 or not 0 <= share <= 1 or (per_site is not None and per_site < 1):
        raise ValueError(
            f"need places >= 0, a share in [0, 1] and 1 or more per site;"
            f" got {n_places}, {share}, {per_site}"
        )
    good, stuffed = _apart(ranked)
    allowed = _within_site([*good, *stuffed], per_site)
    n_reserved = math.ceil(share * n_places - 1e-9)
    newcomers = [one for one in _within_site(good, per_site) if one.new_site][:n_reserved]
    taken = {one.key for one in newcomers}
    others = [one for one in allowed if one.key not in taken][: max(0, n_places - len(newcomers))]
    won = taken | {one.key for one in others}
    return [one for one in [*good, *stuffed] if one.key in won]


def _apart(ranked: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Those that are fair, and those that look stuffed by themselves or by their sites."""
    trusts: defaultdict[Hashable, list[float]] = defaultdict(list)
    for one in ranked:
        trusts[one.site].append(one.trust)
    stuffed = {
        site
        for site, known in trusts.items()
        if len(known) >= KNOWN_BY and median(known) < LEAST_TRUST
    }
    good: list[Candidate] = []
    bad: list[Candidate] = []
    for one in ranked:
        (bad if one.trust < LEAST_TRUST or one.site in stuffed else good).append(one)
    return good, bad


def _within_site(ranked: Sequence[Candidate], per_site: int | None) -> list[Candidate]:
    """The best of each site, at most `per_site`."""
    if per_site is None:
        return list(ranked)
    seen: Counter[Hashable] = Counter()
    allowed = []
    for one in ranked:
        seen[one.site] += 1
        if seen[one.site] <= per_site:
            allowed.append(one)
    return allowed
