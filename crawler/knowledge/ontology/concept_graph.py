"""The concept graph of a topic [P1]: every relation, walkable in both directions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from crawler.knowledge.ontology.concepts import (
    INVERSE,
    Concept,
    OntologyError,
    OntologyProblem,
    Relation,
    RelationKind,
)


@dataclass(frozen=True, slots=True)
class Edge:
    """One way out of a concept; `degree` is None where the kind's default holds."""

    kind: RelationKind
    target: str
    degree: float | None = None


def canonical_relations(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Return each fact once, sorted, so that equal graphs have equal relations.

    Without a degree a fact stands in its canonical direction; with one it
    stands in the direction it was stated in, and of several the largest wins.
    """
    degrees: dict[tuple[str, RelationKind, str], float | None] = {}
    for relation in relations:
        if relation.degree is None or relation.kind is RelationKind.SYNONYM:
            relation = relation.canonical()
        key = relation.source, relation.kind, relation.target
        degrees[key] = max(degrees.get(key) or 0.0, relation.degree or 0.0) or None
    for (source, kind, target), degree in list(degrees.items()):
        # "a has b" says nothing more once "b is one of a, degree 0.7" is stated.
        if degree is None and degrees.get((target, INVERSE[kind], source)) is not None:
            del degrees[source, kind, target]
    return tuple(Relation(*key, degrees[key]) for key in sorted(degrees))


class ConceptGraph:
    """Concepts and their relations, materialised in both directions; never changes.

    Parameters
    ----------
    concepts : iterable of Concept
        Each id once.
    relations : iterable of Relation
        In any direction and number; cycles are allowed.

    Raises
    ------
    OntologyError
        If an id is empty or comes twice, or a relation names an unknown concept.
    """

    def __init__(self, concepts: Iterable[Concept], relations: Iterable[Relation] = ()) -> None:
        by_id: dict[str, Concept] = {}
        for concept in concepts:
            if not concept.id or concept.id in by_id:
                raise OntologyError(
                    OntologyProblem.BAD_CONCEPT,
                    f"each concept needs an id of its own, got {concept.id!r} twice or empty",
                )
            by_id[concept.id] = concept
        self.concepts: Mapping[str, Concept] = MappingProxyType(dict(sorted(by_id.items())))
        self.relations = canonical_relations(relations)
        self._check_ends()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConceptGraph):
            return NotImplemented
        return self.concepts == other.concepts and self.relations == other.relations

    __hash__ = None  # type: ignore[assignment]  # compared by value, and large

    def _check_ends(self) -> None:
        for relation in self.relations:
            for end in (relation.source, relation.target):
                if end not in self.concepts:
                    raise OntologyError(
                        OntologyProblem.UNKNOWN_CONCEPT,
                        f"{relation.source} {relation.kind} {relation.target}: "
                        f"there is no concept {end}",
                    )

    @cached_property
    def _edges(self) -> dict[str, tuple[Edge, ...]]:
        """Edges out of each concept, both directions of every relation."""
        degrees: dict[str, dict[tuple[RelationKind, str], float | None]] = {}
        for relation in self.relations:
            back = relation.degree if relation.kind is RelationKind.SYNONYM else None
            steps = (
                (relation.source, relation.kind, relation.target, relation.degree),
                (relation.target, INVERSE[relation.kind], relation.source, back),
            )
            for source, kind, target, degree in steps:
                known = degrees.setdefault(source, {})
                known[kind, target] = degree or known.get((kind, target))
        return {
            source: tuple(Edge(*key, known[key]) for key in sorted(known))
            for source, known in degrees.items()
        }

    def edges(self, concept_id: str) -> tuple[Edge, ...]:
        """Return every edge out of a concept, sorted; empty for an unknown one."""
        return self._edges.get(concept_id, ())
