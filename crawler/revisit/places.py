"""Which pages are places to look at again: front pages without a feed, pages that led on."""

from collections.abc import Collection, Mapping
from typing import Final

#: A site with so many kept pages is worth looks at its front page.
LEAST_KEPT: Final = 2
#: Front pages looked at, in all.
MAX_FRONTS: Final = 200
#: A page through which so many kept pages were found is a place to look at.
LEAST_LED: Final = 3


def sites_to_front(
    kept: Mapping[str, int], fed: Collection[str], *, n_most: int = MAX_FRONTS
) -> list[str]:
    """Choose the sites whose front page is to be looked at, as they tell of news nowhere else.

    Parameters
    ----------
    kept : mapping of str to int
        Kept pages by site; sites that must not be asked are left out by the caller.
    fed : collection of str
        Sites with a feed that answers: it costs less, and says more.
    n_most : int, default MAX_FRONTS

    Returns
    -------
    list of str
        Those with at least `LEAST_KEPT` kept pages, those with most first; equal ones by name.
    """
    without = [site for site, n in kept.items() if n >= LEAST_KEPT and site not in fed]
    return sorted(without, key=lambda site: (-kept[site], site))[:n_most]
