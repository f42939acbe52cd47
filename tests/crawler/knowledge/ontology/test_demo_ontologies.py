"""The two ontologies that the demo topics use."""

from pathlib import Path

import pytest

from crawler.knowledge.ontology.expansion import expand
from crawler.knowledge.ontology.matching import ConceptMatcher
from crawler.knowledge.ontology.parsed_ontology import ParsedOntology
from crawler.knowledge.ontology.rdf import read_rdf
from crawler.knowledge.ontology.rdf_write import write_turtle
from crawler.text.tokens import tokenize

FOLDER = Path(__file__).parents[4] / "fixtures" / "ontologies"
NAMES = ["computing", "power-grid"]


def load(name: str) -> ParsedOntology:
    return read_rdf((FOLDER / f"{name}.ttl").read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_every_concept_has_a_chinese_and_an_english_name(name: str) -> None:
    ontology = load(name)

    assert len(ontology.concepts) >= 75
    for concept in ontology.concepts:
        preferred = sorted(x.language for x in concept.labels if x.kind == "preferred")
        assert preferred == ["en", "zh"], concept.id


@pytest.mark.parametrize("name", NAMES)
def test_every_relation_was_understood(name: str) -> None:
    ontology = load(name)

    assert set(ontology.relations_per_kind) == {"has", "is_a", "synonym"}
    assert ontology.cut == ()
    assert [x.what for x in ontology.ignored] == ["http://purl.org/dc/terms/description"]


@pytest.mark.parametrize("name", NAMES)
def test_every_concept_is_related_to_another(name: str) -> None:
    graph = load(name).graph()

    assert [c for c in graph.concepts if not graph.edges(c)] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_label_names_two_concepts(name: str) -> None:
    owners: dict[tuple[str, ...], str] = {}
    for concept in load(name).concepts:
        for label in concept.labels:
            key = tuple(tokenize(label.text))
            assert key, label
            assert owners.setdefault(key, concept.id) == concept.id, label


@pytest.mark.parametrize("name", NAMES)
def test_it_survives_export_and_import(name: str) -> None:
    graph = load(name).graph()

    assert read_rdf(write_turtle(graph).encode()).graph() == graph


@pytest.mark.parametrize(
    ("name", "topic", "page"),
    [
        ("computing", "computer", "这款笔记本换了新的中央处理器和固態硬碟"),
        ("computing", "电脑", "Notebook computers with a faster CPU and more RAM"),
        ("power-grid", "power grid", "国家电网的特高压输电线路与变电站"),
        ("power-grid", "电网", "Substations, HVDC lines and grid dispatch"),
    ],
)
def test_a_topic_in_one_language_finds_pages_in_the_other(name: str, topic: str, page: str) -> None:
    terms = expand(load(name).graph(), [topic])
    matcher = ConceptMatcher((term.concept, term.text) for term in terms)

    assert len(matcher.present(tokenize(page))) >= 2
