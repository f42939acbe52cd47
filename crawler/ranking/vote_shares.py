"""What share of a vote sites have: one person can make many that link to each other."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Set

from crawler.ranking.disjoint_paths import n_disjoint_paths
from crawler.ranking.dominators import depths_of, first_dominators, roots_of


class VoteShares:
    """What sites count by how they are known, each by its domain.

    If n sites are known through k < n others only, each of them counts (k / n)^2: the more they
    are, the less they count together (*Resolved*: the papers count every site).

    Parameters
    ----------
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    seeds : collection of str
        Domains that a person named: paths begin at them and at others, as `roots_of` says.
    counted : collection of str
        The domains that are counted, if they are known through one only.
    """

    def __init__(
        self, known: Mapping[str, Set[str]], seeds: Collection[str], counted: Collection[str]
    ) -> None:
        roots = roots_of(known, seeds)
        self._depths = depths_of(known, roots)
        self._dominator = first_dominators(known, roots)
        self._n_behind = Counter(
            self._dominator[domain] for domain in {*counted} if self._is_behind_one(domain)
        )
        self._linked_by: dict[str, list[str]] = defaultdict(list)
        for source, targets in sorted(known.items()):
            for target in targets:
                self._linked_by[target].append(source)
        self._n_paths: dict[frozenset[str], int] = {}

    def _is_behind_one(self, domain: str) -> bool:
        return self._dominator.get(domain, domain) != domain

    def of(self, domains: Collection[str]) -> dict[str, float]:
        """What each of the domains that link to a page counts, in (0, 1]; all are `counted`.

        Those that are known through one domain only are counted with all others that are. The
        others are counted with each other, but for roots.
        """
        shares = dict.fromkeys(domains, 1.0)
        several = set()
        for domain in shares:
            if self._is_behind_one(domain):
                shares[domain] = 1 / self._n_behind[self._dominator[domain]] ** 2
            elif self._depths.get(domain, 0) > 0:
                several.add(domain)
        share = self._share_of_group(frozenset(several))
        return shares | dict.fromkeys(several, share)

    def _share_of_group(self, group: frozenset[str]) -> float:
        # Two that are not behind one domain have two paths.
        if len(group) <= 2:
            return 1.0
        if group not in self._n_paths:
            self._n_paths[group] = n_disjoint_paths(group, self._linked_by, self._depths)
        return (self._n_paths[group] / len(group)) ** 2
