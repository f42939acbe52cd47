"""A topic from words alone, for every user who is signed in."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from crawler.models import Concept, Label, Ontology, Run
from tests.topics.factories import NOON, tight, topic_of
from topics.models import Topic
from topics.runs.wish import typed_terms, written_seeds

FORM = {"words": "smart meters, 智能电表", "terms": ["smart meters", "智能电表"], "zone": "UTC"}


@pytest.fixture(autouse=True)
def reachable(settings: Settings) -> None:
    settings.CONTACT_URL = "https://example.org/me"
    settings.SEARXNG_URL = ""


def send(client: Client, **more: Any) -> Any:
    return client.post("/new-topic/", FORM | {"places": "https://a.test/"} | more)


def meters(owner: User | None, *, shared: bool = True) -> None:
    """An ontology with one concept that has names in two languages."""
    ontology = Ontology.objects.create(
        owner=owner, slug="grid", title="Grid words", shared=shared, changed=NOON
    )
    concept = Concept.objects.create(ontology=ontology, iri="urn:meter")
    for text, language in (("smart meters", "en"), ("智能电表", "zh"), ("AMI meter", "en")):
        Label.objects.create(concept=concept, text=text, language=language)


def test_the_list_of_topics_asks_everybody_what_to_follow(as_ann: Client) -> None:
    html = tight(as_ann.get("/").content.decode())
    assert "What do you want to follow?" in html
    assert '<form class="wish" action="/new-topic/">' in html


def test_a_topic_is_made_of_words_and_starts_at_once(as_ann: Client, ann: User) -> None:
    answer = send(as_ann)
    topic = Topic.objects.get(owner=ann)
    assert answer.headers["Location"] == topic.get_absolute_url()
    assert topic.name == "smart meters, 智能电表"
    assert topic.seeds == "https://a.test/"
    assert [term.text for term in topic.terms.order_by("pk")] == ["smart meters", "智能电表"]
    assert Run.objects.get(crawl=topic.crawl).ended is None


def test_no_staff_rights_are_needed(as_ann: Client, ann: User) -> None:
    assert not ann.is_staff
    assert send(as_ann).status_code == 302


def test_the_words_come_along_as_terms(as_ann: Client) -> None:
    html = tight(as_ann.get("/new-topic/?words=smart+meters，储能").content.decode())
    assert 'value="smart meters，储能"' in html
    assert html.count('type="checkbox" name="terms"') == 2


def test_other_names_of_a_concept_are_suggested(as_ann: Client, ann: User) -> None:
    meters(ann)
    html = as_ann.get("/new-topic/?words=smart+meters").content.decode()
    assert "智能电表 (from Grid words)" in html
    send(as_ann, words="smart meters", terms=["smart meters", "智能电表"])
    assert Topic.objects.get().concepts.count() == 1


def test_a_private_ontology_of_somebody_else_suggests_nothing(as_ann: Client, bob: User) -> None:
    meters(bob, shared=False)
    assert "Grid words" not in as_ann.get("/new-topic/?words=smart+meters").content.decode()


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"words": ""}, "Write what you want to follow, in a few words."),
        ({"words": "🙂"}, "Write what you want to follow, in a few words."),
        ({"places": ""}, "no search engine is set up"),
        ({"places": "htp:/nope"}, "Line 1: not an http or https URL: htp:/nope"),
        ({"places": "https://a.test/ https://b.test:99/"}, "Line 2: allowed ports are 80"),
        ({"zone": "Mars/Phobos"}, "“Mars/Phobos” is not a time zone."),
    ],
)
def test_every_mistake_is_named_at_once(as_ann: Client, form: dict[str, str], told: str) -> None:
    answer = send(as_ann, **form)
    assert answer.status_code == 200
    assert told in answer.content.decode()
    assert not Topic.objects.exists()


def test_a_missing_contact_address_is_named_before_anything_is_saved(
    as_ann: Client, settings: Settings
) -> None:
    settings.CONTACT_URL = ""
    assert "Set FOCUSWEB_CONTACT_URL" in send(as_ann).content.decode()
    assert not Topic.objects.exists()
    assert not Run.objects.exists()


def test_with_a_search_engine_words_are_enough(as_ann: Client, settings: Settings) -> None:
    settings.SEARXNG_URL = "http://search.test/search"
    assert send(as_ann, places="").status_code == 302
    assert Topic.objects.get().queries == "smart meters, 智能电表"


def test_a_second_topic_of_the_same_words_gets_a_short_name_of_its_own(
    as_ann: Client, ann: User
) -> None:
    topic_of(ann, "smart-meters-智能电表")
    send(as_ann)
    assert Topic.objects.filter(slug="smart-meters-智能电表-2").exists()


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("", []),
        ("smart meters", ["smart meters"]),
        ("CPU, cpu，缓存、 内存;", ["CPU", "缓存", "内存"]),
        ("🙂, a", ["a"]),
    ],
)
def test_commas_part_the_terms(typed: str, terms: list[str]) -> None:
    assert typed_terms(typed) == terms


@pytest.mark.parametrize(
    ("pasted", "seeds"),
    [
        ("", ""),
        ("www.example.org", "https://www.example.org"),
        ("http://a.test/ b.test\n c.test/x", "http://a.test/\nhttps://b.test\nhttps://c.test/x"),
        ("<opml></opml>", "<opml></opml>"),
    ],
)
def test_places_are_parted_and_get_a_scheme(pasted: str, seeds: str) -> None:
    assert written_seeds(pasted) == seeds
