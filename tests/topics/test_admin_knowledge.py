"""Ontologies by hand in the administration."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.models import Concept, Ontology, Relation
from tests.topics.factories import NOON, person, topic_of
from tests.topics.test_ontologies import machines as machines
from topics import concepts, runs
from topics.models import Topic


@pytest.fixture
def desk(client: Client, db: None) -> Client:
    client.force_login(person("root", is_staff=True, is_superuser=True))
    return client


def concept(iri: str) -> Concept:
    return Concept.objects.get(iri=iri)


def form(of: Concept, **more: Any) -> dict[str, Any]:
    """What the administration's page of a concept sends, with one new label and relation."""
    labels = list(of.labels.order_by("pk"))
    data: dict[str, Any] = {"ontology": of.ontology_id, "iri": of.iri}
    data |= {"labels-TOTAL_FORMS": len(labels) + 1, "labels-INITIAL_FORMS": len(labels)}
    for number, label in enumerate(labels):
        data |= {
            f"labels-{number}-id": label.pk,
            f"labels-{number}-concept": of.pk,
            f"labels-{number}-text": label.text,
            f"labels-{number}-language": label.language,
            f"labels-{number}-kind": label.kind,
        }
    data |= {f"labels-{len(labels)}-kind": "preferred"}
    data |= {"relations-TOTAL_FORMS": 1, "relations-INITIAL_FORMS": 0}
    data |= {"relations-0-kind": "synonym", "relations-0-degree": "0.5"}
    return data | more


def change(desk: Client, of: Concept, **more: Any) -> Any:
    return desk.post(f"/admin/crawler/concept/{of.pk}/change/", form(of, **more))


def test_a_relation_made_by_hand_reaches_the_topics(
    desk: Client, ann: User, machines: Ontology
) -> None:
    topic = topic_of(ann)
    concepts.attach(topic, concept("urn:laptop"))
    assert "CPU" not in [b.term.text for b in concepts.brought_terms(topic) if b.term.degree == 0.5]
    runs.save_crawl(topic, NOON)
    target = {"relations-0-target": concept("urn:cpu").pk}
    assert change(desk, concept("urn:laptop"), **target).status_code == 302
    crawl = Topic.objects.get(pk=topic.pk).crawl
    assert crawl is not None
    assert {c.text: c.degree for c in crawl.profile.concepts}["CPU"] == 0.5


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({}, "cannot be related to itself"),
        ({"relations-0-degree": "nan"}, "Enter a number."),
        ({"relations-0-degree": "1.2"}, "A degree is a number above 0"),
    ],
)
def test_an_impossible_relation_is_told_and_not_saved(
    desk: Client, machines: Ontology, wrong: dict[str, str], complaint: str
) -> None:
    laptop = concept("urn:laptop")
    answer = change(desk, laptop, **{"relations-0-target": laptop.pk} | wrong)
    assert answer.status_code == 200
    assert complaint in answer.content.decode()
    assert Relation.objects.count() == 2


def test_deleting_a_concept_reaches_the_topics(desk: Client, ann: User, machines: Ontology) -> None:
    topic = topic_of(ann)
    concepts.attach(topic, concept("urn:computer"))
    runs.save_crawl(topic, NOON)
    desk.post(f"/admin/crawler/concept/{concept('urn:cpu').pk}/delete/", {"post": "yes"})
    crawl = Topic.objects.get(pk=topic.pk).crawl
    assert crawl is not None
    assert "CPU" not in [c.text for c in crawl.profile.concepts]


@pytest.mark.parametrize("path", ["ontology/", "ontology/add/", "concept/", "concept/?q=笔记本"])
def test_the_pages_open(desk: Client, machines: Ontology, path: str) -> None:
    assert desk.get(f"/admin/crawler/{path}").status_code == 200
