"""The site that all paths of links to another one have in common."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from typing import Final

#: Leads to all roots; not the name of a domain.
_ABOVE_ROOTS: Final = ""


def roots_of(known: Mapping[str, Set[str]], seeds: Collection[str]) -> set[str]:
    """Return the domains at which paths begin, so that there is a path to each domain.

    Parameters
    ----------
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    seeds : collection of str
        Domains that a person named. Domains that they link to are roots, too: that is as good.

    Returns
    -------
    set of str
        Beside those all that no other links to. Where domains link to each other and no path leads
        to them, it is the first of them by name.
    """
    linked = {target for domain, found in known.items() for target in found - {domain}}
    roots = {*seeds}.union(known.keys() - linked, *(known.get(seed, ()) for seed in seeds))
    reached: set[str] = set()
    for domain in [*roots, *sorted(linked - roots)]:
        if domain not in reached:
            roots.add(domain)
            waiting = [domain]
            while waiting:
                found = known.get(waiting.pop(), set()) - reached
                reached |= found
                waiting += found
    return roots


def depths_of(known: Mapping[str, Set[str]], roots: Collection[str]) -> dict[str, int]:
    """By domain that paths lead to, the number of links from the nearest root to it."""
    depths = dict.fromkeys(roots, 0)
    waiting = [*depths]
    for domain in waiting:
        for target in known.get(domain, ()):
            if target not in depths:
                depths[target] = depths[domain] + 1
                waiting.append(target)
    return depths


def first_dominators(known: Mapping[str, Set[str]], roots: Collection[str]) -> dict[str, str]:
    """For each domain the first one that is on every path from the roots to it.

    Parameters
    ----------
    known : mapping of str to set of str
        By domain, the domains that its articles link to.
    roots : collection of str
        Where paths begin.

    Returns
    -------
    dict of str to str
        The domain itself if there are paths without another domain in common. Domains that no path
        leads to are left out.

    References
    ----------
    K. Cooper, T. Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001: those are
    the children of the root in the tree of dominators.
    """
    links: dict[str, list[str]] = {domain: sorted(found) for domain, found in known.items()}
    links[_ABOVE_ROOTS] = sorted(roots)
    order = _in_order(links)
    parents = _dominators(links, order)
    found = {_ABOVE_ROOTS: _ABOVE_ROOTS}
    for domain in order[1:]:
        parent = parents[domain]
        found[domain] = domain if parent == _ABOVE_ROOTS else found[parent]
    del found[_ABOVE_ROOTS]
    return found


def _in_order(links: Mapping[str, list[str]]) -> list[str]:
    """The domains that paths from the roots lead to, in reverse postorder."""
    done: list[str] = []
    seen = {_ABOVE_ROOTS}
    stack = [(_ABOVE_ROOTS, iter(links[_ABOVE_ROOTS]))]
    while stack:
        domain, rest = stack[-1]
        following = next((target for target in rest if target not in seen), None)
        if following is None:
            done.append(domain)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(links.get(following, ()))))
    return done[::-1]


def _dominators(links: Mapping[str, list[str]], order: list[str]) -> dict[str, str]:
    """The immediate dominator of each domain in the order; what is above the roots is its own."""
    place = {domain: number for number, domain in enumerate(order)}
    sources: dict[str, list[str]] = defaultdict(list)
    for domain in order:
        for target in links.get(domain, ()):
            sources[target].append(domain)
    parents = {_ABOVE_ROOTS: _ABOVE_ROOTS}
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
