"""Through which site all ways from the seeds to another lead."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from typing import Final


def starts_of(known: Mapping[str, Set[str]], seeds: Collection[str]) -> set[str]:
    """Return the domains at which ways begin, so that there is a way to each domain.

    Parameters
    ----------
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    seeds : collection of str
        Domains that a person named. Domains that they link to are starts, too: that is as good.

    Returns
    -------
    set of str
        Beside those all that no other links to, and where domains link to each other that no way
        leads to, the first of them by name.
    """
    linked = {target for domain, found in known.items() for target in found - {domain}}
    starts = {*seeds}.union(known.keys() - linked, *(known.get(seed, ()) for seed in seeds))
    reached: set[str] = set()
    for domain in [*starts, *sorted(linked - starts)]:
        if domain not in reached:
            starts.add(domain)
            waiting = [domain]
            while waiting:
                found = known.get(waiting.pop(), set()) - reached
                reached |= found
                waiting += found
    return starts


def n_steps_from(starts: Collection[str], known: Mapping[str, Set[str]]) -> dict[str, int]:
    """By domain that ways lead to, the number of links from the nearest start to it."""
    n_steps = dict.fromkeys(starts, 0)
    waiting = [*n_steps]
    for domain in waiting:
        for target in known.get(domain, ()):
            if target not in n_steps:
                n_steps[target] = n_steps[domain] + 1
                waiting.append(target)
    return n_steps


def entrances(known: Mapping[str, Set[str]], starts: Collection[str]) -> dict[str, str]:
    """For each domain the one through which every way from the starts to it leads.

    Parameters
    ----------
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    starts : collection of str
        Where ways begin.

    Returns
    -------
    dict of str to str
        The first such domain of the ways; the domain itself if there are ways without a
        domain in common. Domains that no way leads to are left out.

    References
    ----------
    K. Cooper, T. Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001: those are
    the children of the root in the tree of dominators.
    """
    ways: dict[str, list[str]] = {domain: sorted(found) for domain, found in known.items()}
    ways[_ROOT] = sorted(starts)
    order = _in_order(ways)
    parents = _dominators(ways, order)
    found = {_ROOT: _ROOT}
    for domain in order[1:]:
        parent = parents[domain]
        found[domain] = domain if parent == _ROOT else found[parent]
    del found[_ROOT]
    return found


#: Leads to the starts; not the name of a domain.
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
