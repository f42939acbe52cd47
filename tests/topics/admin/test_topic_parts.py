"""Terms, concepts and example pages in a topic's form of the administration."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from crawler.models import Concept, Label, Ontology
from tests.topics.admin.test_topics import ADD, FORM, errors
from tests.topics.factories import NOON
from topics.models import ExamplePage, Topic


@pytest.fixture
def desk(client: Client, ann: User) -> Client:
    """Ann may work with all there is in the administration, without the rights of a superuser."""
    ann.is_staff = True
    ann.save()
    ann.user_permissions.set(Permission.objects.all())
    client.force_login(ann)
    return client


def concept_of(owner: User | None, language: str = "en") -> Concept:
    ontology = Ontology.objects.create(
        owner=owner, slug=f"grid-{language}", title="Grid", changed=NOON
    )
    concept = Concept.objects.create(ontology=ontology, iri="urn:meter")
    Label.objects.create(concept=concept, text="smart meter", language=language)
    return concept


def with_example(**fields: Any) -> dict[str, Any]:
    rows = {f"examples-0-{name}": value for name, value in fields.items()}
    return FORM | {"examples-TOTAL_FORMS": "1", "examples-0-good": "on"} | rows


def test_a_concept_is_attached_with_the_topic(desk: Client, ann: User) -> None:
    concept = concept_of(ann)
    sent = FORM | {"concepts-TOTAL_FORMS": "1", "concepts-0-concept": concept.pk}
    assert desk.post(ADD, sent).status_code == 302
    topic = Topic.objects.get()
    assert topic.crawl is not None
    assert [one.text for one in topic.crawl.profile.concepts] == ["smart meter"]


def test_a_concept_in_no_language_of_the_topic_is_refused(desk: Client, ann: User) -> None:
    concept = concept_of(ann, "de")
    sent = FORM | {"concepts-TOTAL_FORMS": "1", "concepts-0-concept": concept.pk}
    assert "so no label would match" in errors(desk.post(ADD, sent))


def test_a_concept_of_somebody_elses_ontology_cannot_be_chosen(desk: Client, bob: User) -> None:
    concept = concept_of(bob)
    sent = FORM | {"concepts-TOTAL_FORMS": "1", "concepts-0-concept": concept.pk}
    assert "Select a valid choice" in errors(desk.post(ADD, sent))


def test_examples_are_a_url_or_a_text(desk: Client) -> None:
    assert desk.post(ADD, with_example(url="HTTPS://a.test/1#x")).status_code == 302
    example = ExamplePage.objects.get()
    assert (example.url, example.state) == ("https://a.test/1", "waiting")

    other = with_example(text="A smart meter counts energy.") | {"slug": "other"}
    assert desk.post(ADD, other).status_code == 302
    example = ExamplePage.objects.get(topic__slug="other")
    assert (example.title, example.state) == ("A smart meter counts energy.", "read")
    assert len(example.packed_terms) > 0


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"url": "ftp://a.test/"}, "not an http or https URL"),
        ({"text": "…"}, "contains no words"),
        ({"url": "https://a.test/", "text": "Both."}, "not both"),
    ],
)
def test_an_example_that_cannot_be_read_is_refused(
    desk: Client, fields: dict[str, str], message: str
) -> None:
    assert message in errors(desk.post(ADD, with_example(**fields)))
    assert not Topic.objects.exists()


def test_of_a_stored_example_only_its_kind_changes(desk: Client) -> None:
    desk.post(ADD, FORM)
    topic = Topic.objects.get()
    example = ExamplePage.objects.create(topic=topic, url="https://a.test/1", created=NOON)
    sent = with_example(id=example.pk, url="https://evil.test/") | {"examples-INITIAL_FORMS": "1"}
    del sent["examples-0-good"]
    desk.post(f"/admin/topics/topic/{topic.pk}/change/", sent | {"terms-TOTAL_FORMS": "0"})
    example.refresh_from_db()
    assert (example.url, example.good) == ("https://a.test/1", False)


def test_every_field_has_a_label_and_the_defaults_are_folded(desk: Client) -> None:
    html = desk.get(ADD).content.decode()
    fields = re.findall(r"<(?:input|select|textarea)[^>]*>", html)
    shown = [field for field in fields if 'type="hidden"' not in field and "submit" not in field]
    labelled = set(re.findall(r'<label[^>]* for="([^"]+)"', html))
    bare = [
        field
        for field in shown
        if "aria-label=" not in field
        and not ((match := re.search(r' id="([^"]+)"', field)) and match[1] in labelled)
    ]
    assert bare == []
    assert html.count("<details>") >= 4
