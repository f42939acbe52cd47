"""Through how few sites others are known: one person can make many that link to each other."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Set

from crawler.ranking.disjoint_ways import n_disjoint_ways
from crawler.ranking.entrances import entrances, n_steps_from, starts_of


class KnownThrough:
    """What sites count by how they are known, each by its domain.

    If n sites are known through k < n others only, each of them counts (k / n)^2: the more they
    are, the less they count together (*Resolved*: the papers count every site).

    Parameters
    ----------
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    seeds : collection of str
        Domains that a person named: every chain of links begins at them, or as `starts_of` says.
    counted : collection of str
        The domains that are counted, if they are known through one only.
    """

    def __init__(
        self, known: Mapping[str, Set[str]], seeds: Collection[str], counted: Collection[str]
    ) -> None:
        starts = starts_of(known, seeds)
        self._entrance = entrances(known, starts)
        self._n_steps = n_steps_from(starts, known)
        self._n_behind = Counter(
            self._entrance[domain] for domain in {*counted} if self._is_behind_one(domain)
        )
        self._linked_by: dict[str, list[str]] = defaultdict(list)
        for source, targets in sorted(known.items()):
            for target in targets:
                self._linked_by[target].append(source)
        self._n_ways: dict[frozenset[str], int] = {}

    def _is_behind_one(self, domain: str) -> bool:
        return self._entrance.get(domain, domain) != domain

    def shares(self, domains: Collection[str]) -> dict[str, float]:
        """What each of some domains counts, in (0, 1].

        Domains that are known through one only are counted with all others that are. All other
        domains that no seed links to are counted with each other.
        """
        shares = dict.fromkeys(domains, 1.0)
        several = set()
        for domain in shares:
            if self._is_behind_one(domain):
                shares[domain] = 1 / self._n_behind[self._entrance[domain]] ** 2
            elif self._n_steps.get(domain, 0):
                several.add(domain)
        share = self._share_of_group(frozenset(several))
        return shares | dict.fromkeys(several, share)

    def _share_of_group(self, group: frozenset[str]) -> float:
        # Two that are not behind one domain have two ways.
        if len(group) <= 2:
            return 1.0
        if group not in self._n_ways:
            self._n_ways[group] = n_disjoint_ways(group, self._linked_by, self._n_steps)
        return (self._n_ways[group] / len(group)) ** 2
