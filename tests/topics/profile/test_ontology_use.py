"""Ontologies of several people: each keeps their own, and gets notices of others' changes."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client

from crawler.models import Concept, Ontology
from tests.topics.factories import NOON, person, topic_of
from tests.topics.profile.test_ontologies import TURTLE, read
from tests.topics.views.test_concept_pages import upload
from tests.topics.views.test_knowledge_pages import said
from topics.models import AttachedConcept, OntologyNotice, Topic, TopicTerm
from topics.profile import concepts, ontologies, suggest
from topics.profile.crawl import save_crawl
from topics.profile.ontology_use import use_of

WITHOUT_CPU = TURTLE.partition("<urn:cpu> a")[0].replace("; dcterms:hasPart <urn:cpu>", "")
ONE_CONCEPT = '<urn:z> <http://www.w3.org/2004/02/skos/core#prefLabel> "zebra"@en .'


@pytest.fixture
def anns(ann: User) -> Ontology:
    """Ann's ontology, shared."""
    ontology = ontologies.save_ontology(read(), "Machines", NOON, owner=ann)[0]
    ontologies.set_shared(ontology, True, NOON)
    return ontology


@pytest.fixture
def bobs(bob: User, anns: Ontology) -> Topic:
    """Bob's topic, which uses two concepts of Ann's ontology."""
    topic = topic_of(bob, name="Bob's secret plan")
    for iri in ("urn:laptop", "urn:cpu"):
        concepts.attach(topic, Concept.objects.get(ontology=anns, iri=iri))
    save_crawl(topic, NOON)
    return topic


def may_add(user: User) -> User:
    user.user_permissions.add(Permission.objects.get(codename="add_ontology"))
    return user


def import_as(client: Client, text: str, name: str) -> Any:
    """Upload a file and save what was shown; the page that was shown."""
    shown = upload(client, text.encode(), name)
    client.post("/ontologies/save", {"token": shown.context["token"]})
    return shown


def attached(topic: Topic) -> list[str]:
    return sorted(topic.concepts.values_list("concept__iri", flat=True))


def words(topic: Topic) -> set[str]:
    crawl = Topic.objects.get(pk=topic.pk).crawl
    assert crawl is not None
    return {found.text for found in crawl.profile.concepts}


# --- Names ------------------------------------------------------------------------------------


def test_a_name_of_somebody_else_is_an_ontology_of_its_own(
    client: Client, bob: User, bobs: Topic, anns: Ontology
) -> None:
    eve = may_add(person("eve"))
    client.force_login(eve)

    html = said(import_as(client, ONE_CONCEPT, "Machines"))

    assert "You already have an ontology with this name" not in html
    assert Ontology.objects.count() == 2
    assert Ontology.objects.get(owner=eve).concepts.count() == 1
    assert anns.graph() == read().graph()
    assert attached(bobs) == ["urn:cpu", "urn:laptop"]
    assert not OntologyNotice.objects.exists()


def test_an_imported_ontology_is_ones_own_until_it_is_shared(
    client: Client, ann: User, bob: User
) -> None:
    client.force_login(may_add(ann))
    import_as(client, TURTLE, "Machines")
    ontology = Ontology.objects.get()
    assert (ontology.owner, ontology.shared) == (ann, False)
    client.post(f"/ontologies/{ontology.pk}/share", {"shared": "1"})
    client.force_login(bob)
    html = said(client.get("/ontologies/"))
    assert "Machines" in html and "Export as Turtle" in html
    assert "Stop sharing" not in html and "Delete" not in html


# --- Changes ------------------------------------------------------------------------------------


def test_who_replaces_it_is_reported_how_many_use_it_and_no_name(
    client: Client, ann: User, bobs: Topic
) -> None:
    topic_of(person("eve"), "eves")
    client.force_login(may_add(ann))

    html = said(upload(client, WITHOUT_CPU.encode(), "Machines"))

    assert "You already have an ontology with this name" in html
    assert "1 topic uses it (people: 1)." in html and "secret" not in html
    assert attached(bobs) == ["urn:cpu", "urn:laptop"]


def test_a_replaced_ontology_keeps_what_it_still_has_and_says_what_is_gone(
    client: Client, ann: User, bob: User, bobs: Topic
) -> None:
    client.force_login(may_add(ann))
    import_as(client, WITHOUT_CPU, "Machines")
    import_as(client, WITHOUT_CPU + "<urn:laptop> skos:altLabel 'lap'@en .", "Machines")

    assert attached(bobs) == ["urn:laptop"]
    assert "处理器" not in words(bobs) and "lap" in words(bobs)
    client.force_login(bob)
    html = said(client.get(bobs.get_absolute_url()))
    assert "The ontology “Machines”, which this topic uses, was changed." in html
    assert "Concepts removed from this topic: CPU." in html
    notice = OntologyNotice.objects.get()
    assert client.post(f"/topics/chips/ontology-notices/{notice.pk}/read").status_code == 302
    assert "was changed" not in said(client.get(bobs.get_absolute_url()))


def test_a_topic_that_lost_all_its_concepts_forgets_their_words(
    ann: User, bobs: Topic, anns: Ontology
) -> None:
    assert "笔记本" in words(bobs)
    ontologies.save_ontology(read(ONE_CONCEPT), "Machines", NOON, owner=ann)
    assert words(bobs) == set() and attached(bobs) == []
    assert OntologyNotice.objects.get().lost == ["laptop", "CPU"]


def test_a_notice_is_for_the_owner_of_its_topic(
    client: Client, ann: User, bobs: Topic, anns: Ontology
) -> None:
    ontologies.save_ontology(read(ONE_CONCEPT), "Machines", NOON, owner=ann)
    pk = OntologyNotice.objects.get().pk
    topic_of(ann)
    client.force_login(ann)
    assert client.post(f"/topics/chips/ontology-notices/{pk}/read").status_code == 404
    assert OntologyNotice.objects.exists()


def test_the_same_file_again_tells_nobody(ann: User, bobs: Topic, anns: Ontology) -> None:
    ontologies.save_ontology(read(), "Machines", NOON, owner=ann)
    assert not OntologyNotice.objects.exists()


def test_ones_own_change_is_reported_only_where_a_concept_was_lost(
    ann: User, anns: Ontology
) -> None:
    topic = topic_of(ann)
    concepts.attach(topic, Concept.objects.get(iri="urn:cpu"))
    more = TURTLE + "<urn:cpu> skos:altLabel 'chip'@en ."
    ontologies.save_ontology(read(more), "Machines", NOON, owner=ann)
    assert not OntologyNotice.objects.exists()
    ontologies.save_ontology(read(WITHOUT_CPU), "Machines", NOON, owner=ann)
    assert OntologyNotice.objects.get().lost == ["CPU"]


def test_deleting_is_confirmed_and_reported(
    client: Client, ann: User, bob: User, bobs: Topic, anns: Ontology
) -> None:
    own = topic_of(ann)
    concepts.attach(own, Concept.objects.get(iri="urn:cpu"))
    client.force_login(ann)
    html = said(client.get(f"/ontologies/{anns.pk}/delete"))
    assert "2 topics use it (people: 2)." in html and "secret" not in html
    assert Ontology.objects.exists()

    client.post(f"/ontologies/{anns.pk}/delete")

    assert not Ontology.objects.exists()
    assert words(bobs) == set()
    client.force_login(bob)
    html = said(client.get(bobs.get_absolute_url()))
    assert "The ontology “Machines”, which this topic uses, was deleted." in html
    assert "Concepts removed from this topic: laptop, CPU." in html


def test_what_is_not_shared_any_more_leaves_the_topics_of_others(
    client: Client, ann: User, bobs: Topic, anns: Ontology
) -> None:
    own = topic_of(ann)
    concepts.attach(own, Concept.objects.get(iri="urn:cpu"))
    client.force_login(ann)
    assert "1 topic uses it (people: 1)." in said(client.get(f"/ontologies/{anns.pk}/share"))

    client.post(f"/ontologies/{anns.pk}/share")

    assert attached(own) == ["urn:cpu"]
    assert attached(bobs) == [] and words(bobs) == set()
    assert [(n.topic, n.what) for n in OntologyNotice.objects.all()] == [(bobs, "hidden")]


def test_the_use_counts_topics_and_people(bobs: Topic, anns: Ontology) -> None:
    second = topic_of(bobs.owner, "second")
    concepts.attach(second, Concept.objects.get(iri="urn:laptop"))
    use = use_of(anns)
    assert (len(use.topics), use.n_people) == (2, 1)
    assert use.beside(bobs.owner).topics == ()


# --- A copy of one's own --------------------------------------------------------------------------


def test_a_shared_ontology_can_be_copied_and_the_copy_changed(
    client: Client, bob: User, anns: Ontology
) -> None:
    client.force_login(may_add(bob))

    client.post(f"/ontologies/{anns.pk}/copy")
    client.post(f"/ontologies/{anns.pk}/copy")

    copy, second = Ontology.objects.filter(owner=bob).order_by("pk")
    assert (copy.title, second.title) == ("Machines", "Machines (2)")
    assert copy.graph() == second.graph() == anns.graph()
    assert not copy.shared
    assert list(Ontology.objects.editable_by(bob)) == [copy, second]
    copy.delete()
    assert anns.concepts.count() == second.concepts.count() == 3


def test_who_may_not_see_or_add_an_ontology_cannot_copy_it(
    client: Client, bob: User, anns: Ontology
) -> None:
    client.force_login(bob)
    assert client.post(f"/ontologies/{anns.pk}/copy").status_code == 403

    ontologies.set_shared(anns, False, NOON)
    client.force_login(may_add(person("eve")))
    assert client.post(f"/ontologies/{anns.pk}/copy").status_code == 404
    assert Ontology.objects.get() == anns


# --- What is not shared is not there --------------------------------------------------------------


@pytest.fixture
def hidden(ann: User) -> Ontology:
    return ontologies.save_ontology(read(), "Machines", NOON, owner=ann)[0]


def test_what_is_not_shared_is_found_offered_and_suggested_to_nobody_else(
    client: Client, bob: User, hidden: Ontology
) -> None:
    topic = topic_of(bob)
    TopicTerm.objects.create(topic=topic, text="laptop")
    client.force_login(bob)

    answer = client.post("/topics/chips/concepts/", {"name": "laptop"})

    assert answer.status_code == 422 and "No ontology has a concept with this name" in said(answer)
    assert "Machines" not in said(client.get("/topics/chips/concepts/"))
    assert "笔记本" not in [found.text for found in suggest.suggestions(topic)]
    assert not AttachedConcept.objects.exists()


def test_an_ontology_whose_owner_is_gone_is_for_administrators(
    ann: User, bob: User, hidden: Ontology
) -> None:
    ann.delete()
    root = person("root", is_superuser=True)
    assert list(Ontology.objects.visible_to(bob)) == []
    assert list(Ontology.objects.editable_by(root)) == [hidden]


# --- Commands -----------------------------------------------------------------------------------


def test_the_command_imports_for_a_person_and_warns(
    tmp_path: Path, ann: User, bobs: Topic, anns: Ontology, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "machines.ttl"
    file.write_text(WITHOUT_CPU, "utf-8")

    with pytest.raises(CommandError, match="add --yes"):
        call_command("ontology_import", str(file), "--owner", "ann")

    assert "Topics of others that use it: 1; people: 1" in capsys.readouterr().out
    assert attached(bobs) == ["urn:cpu", "urn:laptop"]
    call_command("ontology_import", str(file), "--owner", "ann", "--yes")
    assert attached(bobs) == ["urn:laptop"]
    call_command("ontology_import", str(file), "--owner", "bob", "--shared")
    assert Ontology.objects.get(owner__username="bob").shared
    with pytest.raises(CommandError, match="name one of ann/machines, bob/machines"):
        call_command("ontology_export", "machines")
    call_command("ontology_export", "bob/machines")
