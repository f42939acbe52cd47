"""What the sites that link to a page count together: LN of the link value [P2 eq. 2].

*Resolved*: the paper counts every in-link as 1. Here a linking domain has one vote, and the
vote is worth the relevance of its best linking article. Sites that may be one person's count
less: each vote by half of the stronger one before it. The strongest counts by half, too, if the
page's own site links to those sites, or if only one other site leads to them.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

#: Goes up when votes are counted in another way: what is stored is then counted again.
VOTES: Final = 4
#: Each further vote of one group counts so much of the one before it.
NEXT: Final = 0.5
#: The strongest vote of the sites that a page's own site links to.
MUTUAL: Final = 0.5
#: The strongest vote of the sites that only one other leads to.
DEPENDENT: Final = 0.5
#: So many digits of a number of votes count: they can be read back from the link value.
DIGITS: Final = 6
#: A page younger than this counts the votes that it is expected to have at this age.
YOUNG_DAYS: Final = 30.0
#: The prior of a page's rate of votes: so many votes in so many days.
PRIOR_VOTES: Final = 1.0
PRIOR_DAYS: Final = 30.0


@dataclass(frozen=True, slots=True)
class DomainLink:
    """The articles of a domain that link to a page.

    Attributes
    ----------
    target : int
        The page.
    own, domain : str
        The page's domain, and the linking one; they differ.
    site : str
        A linking site of that domain, as it is shown.
    relevance : float
        The largest of its linking articles, in [0, 1].
    """

    target: int
    own: str
    domain: str
    site: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Votes:
    """LN of a page.

    Attributes
    ----------
    total : float
        >= 0, at most the number of linking sites.
    sites : tuple of str
        The linking sites that count, the strongest vote first.
    """

    total: float = 0.0
    sites: tuple[str, ...] = ()


def count_votes(
    links: Iterable[DomainLink],
    known: Mapping[str, Set[str]],
    *,
    seeds: Collection[str] = (),
    farms: Collection[str] = (),
) -> dict[int, Votes]:
    """Count the votes of every page that has one.

    Parameters
    ----------
    links : iterable of DomainLink
        One for each pair of a page and a linking domain.
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    seeds : collection of str
        Domains that a person named.
    farms : collection of str
        Domains that look like farms by keyword stuffing: they have no vote.

    Returns
    -------
    dict of int to Votes
        By page.

    Notes
    -----
    Two groups count less than their number: the sites that the page's own site links to, and
    the sites that only one site, not a seed, leads to (`entrances`).
    """
    entrance = entrances(known, seeds)
    of_page: dict[int, list[DomainLink]] = defaultdict(list)
    for link in links:
        if link.domain not in farms and link.relevance > 0:
            of_page[link.target].append(link)
    return {target: _votes(found, known, entrance) for target, found in of_page.items()}


def _votes(
    links: list[DomainLink], known: Mapping[str, Set[str]], entrance: Mapping[str, str]
) -> Votes:
    votes = []
    for link in links:
        if link.domain in known.get(link.own, ()):
            group, first = link.own, MUTUAL
        else:
            group = entrance.get(link.domain, link.domain)
            first = 1.0 if group == link.domain else DEPENDENT
        votes.append((first * link.relevance, link.site, group))
    # In this order the sum is the same each time.
    votes.sort(key=lambda vote: (-vote[0], *vote[1:]))
    total, shares = 0.0, dict[str, float]()
    for worth, _, group in votes:
        share = shares.get(group, 1.0)
        total += share * worth
        shares[group] = NEXT * share
    return Votes(total, tuple(site for _, site, _ in votes))


def entrances(known: Mapping[str, Set[str]], seeds: Collection[str] = ()) -> dict[str, str]:
    """For each domain the one through which every way from the seeds to it leads.

    Parameters
    ----------
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    seeds : collection of str
        Ways begin here, and at domains that no other links to.

    Returns
    -------
    dict of str to str
        The first such domain of the ways; the domain itself if there are ways without a
        domain in common. Domains that no way leads to share one of them.

    References
    ----------
    K. Cooper, T. Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001: those are
    the children of the root in the tree of dominators.
    """
    ways: dict[str, list[str]] = {domain: sorted(found) for domain, found in known.items()}
    targets = {target for domain, found in known.items() for target in found - {domain}}
    ways[_ROOT] = sorted({*seeds} | (known.keys() - targets))
    # To be linked from a seed is as good as to be one.
    ways[_ROOT] += sorted({target for seed in seeds for target in known.get(seed, ())})
    order = _in_order(ways)
    parents = _dominators(ways, order)
    found = {_ROOT: _ROOT}
    for domain in order[1:]:
        parent = parents[domain]
        found[domain] = domain if parent == _ROOT else found[parent]
    del found[_ROOT]
    unreached = sorted((known.keys() | targets) - found.keys())
    return found | dict.fromkeys(unreached, unreached[0] if unreached else "")


#: Leads to the seeds; not the name of a domain.
_ROOT: Final = ""


def _in_order(ways: Mapping[str, list[str]]) -> list[str]:
    """The domains that ways from the root lead to, in reverse postorder."""
    done: list[str] = []
    seen = {_ROOT}
    stack = [(_ROOT, iter(ways[_ROOT]))]
    while stack:
        domain, rest = stack[-1]
        following = next((target for target in rest if target not in seen), None)
        if following is None:
            done.append(domain)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(ways.get(following, ()))))
    return done[::-1]


def _dominators(ways: Mapping[str, list[str]], order: list[str]) -> dict[str, str]:
    """The immediate dominator of each domain in the order; the root's is itself."""
    place = {domain: number for number, domain in enumerate(order)}
    sources: dict[str, list[str]] = defaultdict(list)
    for domain in order:
        for target in ways.get(domain, ()):
            sources[target].append(domain)
    parents = {_ROOT: _ROOT}
    changed = True
    while changed:
        changed = False
        for domain in order[1:]:
            known = [source for source in sources[domain] if source in parents]
            parent = known[0]
            for other in known[1:]:
                while parent != other:
                    if place[parent] > place[other]:
                        parent = parents[parent]
                    else:
                        other = parents[other]
            if parents.get(domain) != parent:
                parents[domain] = parent
                changed = True
    return parents


def for_age(total: float, age_days: float | None) -> float:
    """The votes a page is expected to have at the age of `YOUNG_DAYS`.

    Votes are taken to come at a steady rate of the page's own. The prior of the rate is a gamma
    distribution of `PRIOR_VOTES` in `PRIOR_DAYS`, as few votes say little of a rate.

    Parameters
    ----------
    total : float
        Its votes, >= 0.
    age_days : float or None
        Since it was published or first seen; None for unknown, which counts as old.

    Returns
    -------
    float
        Of 6 digits; at least `total`, and `total` itself for an old page.
    """
    if age_days is None or age_days >= YOUNG_DAYS:
        return round(total, DIGITS)
    age = max(age_days, 0.0)
    rate = (total + PRIOR_VOTES) / (age + PRIOR_DAYS)
    return round(total + (YOUNG_DAYS - age) * rate, DIGITS)
