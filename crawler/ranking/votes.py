"""What the sites that link to a page count together: LN of the link value [P2 eq. 2].

*Resolved*: the paper counts every in-link as 1. Here a linking domain has one vote, and the
vote is worth the relevance of its best linking article. Sites that may be one person's count
less: those that are known through few others only (`VoteShares`), and those that the page's own
site links to. Of these the strongest vote counts by half, and each further one by half of the one
before it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from crawler.ranking.vote_shares import VoteShares

#: Goes up when votes are counted in another way: what is stored is then counted again.
VOTES: Final = 5
#: Of the sites that a page's own site links to, what the strongest vote counts, and each further
#: one of what the one before it does.
MUTUAL: Final = 0.5
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
    share : float
        What the linking sites count by how they are known, their mean by relevance; in (0, 1].
    """

    total: float = 0.0
    sites: tuple[str, ...] = ()
    share: float = 1.0


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
    """
    of_page: dict[int, list[DomainLink]] = defaultdict(list)
    for link in links:
        if link.domain not in farms and link.relevance > 0:
            of_page[link.target].append(link)
    voting = [link for found in of_page.values() for link in found]
    counted = {domain for link in voting for domain in (link.own, link.domain)}
    shares = VoteShares(known, seeds, counted)
    return {target: _votes(found, known, shares) for target, found in of_page.items()}


def _votes(
    links: list[DomainLink], known: Mapping[str, Set[str]], vote_shares: VoteShares
) -> Votes:
    shares = vote_shares.of([link.domain for link in links])
    votes, mutual = [], MUTUAL
    # In this order the sum is the same each time.
    for link in sorted(links, key=lambda link: (-link.relevance, link.site)):
        worth = shares[link.domain] * link.relevance
        if link.domain in known.get(link.own, ()):
            worth *= mutual
            mutual *= MUTUAL
        votes.append((worth, link.site))
    total = sum(worth for worth, _ in votes)
    votes.sort(key=lambda vote: (-vote[0], vote[1]))
    relevance = sum(link.relevance for link in links)
    by_share = sum(shares[link.domain] * link.relevance for link in links)
    return Votes(total, tuple(site for _, site in votes), by_share / relevance)


def for_age(total: float, age_days: float | None, share: float = 1.0) -> float:
    """The votes a page is expected to have at the age of `YOUNG_DAYS`.

    Votes are taken to come at a steady rate of the page's own. The prior of the rate is a gamma
    distribution of `PRIOR_VOTES` in `PRIOR_DAYS`, as few votes say little of a rate. Of the prior
    counts what counts of the votes that are known.

    Parameters
    ----------
    total : float
        Its votes, >= 0.
    age_days : float or None
        Since it was published or first seen; None for unknown, which counts as old.
    share : float, default 1
        As of `Votes`.

    Returns
    -------
    float
        Of 6 digits; at least `total`, and `total` itself for an old page.
    """
    if age_days is None or age_days >= YOUNG_DAYS:
        return round(total, DIGITS)
    age = max(age_days, 0.0)
    rate = (total + share * PRIOR_VOTES) / (age + PRIOR_DAYS)
    return round(total + (YOUNG_DAYS - age) * rate, DIGITS)
