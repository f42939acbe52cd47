"""How many paths of links without a site in common lead to a group of sites."""

from collections.abc import Collection, Iterator, Mapping
from heapq import heappop, heappush
from itertools import pairwise
from typing import Final

#: A site is two nodes: links lead to the one and go from the other.
_Node = tuple[str, bool]
_IN, _OUT = False, True
#: The end of all paths; not the name of a site.
_END: Final = ("", _IN)


def n_disjoint_paths(
    group: Collection[str], linked_by: Mapping[str, Collection[str]], depths: Mapping[str, int]
) -> int:
    """Count paths from roots to a group that share no site, at most the size of the group.

    Parameters
    ----------
    group : collection of str
        Sites, none of which is a root. A path ends at the first of them that it meets; several
        paths may end at one.
    linked_by : mapping of str to collection of str
        By site, the sites that link to it.
    depths : mapping of str to int
        By site, the number of links from the nearest root to it: 0 for the roots themselves.

    Notes
    -----
    It is the least number of sites without which no path is left (K. Menger, "Zur allgemeinen
    Kurventheorie", 1927). Augmenting paths are sought from the group back (L. Ford, D. Fulkerson,
    "Maximal flow through a network", 1956), first where a root is near: one takes O(number of
    links) time at worst, mostly far less.
    """
    onward: dict[_Node, _Node] = {}
    begun: set[str] = set()
    for n_paths in range(len(group)):
        path = _augmenting_path(group, linked_by, depths, onward, begun)
        if not path:
            return n_paths
        begun.add(path[0][0])
        steps = list(pairwise(path))
        back = [step for step in steps if onward.get(step[1]) == step[0]]
        for _, node in back:
            del onward[node]
        onward.update(step for step in steps if step not in back)
    return len(group)


def _augmenting_path(
    group: Collection[str],
    linked_by: Mapping[str, Collection[str]],
    depths: Mapping[str, int],
    onward: Mapping[_Node, _Node],
    begun: Collection[str],
) -> list[_Node]:
    """The nodes from a root to the end by which there is one path more; [] if there are none.

    Steps against the direction of a path take that part of it away.
    """
    following: dict[_Node, _Node] = {_END: _END}
    waiting = [(0, _END)]
    while waiting:
        _, node = heappop(waiting)
        for earlier in _before(node, group, linked_by, onward):
            if earlier in following:
                continue
            following[earlier] = node
            site, side = earlier
            if side == _IN and depths[site] == 0 and site not in begun:
                path = [earlier]
                while path[-1] != _END:
                    path.append(following[path[-1]])
                return path
            heappush(waiting, (depths[site], earlier))
    return []


def _before(
    node: _Node,
    group: Collection[str],
    linked_by: Mapping[str, Collection[str]],
    onward: Mapping[_Node, _Node],
) -> Iterator[_Node]:
    """The nodes from which one more path may come to a node."""
    site, side = node
    taken = onward.get(node)
    if taken is not None and taken != _END:
        yield taken
    if side == _OUT:
        if (site, _IN) not in onward:
            yield site, _IN
        return
    for end in group if node == _END else [site]:
        for source in linked_by.get(end, ()):
            if source not in group and onward.get((source, _OUT)) != node:
                yield source, _OUT
