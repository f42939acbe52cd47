"""The concepts of a topic, and the ontologies that they come from."""

from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from crawler.models import Concept, Label, Ontology
from tests.topics.factories import NOON, Scene
from tests.topics.profile.test_ontologies import TURTLE, read
from tests.topics.views.test_knowledge_pages import said
from topics.models import SwitchedOffTerm, TopicTerm
from topics.profile import concepts, ontologies


@pytest.fixture
def machines(pages: Scene) -> Ontology:
    return ontologies.save_ontology(read(), "Machines", NOON, owner=None)[0]


def test_an_attached_concept_shows_what_it_brings(as_ann: Client, machines: Ontology) -> None:
    html = said(as_ann.post("/topics/chips/concepts/", {"name": "電腦"}, follow=True))
    assert "笔记本" in html and 'computer <span class="quiet">has part</span> CPU' in html


def test_a_name_that_no_concept_has_is_refused(as_ann: Client, machines: Ontology) -> None:
    answer = as_ann.post("/topics/chips/concepts/", {"name": "teapot"})
    assert answer.status_code == 422 and "No ontology has a concept with this name" in said(answer)


def test_labels_in_no_language_of_the_topic_are_refused(
    as_ann: Client, pages: Scene, machines: Ontology
) -> None:
    pages.topic.languages = "fi"
    pages.topic.save()
    answer = as_ann.post("/topics/chips/concepts/", {"name": "laptop"})
    assert answer.status_code == 422 and "so no label would match" in said(answer)


def test_concepts_that_terms_name_are_attached_together_and_detached(
    as_ann: Client, pages: Scene, machines: Ontology
) -> None:
    TopicTerm.objects.create(topic=pages.topic, text="laptops")
    as_ann.post(f"/topics/chips/concepts/named/{machines.pk}")
    attached = pages.topic.concepts.get()
    assert attached.concept.iri == "urn:laptop"
    as_ann.post(f"/topics/chips/concepts/{attached.pk}/remove")
    assert not pages.topic.concepts.exists()


def test_a_brought_term_is_switched_off_and_on(
    as_ann: Client, pages: Scene, machines: Ontology
) -> None:
    concepts.attach(pages.topic, Concept.objects.get(iri="urn:laptop"))
    switch = "/topics/chips/concepts/switch"
    html = said(as_ann.post(switch, {"text": "笔记本", "on": "0"}, follow=True))
    assert '<tr class="off"> <th scope="row" lang="zh">笔记本' in html
    as_ann.post("/topics/chips/concepts/switch", {"text": "笔记本", "on": "1"})
    assert not SwitchedOffTerm.objects.exists()


@pytest.fixture
def editor(as_ann: Client, ann: User) -> Client:
    ann.user_permissions.add(Permission.objects.get(codename="add_ontology"))
    return as_ann


def upload(client: Client, data: bytes, name: str = "", file: str = "x.ttl") -> Any:
    stream = BytesIO(data)
    stream.name = file
    return client.post("/ontologies/upload", {"file": stream, "name": name})


def test_an_ontology_is_shown_before_it_is_saved(editor: Client, db: None) -> None:
    circle = TURTLE + "<urn:cpu> dcterms:hasPart <urn:computer> ; <urn:odd> 1 ."
    shown = upload(editor, circle.encode(), file="../../" + "n" * 400 + "/CON.zip")
    html = said(shown)
    assert "Machines" in html and "中文 3" in html and "an unsupported predicate" in html
    assert 'CPU <span class="quiet">has part</span> computer' in html
    assert not Ontology.objects.exists()
    token = shown.context["token"]
    assert "is saved. 12 rows changed." in said(
        editor.post("/ontologies/save", {"token": token}, follow=True)
    )
    assert "kept for an hour only" in said(
        editor.post("/ontologies/save", {"token": token}, follow=True)
    )


@pytest.mark.parametrize(
    ("data", "name", "complaint"),
    [
        (b"", "x", "The file contains no concept"),
        (b"PK\x03\x04", "x", "Unpack archives first"),
        (TURTLE.encode()[:-40], "x", "is incomplete"),
        (TURTLE.encode("utf-16"), "x", "UTF-8"),
        (b'{"@context": "http://127.0.0.1:9/", "@id": "u:a"}', "x", "FocusWeb does not fetch"),
        (TURTLE.encode(), "…", "at least one letter"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    editor: Client, db: None, data: bytes, name: str, complaint: str
) -> None:
    answer = upload(editor, data, name)
    assert answer.status_code == 422 and complaint in said(answer)
    assert not Ontology.objects.exists()


def test_only_who_may_can_import(as_ann: Client, db: None) -> None:
    assert upload(as_ann, TURTLE.encode()).status_code == 403
    assert as_ann.post("/ontologies/save", {"token": "x"}).status_code == 403
    assert "Preview" not in said(as_ann.get("/ontologies/"))


def test_the_export_is_turtle(as_ann: Client, machines: Ontology) -> None:
    answer = as_ann.get(f"/ontologies/{machines.pk}/export")
    assert answer.headers["Content-Type"] == "text/turtle"
    assert read(answer.content.decode()).graph() == machines.graph()


def test_a_file_that_gives_itself_no_name_goes_by_its_own(editor: Client) -> None:
    unnamed = b'<urn:c> <http://www.w3.org/2004/02/skos/core#prefLabel> "Cell"@en .'
    assert "<h1>power plants</h1>" in said(upload(editor, unnamed, file="power_plants.nt"))
    assert "<h1>Plants</h1>" in said(upload(editor, unnamed, "Plants", file="power_plants.nt"))


def test_many_terms_are_folded_until_one_was_switched(
    as_ann: Client, pages: Scene, machines: Ontology
) -> None:
    page = "/topics/chips/concepts/"
    concepts.attach(pages.topic, Concept.objects.get(iri="urn:laptop"))
    assert '<details class="rest" id="terms" open>' in said(as_ann.get(page))

    laptop = Concept.objects.get(iri="urn:laptop")
    Label.objects.bulk_create(
        Label(concept=laptop, text=f"portable {number}", language="en") for number in range(40)
    )
    machines.revision = uuid4()
    machines.save()
    assert '<details class="rest" id="terms">' in said(as_ann.get(page))

    answer = as_ann.post(f"{page}switch", {"text": "portable 7", "on": "0"})
    assert answer.headers["Location"] == f"{page}?terms=1#terms"
    assert '<details class="rest" id="terms" open>' in said(as_ann.get(f"{page}?terms=1"))
