"""Ontologies: imported whole or not at all, changed only where they differ, and given back."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from crawler.knowledge.ontology.parsed_ontology import ParsedOntology
from crawler.knowledge.ontology.rdf import read_rdf
from crawler.models import Concept, Label, Ontology, Relation
from crawler.sandbox.ontology_reader import read_ontology
from tests.topics.factories import NOON, person, topic_of
from topics.errors import TopicError
from topics.models import Topic, TopicTerm
from topics.profile import concepts, ontologies
from topics.profile.crawl import save_crawl

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "ontologies"

TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
<urn:scheme> a skos:ConceptScheme ; dcterms:title "Machines"@en .
<urn:computer> a skos:Concept ; skos:prefLabel "computer"@en , "电脑"@zh ;
    skos:narrower <urn:laptop> ; dcterms:hasPart <urn:cpu> .
<urn:laptop> a skos:Concept ; skos:prefLabel "laptop"@en , "笔记本"@zh ;
    skos:altLabel "notebook computer"@en .
<urn:cpu> a skos:Concept ; skos:prefLabel "CPU"@en , "处理器"@zh .
"""


def read(text: str = TURTLE) -> ParsedOntology:
    return read_rdf(text.encode())


@pytest.fixture
def machines(db: None) -> Ontology:
    return ontologies.save_ontology(read(), "Machines", NOON, owner=None)[0]


def concept(iri: str) -> Concept:
    return Concept.objects.get(iri=iri)


def row_counts() -> tuple[int, ...]:
    return tuple(m._default_manager.count() for m in (Ontology, Concept, Label, Relation))


# --- Saving -----------------------------------------------------------------------------------


def test_what_was_read_is_what_is_stored(machines: Ontology) -> None:
    assert machines.graph() == read().graph()


def test_a_large_ontology_is_stored_with_one_statement_for_each_table(
    db: None, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    prefix, narrower = TURTLE.partition("<urn:scheme>")[0], "<urn:a0> skos:narrower <urn:a%d> ."
    names = [f'<urn:a{n}> a skos:Concept ; skos:prefLabel "name {n}"@en .' for n in range(2000)]
    large = read("\n".join([prefix, *names, *(narrower % n for n in range(1, 2000))]))

    # Others wait to write until all is stored.
    with django_assert_max_num_queries(20):
        stored, changes = ontologies.save_ontology(large, "Large", NOON, owner=None)

    assert changes.total == 5999
    assert stored.graph() == large.graph()


def test_the_same_file_again_changes_no_row(machines: Ontology) -> None:
    before = list(Label.objects.values_list("pk", flat=True))
    again, changes = ontologies.save_ontology(read(), " machines ", NOON, owner=None)
    assert (again, changes.total) == (machines, 0)
    assert again.revision == machines.revision
    assert list(Label.objects.values_list("pk", flat=True)) == before


def test_another_file_of_the_same_name_changes_only_what_differs(machines: Ontology) -> None:
    kept = concept("urn:laptop").pk
    other = read(TURTLE.replace('"CPU"@en , ', "").replace("notebook computer", "portable"))
    planned = ontologies.planned_changes(other, machines)
    changes = ontologies.save_ontology(other, "Machines", NOON, owner=None)[1]
    assert planned == changes
    assert (changes.labels_added, changes.labels_removed, changes.total) == (1, 2, 3)
    assert concept("urn:laptop").pk == kept


def test_a_concept_that_is_gone_from_the_file_goes_with_its_labels(machines: Ontology) -> None:
    fewer = TURTLE.partition("<urn:cpu> a")[0].replace("; dcterms:hasPart <urn:cpu>", "")
    ontologies.save_ontology(read(fewer), "Machines", NOON, owner=None)
    assert row_counts() == (1, 2, 5, 1)


def test_an_import_that_fails_half_way_leaves_nothing(db: None) -> None:
    whole = read()
    broken = ParsedOntology(
        whole.title,
        whole.concepts[:2],
        whole.relations,  # one of them leads to a concept that is not there
        *(whole.n_triples, {}, {}, (), ()),
    )
    with pytest.raises(KeyError):
        ontologies.save_ontology(broken, "Machines", NOON, owner=None)
    assert row_counts() == (0, 0, 0, 0)


@pytest.mark.parametrize("name", ["", "  ", "…", "！？"])
def test_an_ontology_needs_a_name_that_can_be_said(db: None, name: str) -> None:
    with pytest.raises(TopicError, match="needs a name"):
        ontologies.save_ontology(read(), name, NOON, owner=None)
    assert row_counts() == (0, 0, 0, 0)


@pytest.mark.parametrize("name", ["../../etc/passwd", "CON", "x" * 4096, "a\x00b\n"])
def test_odd_names_are_only_names(db: None, name: str) -> None:
    ontology = ontologies.save_ontology(read(), name, NOON, owner=None)[0]
    assert len(ontology.title) <= 200 and "/" not in ontology.slug and "\n" not in ontology.title


def test_the_export_reads_back_to_the_same_ontology(machines: Ontology) -> None:
    Relation.objects.filter(kind="has").update(degree=0.7)
    again = read(ontologies.export_turtle(machines))
    assert again.graph() == machines.graph()
    assert ontologies.planned_changes(again, machines).total == 0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"target": "urn:cpu"}, "target"),
        ({"degree": float("nan")}, "degree"),
        ({"degree": 0.0}, "degree"),
        ({"degree": 1.5}, "degree"),
        ({"degree": float("inf")}, "degree"),
    ],
)
def test_an_impossible_relation_is_refused_at_its_field(
    machines: Ontology, change: dict[str, Any], field: str
) -> None:
    values: dict[str, Any] = {"target": "urn:laptop", "degree": 0.5} | change
    relation = Relation(
        source=concept("urn:cpu"),
        kind="has",
        target=concept(values["target"]),
        degree=values["degree"],
    )
    with pytest.raises(ValidationError) as refusal:
        relation.full_clean()
    assert list(refusal.value.message_dict) == [field]


def test_even_the_table_holds_no_relation_to_itself(machines: Ontology) -> None:
    cpu = concept("urn:cpu")
    with pytest.raises(IntegrityError), transaction.atomic():
        Relation.objects.create(source=cpu, kind="has", target=cpu)


# --- Topics -------------------------------------------------------------------------------------


def english_topic(owner: User) -> Topic:
    topic = topic_of(owner, languages="en")
    TopicTerm.objects.create(topic=topic, text="laptops")
    return topic


def test_an_attached_concept_brings_terms_with_their_paths(machines: Ontology, ann: User) -> None:
    topic = topic_of(ann)
    assert concepts.attach(topic, concept("urn:computer"))
    brought = {b.term.text: b for b in concepts.expanded_labels(topic)}
    assert brought["电脑"].path_text == ""
    assert brought["CPU"].path_text == "computer → CPU"
    assert brought["CPU"].path == (("computer", "has", "CPU"),)
    assert brought["CPU"].term.degree == pytest.approx(0.6)


def test_a_topic_in_english_gets_the_chinese_labels_too(machines: Ontology, ann: User) -> None:
    topic = english_topic(ann)
    for named in concepts.named_concepts(topic, machines):
        concepts.attach(topic, named)
    crawl = save_crawl(topic, NOON)
    assert "笔记本" in [found.text for found in crawl.profile.concepts]


def test_a_term_that_is_switched_off_stays_off(machines: Ontology, ann: User) -> None:
    topic = topic_of(ann)
    concepts.attach(topic, concept("urn:computer"))
    concepts.switch_term(topic, "ＣＰＵ", on=False)
    assert "CPU" not in [b.term.text for b in concepts.expanded_labels(topic)]
    shown = concepts.expanded_labels(topic, with_switched_off=True)
    assert [b.term.text for b in shown if not b.is_on] == ["CPU"]
    concepts.switch_term(topic, "cpu", on=True)
    assert "CPU" in [b.term.text for b in concepts.expanded_labels(topic)]


def test_an_ontology_in_no_language_of_the_topic_is_refused(machines: Ontology, ann: User) -> None:
    topic = topic_of(ann, languages="fi, sv")
    with pytest.raises(ValidationError, match=r"en, zh\. This topic uses fi, sv"):
        concepts.attach(topic, concept("urn:cpu"))
    assert not topic.concepts.exists()


def test_topics_learn_of_a_changed_ontology(machines: Ontology, ann: User) -> None:
    topic = topic_of(ann)
    concepts.attach(topic, concept("urn:computer"))
    before = save_crawl(topic, NOON).version
    ontologies.save_ontology(
        read(TURTLE.replace("笔记本", "手提电脑")), "Machines", NOON, owner=None
    )
    topic.refresh_from_db()
    assert topic.crawl is not None and topic.crawl.version == before + 1
    assert "手提电脑" in [found.text for found in topic.crawl.profile.concepts]


def test_a_topic_that_did_not_change_is_not_described_anew(machines: Ontology, ann: User) -> None:
    topic = topic_of(ann)
    concepts.attach(topic, concept("urn:computer"))
    before = save_crawl(topic, NOON).version
    again = Topic.objects.get(pk=topic.pk)
    assert save_crawl(again, NOON).version == before


@pytest.mark.parametrize(("slug", "term"), [("computing", "笔记本"), ("power-grid", "电网")])
def test_a_sample_topic_gets_its_ontology(ann: User, slug: str, term: str) -> None:
    topic = topic_of(ann, slug, name=term)
    assert ontologies.attach_demo(topic, FIXTURES, NOON) > 0
    assert topic.crawl is not None
    assert len({found.concept for found in topic.crawl.profile.concepts}) > 5
    assert ontologies.attach_demo(topic, FIXTURES, NOON) == 0
    assert ontologies.attach_demo(topic_of(ann, "other"), FIXTURES, NOON) == 0


# --- Commands -----------------------------------------------------------------------------------


@pytest.fixture
def root(db: None) -> User:
    return person("root", is_superuser=True)


def test_the_commands_import_and_export(root: User, tmp_path: Path) -> None:
    file, out = tmp_path / "machines.ttl", StringIO()
    file.write_text(TURTLE + "<urn:cpu> dcterms:hasPart <urn:computer> .", "utf-8")
    call_command("ontology_import", str(file), "--preview", stdout=out)
    assert row_counts() == (0, 0, 0, 0)
    call_command("ontology_import", str(file), stdout=out)
    call_command("ontology_import", str(file), stdout=out)
    assert "cut: urn:cpu has urn:computer" in out.getvalue()
    assert "Saved as machines; changed 0 rows" in out.getvalue()
    turtle = StringIO()
    call_command("ontology_export", "machines", stdout=turtle)
    assert read(turtle.getvalue()).graph() == Ontology.objects.get().graph()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04zip", "zip"),
        (b"<urn:a> <urn:b> ", ""),
        (b"", ""),
        (b'{"@context": "http://127.0.0.1:9/c", "@id": "u:a"}', "context"),
    ],
)
def test_a_bad_file_is_refused_with_its_name(
    root: User, tmp_path: Path, data: bytes, said: str
) -> None:
    file = tmp_path / "machines.ttl"
    file.write_bytes(data)
    with pytest.raises(CommandError, match=rf"machines.ttl: (?i:.*{said})"):
        call_command("ontology_import", str(file))
    assert row_counts() == (0, 0, 0, 0)


def test_exporting_what_is_not_there_says_what_is(machines: Ontology) -> None:
    with pytest.raises(CommandError, match="there are: /machines"):
        call_command("ontology_export", "machine")


def test_the_child_process_reads_as_the_core_does() -> None:
    data = (FIXTURES / "computing.ttl").read_bytes()
    assert read_ontology(data) == read_rdf(data)


def test_copies_of_an_ontology_with_a_long_name_get_names_of_their_own(ann: User) -> None:
    title = "Semiconductor manufacturing " * 6  # its short name is cut
    ontology, _changes = ontologies.save_ontology(read(), title, NOON, owner=ann)

    copies = [ontologies.copy_ontology(ontology, NOON, owner=ann) for _ in range(10)]

    assert copies[0].title.endswith(" (2)") and copies[9].title.endswith(" (11)")
    for copy in copies:
        assert ontologies.find_ontology(copy.title, ann) == copy
