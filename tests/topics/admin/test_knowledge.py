"""Ontologies by hand in the administration."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from crawler.models import Concept, Ontology, Relation
from tests.topics.factories import NOON, person, topic_of
from tests.topics.profile.test_ontologies import machines as machines
from tests.topics.profile.test_ontologies import read
from topics.models import Topic
from topics.profile import concepts, ontologies
from topics.profile.crawl import save_crawl


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
    assert "CPU" not in [
        b.term.text for b in concepts.expanded_labels(topic) if b.term.degree == 0.5
    ]
    save_crawl(topic, NOON)
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
def test_an_impossible_relation_is_reported_and_not_saved(
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
    save_crawl(topic, NOON)
    desk.post(f"/admin/crawler/concept/{concept('urn:cpu').pk}/delete/", {"post": "yes"})
    crawl = Topic.objects.get(pk=topic.pk).crawl
    assert crawl is not None
    assert "CPU" not in [c.text for c in crawl.profile.concepts]


@pytest.mark.parametrize("path", ["ontology/", "ontology/add/", "concept/", "concept/?q=笔记本"])
def test_the_pages_open(desk: Client, machines: Ontology, path: str) -> None:
    assert desk.get(f"/admin/crawler/{path}").status_code == 200


# --- Owners -------------------------------------------------------------------------------------


@pytest.fixture
def bobs(bob: User, machines: Ontology) -> Ontology:
    """Bob's ontology; the other one is shared and has no owner."""
    return ontologies.save_ontology(read(), "Secret plans", NOON, owner=bob)[0]


@pytest.fixture
def anns_desk(client: Client, ann: User) -> Client:
    """Ann may do everything with ontologies in the administration that staff can do."""
    ann.is_staff = True
    ann.save()
    models = ("ontology", "concept", "label", "relation")
    ann.user_permissions.set(Permission.objects.filter(content_type__model__in=models))
    client.force_login(ann)
    return client


ONTOLOGY = {"title": "Machines", "slug": "machines"}


def test_staff_see_no_ontology_of_others_unless_it_is_shared(
    anns_desk: Client, bobs: Ontology
) -> None:
    secret = bobs.concepts.get(iri="urn:cpu")
    for path in ("ontology/", "concept/", "concept/?q=CPU"):
        assert "Secret plans" not in anns_desk.get(f"/admin/crawler/{path}").content.decode()
    for path in (f"ontology/{bobs.pk}", f"concept/{secret.pk}"):
        for page in ("change", "delete", "history"):
            answer = anns_desk.get(f"/admin/crawler/{path}/{page}/")
            assert answer.headers["Location"] == "/admin/"
    more = {"app_label": "crawler", "model_name": "relation", "field_name": "target", "term": "CPU"}
    found = anns_desk.get("/admin/autocomplete/", more).json()["results"]
    assert str(secret.pk) not in [row["id"] for row in found]


@pytest.mark.parametrize(
    ("typed", "stored"), [("EN", "en"), ("zh_CN", "zh-cn"), ("zh-Hant", "zh-hant")]
)
def test_the_language_of_a_label_is_stored_as_files_give_it(
    desk: Client, ann: User, machines: Ontology, typed: str, stored: str
) -> None:
    topic = topic_of(ann, languages="zh, en")
    cpu = concept("urn:cpu")
    number = cpu.labels.count()
    label = {f"labels-{number}-text": "heart", f"labels-{number}-language": typed}

    assert change(desk, cpu, **label, **{"relations-TOTAL_FORMS": 0}).status_code == 302

    assert cpu.labels.get(text="heart").language == stored
    concepts.attach(topic, cpu)
    assert "heart" in [brought.term.text for brought in concepts.expanded_labels(topic)]


def test_a_label_is_refused_twice_however_its_language_is_written(
    desk: Client, machines: Ontology
) -> None:
    cpu = concept("urn:cpu")
    first = cpu.labels.order_by("pk")[0]
    number = cpu.labels.count()
    label = {
        f"labels-{number}-text": first.text,
        f"labels-{number}-language": first.language.upper(),
    }

    assert change(desk, cpu, **label, **{"relations-TOTAL_FORMS": 0}).status_code == 200


def test_staff_change_nothing_of_a_shared_ontology(anns_desk: Client, machines: Ontology) -> None:
    cpu = concept("urn:cpu")
    before = machines.graph()
    assert change(anns_desk, cpu, **{"labels-0-text": "spoilt"}).status_code == 403
    paths = f"concept/{cpu.pk}", f"ontology/{machines.pk}"
    for path in paths:
        assert anns_desk.get(f"/admin/crawler/{path}/change/").status_code == 200
        answer = anns_desk.post(f"/admin/crawler/{path}/delete/", {"post": "yes"})
        assert answer.status_code == 403
    assert anns_desk.post(f"/admin/crawler/{paths[1]}/change/", ONTOLOGY).status_code == 403
    for kind, pk in (("concept", cpu.pk), ("ontology", machines.pk)):
        chosen = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
        assert anns_desk.post(f"/admin/crawler/{kind}/", chosen).status_code == 403
    added = form(cpu, ontology=machines.pk, iri="urn:new")
    added |= {"labels-INITIAL_FORMS": 0, "relations-TOTAL_FORMS": 0}
    assert anns_desk.post("/admin/crawler/concept/add/", added).status_code == 200
    assert Ontology.objects.get().graph() == before


def test_what_staff_make_is_theirs(anns_desk: Client, ann: User, bobs: Ontology) -> None:
    forged = ONTOLOGY | {"slug": bobs.slug, "owner": bobs.owner_id}
    assert anns_desk.post("/admin/crawler/ontology/add/", forged).status_code == 302
    made = Ontology.objects.get(owner=ann)
    assert (made.slug, made.shared) == (bobs.slug, False)
    again = anns_desk.post("/admin/crawler/ontology/add/", forged)
    assert "The owner already has an ontology with this short name" in again.content.decode()


@pytest.mark.parametrize("page", ["change", "delete"])
def test_the_administration_warns_of_topics_that_use_it(
    desk: Client, bob: User, machines: Ontology, page: str
) -> None:
    concepts.attach(topic_of(bob, name="Secret topic"), concept("urn:cpu"))
    for path in (f"concept/{concept('urn:cpu').pk}", f"ontology/{machines.pk}"):
        html = desk.get(f"/admin/crawler/{path}/{page}/").content.decode()
        assert "Machines: 1 topic uses it (people: 1)." in html
        assert "Secret topic" not in html


def test_deleting_in_the_administration_is_reported(
    desk: Client, bob: User, machines: Ontology
) -> None:
    topic = topic_of(bob)
    for iri in ("urn:cpu", "urn:laptop"):
        concepts.attach(topic, concept(iri))
    save_crawl(topic, NOON)
    desk.post(f"/admin/crawler/concept/{concept('urn:cpu').pk}/delete/", {"post": "yes"})
    assert [(n.what, n.lost) for n in topic.ontology_notices.all()] == [("changed", ["CPU"])]
    desk.post(f"/admin/crawler/ontology/{machines.pk}/delete/", {"post": "yes"})
    crawl = Topic.objects.get(pk=topic.pk).crawl
    assert crawl is not None and crawl.profile.concepts == ()
    assert topic.ontology_notices.get(what="deleted").lost == ["laptop"]


def test_taking_the_share_away_in_the_administration_is_reported(
    desk: Client, bob: User, machines: Ontology
) -> None:
    topic = topic_of(bob)
    concepts.attach(topic, concept("urn:cpu"))
    desk.post(f"/admin/crawler/ontology/{machines.pk}/change/", ONTOLOGY)
    assert not topic.concepts.exists()
    assert topic.ontology_notices.get().what == "hidden"
