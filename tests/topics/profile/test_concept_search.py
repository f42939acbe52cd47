"""Concepts by a part of a name, and all that stands below one left out."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.models import Concept, Label, Ontology, Relation
from tests.topics.factories import NOON, Scene, tight
from topics.models import SwitchedOffTerm
from topics.profile import concepts
from topics.profile.concept_search import search_concepts


@pytest.fixture
def tree(scene: Scene) -> dict[str, Concept]:
    """Machine > computer > laptop, each narrower one stated from another side, and a ring."""
    ontology = Ontology.objects.create(
        owner=None, slug="m", title="Machines", shared=True, changed=NOON
    )
    found = {}
    for name in ("machine", "computer", "laptop", "ring one", "ring two"):
        found[name] = Concept.objects.create(ontology=ontology, iri=f"urn:{name}")
        Label.objects.create(concept=found[name], text=name, language="en")
    for source, kind, target in (
        ("machine", Relation.Kind.IS_A, "computer"),
        ("laptop", Relation.Kind.KIND_OF, "computer"),
        ("ring one", Relation.Kind.KIND_OF, "ring two"),
        ("ring two", Relation.Kind.KIND_OF, "ring one"),
    ):
        Relation.objects.create(source=found[source], kind=kind, target=found[target])
    return found


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("comp", [("computer", ("machine",), ("laptop",))]),
        ("LAPTOP", [("laptop", ("machine", "computer"), ())]),
        ("ring o", [("ring one", ("ring two",), ("ring two",))]),
        ("teapot", []),
        ("  ", []),
    ],
)
def test_a_part_of_a_name_finds_concepts_in_their_tree(
    scene: Scene, tree: dict[str, Concept], words: str, rows: list[object]
) -> None:
    found = search_concepts(scene.topic, words, Ontology.objects.all(), "en")
    assert [(one.name, one.above, one.below) for one in found] == rows


def test_private_ontologies_of_others_are_not_searched(
    as_ann: Client, scene: Scene, tree: dict[str, Concept], bob: User
) -> None:
    Ontology.objects.update(owner=bob, shared=False)
    html = as_ann.get("/topics/chips/concepts/?find=comp").content.decode()
    assert "No concept has such a name." in html
    sent = {"concept": tree["computer"].pk}
    assert as_ann.post("/topics/chips/concepts/", sent).status_code == 404


def test_one_concept_is_attached_from_the_list(
    as_ann: Client, scene: Scene, tree: dict[str, Concept]
) -> None:
    html = tight(as_ann.get("/topics/chips/concepts/?find=comp").content.decode())
    assert f'name="concept" value="{tree["computer"].pk}"' in html
    as_ann.post("/topics/chips/concepts/", {"concept": tree["computer"].pk})
    assert scene.topic.concepts.get().concept == tree["computer"]


def test_none_below_leaves_the_concepts_own_names(
    as_ann: Client, scene: Scene, tree: dict[str, Concept]
) -> None:
    concepts.attach(scene.topic, tree["machine"])
    row = scene.topic.concepts.get()

    def terms() -> set[str]:
        return {one.term.text for one in concepts.expanded_labels(scene.topic)}

    everything = terms()
    assert {"machine", "computer"} <= everything
    as_ann.post(f"/topics/chips/concepts/{row.pk}/below", {"on": "0"})
    assert terms() == {"machine"}
    as_ann.post(f"/topics/chips/concepts/{row.pk}/below", {"on": "1"})
    assert terms() == everything
    assert not SwitchedOffTerm.objects.exists()
