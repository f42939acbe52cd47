"""Which pages get the places of a digest. Pure."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

#: Pages of one site in one issue, at most.
PER_SITE: Final = 3
#: Share of the places that new sites have first claim to.
FOR_NEW_SITES: Final = 0.2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that might be told.

    Attributes
    ----------
    key : int
        Names the page.
    site : int
        Names its site.
    story : int or None
        Names what it tells; None if no other page tells the same.
    new_site : bool
        Its site has not been known for long.
    """

    key: int
    site: int
    story: int | None = None
    new_site: bool = False


def choose(candidates: Sequence[Candidate], n_places: int) -> tuple[list[Candidate], int]:
    """Choose the pages of an issue.

    Parameters
    ----------
    candidates : sequence of Candidate
        Best first.
    n_places : int
        Places there are, 0 or more.

    Returns
    -------
    chosen : list of Candidate
        Best first; one of each story, at most `PER_SITE` of each site. If pages of new
        sites are among the candidates they get at least `FOR_NEW_SITES` of the places,
        rounded up, as far as there are enough of them.
    n_more : int
        Stories that found no place.
    """
    told = list(_one_per_story(candidates))
    fitting = list(_capped(told))
    new = [candidate for candidate in fitting if candidate.new_site]
    reserved = {candidate.key for candidate in new[: math.ceil(n_places * FOR_NEW_SITES)]}
    others = [candidate for candidate in fitting if candidate.key not in reserved]
    taken = reserved | {candidate.key for candidate in others[: n_places - len(reserved)]}
    chosen = [candidate for candidate in fitting if candidate.key in taken]
    return chosen, len(told) - len(chosen)


def _one_per_story(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    seen: set[int] = set()
    for candidate in candidates:
        if candidate.story is None:
            yield candidate
        elif candidate.story not in seen:
            seen.add(candidate.story)
            yield candidate


def _capped(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    of_site: Counter[int] = Counter()
    for candidate in candidates:
        of_site[candidate.site] += 1
        if of_site[candidate.site] <= PER_SITE:
            yield candidate
