"""Which pages to visit again: fronts without a feed, hubs, and fronts that were never fetched."""

from collections.abc import Collection, Hashable, Mapping
from typing import Final, TypeVar

from crawler.page.url import site_of

Key = TypeVar("Key", bound=Hashable)

#: From a site with so many kept pages, the front page is worth visits.
LEAST_KEPT: Final = 2
#: Most front pages to visit, in all.
MAX_FRONTS: Final = 200
#: A page through which so many kept pages were found is a hub.
LEAST_LED: Final = 3
#: A hub links to so many kept pages, on so many sites; the best of them are visited.
HUB_PAGES, HUB_SITES, MAX_HUBS = 3, 2, 20
#: An unvisited site is explored if so many domains with kept pages link to it.
LEAST_PRAISED: Final = 2
#: A new site is explored if one does; a hub that is visited counts as such a page.
LEAST_PRAISED_NEW: Final = 1
#: Share of a run that tries such sites, and pages of hubs' own sites; and bounds of it.
EXPLORATION_SHARE: Final = 0.1
MIN_EXPLORED, MAX_EXPLORED = 2, 40
#: So many pages of a new site are fetched, whatever the score of its links.
HEARING: Final = 3
#: A list of links leads elsewhere: at most such a share of its links stays on its site.
OWN_SHARE: Final = 1 / 3


def sites_to_front(
    kept: Mapping[str, int], fed: Collection[str], *, n_most: int = MAX_FRONTS
) -> list[str]:
    """Choose the sites whose front page to visit, as no feed announces their new pages.

    Parameters
    ----------
    kept : mapping of str to int
        Kept pages by site; the caller leaves out sites that must not be contacted.
    fed : collection of str
        Sites with a feed that answers: it costs less, and says more.

    Returns
    -------
    list of str
        Those with at least `LEAST_KEPT` kept pages, those with most first; equal ones by name.
    """
    without = [site for site, n in kept.items() if n >= LEAST_KEPT and site not in fed]
    return sorted(without, key=lambda site: (-kept[site], site))[:n_most]


def sites_to_explore(
    praise: Mapping[str, int],
    known: Collection[str],
    *,
    n_most: int,
    least: int = LEAST_PRAISED,
) -> list[str]:
    """Choose unvisited sites whose front page is worth one visit.

    The first sign of a hub or a new site is its name in a link on a relevant page. That link says
    nothing more, so without exploration it would wait behind every link that does.

    Parameters
    ----------
    praise : mapping of str to int
        By site, how many domains with kept pages link to it.
    known : collection of str
        Sites whose front page has been fetched, or that have a feed.
    least : int, default LEAST_PRAISED
        Domains that must link to a site; `LEAST_PRAISED_NEW` for new ones.

    Returns
    -------
    list of str
        Those with most praise first; equal ones by name.
    """
    new = [site for site, n in praise.items() if n >= least and site not in known]
    return sorted(new, key=lambda site: (-praise[site], site))[:n_most]


def n_exploration_visits(n_pages: int) -> int:
    """Return how many such tries a run of so many pages makes."""
    return min(MAX_EXPLORED, max(MIN_EXPLORED, round(EXPLORATION_SHARE * n_pages)))


def may_bring_news(n_fetched: int, n_kept: int) -> bool:
    """True for a new site that gave a page, or was not fetched yet: its front is a source."""
    return n_kept > 0 or n_fetched < HEARING


def leads_elsewhere(url: str, targets: Collection[str]) -> bool:
    """True for a page most of whose links lead to other sites: a list of links.

    What it links to on its own site is worth a try, as such lists come in several pages.
    """
    own = sum(site_of(target) == site_of(url) for target in targets)
    return bool(targets) and own <= OWN_SHARE * len(targets)
