"""Cut what runs in a circle: a part that contains its whole, a kind above itself."""

from collections.abc import Iterable, Iterator, Sequence

from crawler.knowledge.ontology.concepts import Relation, RelationKind


def cut_cycles(relations: Sequence[Relation]) -> tuple[list[Relation], list[Relation]]:
    """Remove relations until neither hierarchy holds a cycle.

    Parameters
    ----------
    relations : sequence of Relation
        Of any kind; synonyms pass through.

    Returns
    -------
    kept, cut : list of Relation
        In the order given. Which relation of a cycle goes depends only on the
        relations, not on their order: the one that leads back up from where
        the walk started, at a top concept if there is one.
    """
    backward: set[tuple[RelationKind, str, str]] = set()
    for kind in (RelationKind.IS_A, RelationKind.HAS):
        below: dict[str, list[str]] = {}
        for relation in relations:
            edge = relation.canonical()
            if edge.kind is kind:
                below.setdefault(edge.source, []).append(edge.target)
        backward.update((kind, *edge) for edge in _backward_edges(below))
    kept: list[Relation] = []
    cut: list[Relation] = []
    for relation in relations:
        edge = relation.canonical()
        (cut if (edge.kind, edge.source, edge.target) in backward else kept).append(relation)
    return kept, cut


def _backward_edges(below: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield the edges that close a cycle in a depth-first walk, without recursion."""
    targets = {target for children in below.values() for target in children}
    starts = sorted(below, key=lambda node: (node in targets, node))
    done: set[str] = set()
    for start in starts:
        if start in done:
            continue
        path = {start}
        stack = [(start, _sorted_once(below, start))]
        while stack:
            node, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                path.discard(node)
                done.add(node)
            elif child in path:
                yield node, child
            elif child not in done:
                path.add(child)
                stack.append((child, _sorted_once(below, child)))


def _sorted_once(below: dict[str, list[str]], node: str) -> Iterator[str]:
    children: Iterable[str] = set(below.get(node, ()))
    return iter(sorted(children))
