"""Concepts, the five relations, and the graph that holds them."""

import math

import pytest

from crawler.knowledge.ontology.concept_graph import ConceptGraph, Edge
from crawler.knowledge.ontology.concepts import (
    DEFAULT_DEGREES,
    INVERSE,
    Concept,
    Label,
    OntologyError,
    OntologyProblem,
    Relation,
    RelationKind,
)

SYNONYM, HAS, ONE_OF, IS_A, KIND_OF = RelationKind


def graph_of(*relations: Relation) -> ConceptGraph:
    ids = {end for relation in relations for end in (relation.source, relation.target)}
    return ConceptGraph([Concept(name) for name in ids], relations)


def edges_of(graph: ConceptGraph, concept: str, kind: RelationKind) -> tuple[Edge, ...]:
    return tuple(edge for edge in graph.edges(concept) if edge.kind is kind)


@pytest.mark.parametrize("degree", [0, -0.1, 1.01, math.nan, math.inf])
def test_a_degree_outside_its_range_is_refused(degree: float) -> None:
    with pytest.raises(OntologyError, match="degree must be above 0 and at most 1") as caught:
        Relation("a", HAS, "b", degree)
    assert caught.value.problem is OntologyProblem.BAD_DEGREE


@pytest.mark.parametrize("kind", RelationKind)
def test_a_concept_related_to_itself_is_refused(kind: RelationKind) -> None:
    with pytest.raises(OntologyError, match="cannot be related to itself: a") as caught:
        Relation("a", kind, "a")
    assert caught.value.problem is OntologyProblem.SELF_RELATION


def test_a_relation_to_an_unknown_concept_is_refused() -> None:
    with pytest.raises(OntologyError, match="there is no concept b"):
        ConceptGraph([Concept("a")], [Relation("a", HAS, "b")])


@pytest.mark.parametrize("ids", [["a", "a"], [""]])
def test_ids_are_unique_and_not_empty(ids: list[str]) -> None:
    with pytest.raises(OntologyError, match="id of its own"):
        ConceptGraph([Concept(name) for name in ids])


def test_each_relation_is_found_in_both_directions() -> None:
    graph = graph_of(
        Relation("computer", HAS, "cpu"),
        Relation("laptop", KIND_OF, "computer"),
        Relation("computer", SYNONYM, "pc"),
    )

    assert edges_of(graph, "computer", HAS) == (Edge(HAS, "cpu"),)
    assert edges_of(graph, "cpu", ONE_OF) == (Edge(ONE_OF, "computer"),)
    assert edges_of(graph, "computer", IS_A) == (Edge(IS_A, "laptop"),)
    assert edges_of(graph, "laptop", KIND_OF) == (Edge(KIND_OF, "computer"),)
    assert edges_of(graph, "pc", SYNONYM) == (Edge(SYNONYM, "computer"),)
    assert edges_of(graph, "computer", SYNONYM) == (Edge(SYNONYM, "pc"),)
    assert edges_of(graph, "unknown", HAS) == ()


@pytest.mark.parametrize("kind", RelationKind)
def test_every_stated_relation_can_be_walked_back(kind: RelationKind) -> None:
    graph = graph_of(Relation("a", kind, "b"))

    assert graph.edges("a") == (Edge(kind, "b"),)
    assert graph.edges("b") == (Edge(INVERSE[kind], "a"),)


def test_a_degree_holds_in_the_stated_direction_only() -> None:
    graph = graph_of(Relation("a", ONE_OF, "b", 0.9))

    assert edges_of(graph, "a", ONE_OF) == (Edge(ONE_OF, "b", 0.9),)
    assert edges_of(graph, "b", HAS) == (Edge(HAS, "a", None),)


def test_a_synonyms_degree_holds_both_ways() -> None:
    graph = graph_of(Relation("b", SYNONYM, "a", 0.7))

    assert edges_of(graph, "a", SYNONYM) == (Edge(SYNONYM, "b", 0.7),)
    assert edges_of(graph, "b", SYNONYM) == (Edge(SYNONYM, "a", 0.7),)


def test_both_directions_may_state_a_degree_each() -> None:
    graph = graph_of(Relation("a", HAS, "b", 0.9), Relation("b", ONE_OF, "a", 0.3))

    assert edges_of(graph, "a", HAS) == (Edge(HAS, "b", 0.9),)
    assert edges_of(graph, "b", ONE_OF) == (Edge(ONE_OF, "a", 0.3),)


def test_the_same_fact_said_twice_is_one_relation() -> None:
    said_twice = graph_of(Relation("a", HAS, "b"), Relation("b", ONE_OF, "a"))
    with_degree = graph_of(Relation("b", ONE_OF, "a", 0.4), Relation("a", HAS, "b"))

    assert said_twice == graph_of(Relation("a", HAS, "b"))
    assert with_degree.relations == (Relation("b", ONE_OF, "a", 0.4),)


def test_the_largest_of_several_degrees_counts() -> None:
    graph = graph_of(Relation("a", HAS, "b", 0.4), Relation("a", HAS, "b", 0.9))

    assert edges_of(graph, "a", HAS) == (Edge(HAS, "b", 0.9),)


def test_graphs_are_equal_whatever_the_order() -> None:
    relations = [Relation("a", HAS, "b"), Relation("c", KIND_OF, "a")]

    assert graph_of(*relations) == graph_of(*reversed(relations))
    assert graph_of(*relations) != graph_of(relations[0])
    assert graph_of() != object()


def test_inverses_undo_each_other_and_every_kind_has_a_degree() -> None:
    assert all(INVERSE[INVERSE[kind]] is kind for kind in RelationKind)
    assert set(DEFAULT_DEGREES) == set(RelationKind)


@pytest.mark.parametrize(
    ("language", "name"), [("en", "computer"), ("zh", "电脑"), ("fr", "computer"), ("", "computer")]
)
def test_a_concept_shows_its_preferred_label_in_the_language_asked(
    language: str, name: str
) -> None:
    labels = (
        Label("PC", "en", "alternative"),
        Label("电脑", "zh-hans"),
        Label("computer", "en"),
        Label("komputer", "fr", "hidden"),
    )
    assert Concept("c", labels).name(language) == name


def test_a_concept_without_labels_shows_its_id() -> None:
    assert Concept("c", (Label("x", "en", "hidden"),)).name("en") == "c"
