"""What is exported can be imported again, unchanged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.knowledge.ontology.concepts import Concept, Label, Relation, RelationKind
from crawler.knowledge.ontology.rdf import read_rdf
from crawler.knowledge.ontology.rdf_write import write_turtle

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=10
)
LABELS = st.builds(
    Label,
    TEXTS,
    st.sampled_from(["", "zh", "en", "zh-hant-tw"]),
    st.sampled_from(["alternative", "hidden"]),
)
DEGREES = st.sampled_from([None, 0.1, 1 / 3, 1.0, 5e-324])
RELATIONS = st.builds(
    Relation,
    st.sampled_from(["urn:a", "urn:b"]),
    st.sampled_from(list(RelationKind)),
    st.sampled_from(["urn:c", "10.20"]),
    DEGREES,
)


def in_reading_order(labels: list[Label]) -> tuple[Label, ...]:
    by_text = {(label.text, label.language): label for label in labels}
    kinds = ["preferred", "alternative", "hidden"]
    return tuple(sorted(by_text.values(), key=lambda x: (kinds.index(x.kind), x.language, x.text)))


@settings(max_examples=100, deadline=None)
@given(labels=st.lists(LABELS, max_size=4), relations=st.lists(RELATIONS, max_size=5))
def test_a_written_graph_reads_back_equal(labels: list[Label], relations: list[Relation]) -> None:
    # One direction only: reading cuts cycles, which is tested elsewhere.
    downward = {RelationKind.HAS, RelationKind.IS_A, RelationKind.SYNONYM}
    graph = ConceptGraph(
        [Concept("urn:a", in_reading_order(labels)), *map(Concept, ["urn:b", "urn:c", "10.20"])],
        [relation for relation in relations if relation.kind in downward],
    )

    ontology = read_rdf(write_turtle(graph).encode())

    assert ontology.graph() == graph
    assert ontology.ignored == ()


def test_upward_degrees_and_the_title_are_kept() -> None:
    graph = ConceptGraph(
        [Concept("urn:a", (Label("a", "en"),)), Concept("urn:b"), Concept("urn:c")],
        [
            Relation("urn:a", RelationKind.KIND_OF, "urn:b", 0.3),
            Relation("urn:b", RelationKind.IS_A, "urn:a", 0.9),
            Relation("urn:c", RelationKind.ONE_OF, "urn:b", 0.2),
        ],
    )

    ontology = read_rdf(write_turtle(graph, title='电脑 "1"').encode())

    assert ontology.title == '电脑 "1"'
    assert ontology.graph() == graph


@pytest.mark.parametrize("text", ['"', "\\", "\\u0041", '"""', "a'b", "#", "𠮷", "<b>", "\\n"])
def test_odd_characters_in_labels_are_escaped(text: str) -> None:
    graph = ConceptGraph([Concept("urn:a", (Label(text, "en"),))])

    assert read_rdf(write_turtle(graph).encode()).graph() == graph


@pytest.mark.parametrize("name", ["urn:a>b", "urn:a b", 'urn:"', "urn:\\", "urn:电脑"])
def test_an_odd_id_cannot_break_the_file(name: str) -> None:
    graph = ConceptGraph([Concept(name, (Label("a"),)), Concept("urn:z")])

    assert "urn:z" in {c.id for c in read_rdf(write_turtle(graph).encode()).concepts}


def test_equal_graphs_give_the_same_text() -> None:
    one = ConceptGraph([Concept("urn:b"), Concept("urn:a")])
    other = ConceptGraph([Concept("urn:a"), Concept("urn:b")])

    assert write_turtle(one) == write_turtle(other)
