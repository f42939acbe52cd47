"""A topic from words alone, for every user who is signed in."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from crawler.models import Concept, Label, Ontology, Run
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.topics.factories import NOON, tight, topic_of
from topics.models import Topic
from topics.runs.new_topic import typed_terms
from topics.runs.topic_templates import CARDS, TopicTemplate

FORM = {"words": "smart meters, 智能电表", "terms": ["smart meters", "智能电表"], "zone": "UTC"}


def answer(request: Request) -> Response:
    """All sites of the world: some forbid everything, some have no robots.txt or lack a page."""
    if request.target not in ("/robots.txt", "/missing"):
        return Response(200, b"<html><body>A page")
    if request.host == "shy.test":
        return Response(200, b"User-agent: *\nDisallow: /private")
    return Response(503 if request.host == "down.test" else 404)


@pytest.fixture(autouse=True)
def reachable(settings: Settings) -> Iterator[None]:
    settings.CONTACT_URL = "https://example.org/me"
    settings.SEARXNG_URL = ""
    with LoopbackServer(answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        yield


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
    assert '<form class="topic-words" action="/new-topic/">' in html


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
    topic = Topic.objects.get()
    assert topic.concepts.count() == 1
    # A name in another language finds starting pages that the words alone do not.
    assert topic.queries == "smart meters\n智能电表"


def test_a_private_ontology_of_somebody_else_suggests_nothing(as_ann: Client, bob: User) -> None:
    meters(bob, shared=False)
    assert "Grid words" not in as_ann.get("/new-topic/?words=smart+meters").content.decode()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"words": ""}, "Write what you want to follow, in a few words."),
        ({"words": "🙂"}, "Write what you want to follow, in a few words."),
        ({"words": "the of"}, "“the of” has only words that are too common or too short"),
        ({"words": "Go", "terms": ["Go"]}, "“Go” has only words that are too common or too short"),
        ({"places": ""}, "Add a URL to start from, or choose a search provider."),
        ({"search_urls": "https://a.test/?q="}, "Line 1: neither a search URL with"),
        ({"search_urls": "ftp://a.test/{searchTerms}"}, "Line 1: neither a search URL with"),
        ({"search_urls": "https://{searchTerms}/"}, "Line 1: neither a search URL with"),
        ({"searches": "unheard-of"}, "Select a valid choice."),
        ({"places": "http://127.0.0.1/"}, "points to a private network"),
        ({"places": "https://down.test/"}, "robots.txt could not be read"),
        ({"places": "https://shy.test/private/1"}, "robots.txt asks not to fetch this page"),
        ({"places": "htp:/nope"}, "Line 1: not an http or https URL: htp:/nope"),
        ({"places": "https://a.test/ https://b.test:99/"}, "Line 1: allowed ports are 80"),
        ({"zone": "Mars/Phobos"}, "“Mars/Phobos” is not a time zone."),
    ],
)
def test_every_mistake_is_named_at_once(as_ann: Client, form: dict[str, str], message: str) -> None:
    answer = send(as_ann, **form)
    assert answer.status_code == 200
    assert message in answer.content.decode()
    assert not Topic.objects.exists()


def test_a_missing_contact_address_is_named_before_anything_is_saved(
    as_ann: Client, settings: Settings
) -> None:
    settings.CONTACT_URL = settings.CONNECT_TO = ""
    html = send(as_ann, zone="Mars/Phobos").content.decode()
    assert "Set FOCUSWEB_CONTACT_URL" in html
    assert "is not a time zone" in html
    assert not Topic.objects.exists()
    assert not Run.objects.exists()


def test_with_a_search_engine_words_are_enough(as_ann: Client, settings: Settings) -> None:
    settings.SEARXNG_URL = "http://search.test/search"
    assert send(as_ann, places="").status_code == 302
    assert Topic.objects.get().queries == "smart meters\n智能电表"


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


def test_two_addresses_on_a_line_and_one_without_a_scheme_are_seeds(as_ann: Client) -> None:
    send(as_ann, places="http://a.test/ b.test\n c.test:8080/x")
    seeds = "http://a.test/\nhttps://b.test/\nhttps://c.test:8080/x"
    assert Topic.objects.get().seeds == seeds


def test_a_seed_that_does_not_answer_is_a_warning_that_can_be_overridden(as_ann: Client) -> None:
    html = send(as_ann, places="https://down.test/").content.decode()
    assert "Start anyway" in html
    assert (
        "Start anyway" not in send(as_ann, places="https://down.test/", words="").content.decode()
    )
    assert send(as_ann, places="https://down.test/", anyway="1").status_code == 302
    assert Topic.objects.get().seeds == "https://down.test/"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "https://a.test/missing: The page does not exist (any more)."),
        ("zh-hans", "https://a.test/missing：网页不存在（或已被删除）。"),
    ],
)
def test_a_seed_that_answers_404_is_named_before_the_run(
    as_ann: Client, language: str, said: str
) -> None:
    places = "https://a.test/missing https://a.test/"
    as_ann.cookies["django_language"] = language
    html = send(as_ann, places=places).content.decode()
    assert said in html
    assert html.count("https://a.test/: ") == 0
    assert not Topic.objects.exists()
    assert send(as_ann, places=places, anyway="1").status_code == 302


def test_a_missing_seed_is_named_beside_one_that_is_not_a_url(as_ann: Client) -> None:
    html = send(as_ann, places="htp:/no https://a.test/missing").content.decode()
    assert "not an http or https URL: htp:/no" in html
    assert "https://a.test/missing: The page does not exist" in html
    assert "Start anyway" not in html


def test_a_seed_that_needs_the_missing_contact_page_is_a_warning_where_a_search_can_start(
    as_ann: Client, settings: Settings
) -> None:
    settings.CONTACT_URL, settings.SEARXNG_URL = "", "http://search.test/search"
    html = send(as_ann, places="https://a.example.org/").content.decode()
    assert "https://a.example.org/: No contact URL is set." in html
    assert "Start anyway" in html
    assert not Topic.objects.exists()


def test_the_page_says_what_each_provider_would_be_asked(as_ann: Client) -> None:
    html = as_ann.get("/new-topic/?words=smart+meters").content.decode()
    assert "https://api.crossref.org/works?query=smart%20meters" in html
    assert html.count("terms of use") == 7
    assert 'value="crossref"' in html
    assert not re.search(r'name="searches"[^>]*checked', html)


def test_providers_that_were_ticked_are_stored_with_the_topic(as_ann: Client) -> None:
    forum = "https://forum.test/search.json?q={searchTerms}"
    send(as_ann, places="", searches=["arxiv", "crossref"], search_urls=forum)
    assert Topic.objects.get().search_list() == ["arxiv", "crossref", forum]


def test_who_has_not_seen_the_terms_has_not_turned_them_down(as_ann: Client) -> None:
    send(as_ann, terms=[])
    assert Topic.objects.get().terms.count() == 2


def test_terms_that_were_cleared_stay_out(as_ann: Client) -> None:
    html = as_ann.get("/new-topic/?words=smart+meters").content.decode()
    assert "If you choose no terms, the words above define the topic." in html
    send(as_ann, terms=[], offered="1")
    assert not Topic.objects.get().terms.exists()


@pytest.mark.parametrize("card", CARDS)
def test_a_template_ticks_its_providers_and_brings_its_settings(
    as_ann: Client, card: TopicTemplate
) -> None:
    html = as_ann.get(f"/new-topic/?card={card.key}").content.decode()
    ticked = re.findall(r'name="searches" value="([a-z-]+)"[^>]* checked', html)
    assert set(ticked) == set(card.searches)
    assert f'name="card" value="{card.key}"' in html

    assert send(as_ann, card=card.key, searches=card.searches).status_code == 302
    topic = Topic.objects.get()
    assert topic.search_list() == list(card.searches)
    assert all(getattr(topic, name) == value for name, value in card.settings.items())


def test_six_templates_are_offered_until_words_are_typed(as_ann: Client) -> None:
    assert as_ann.get("/new-topic/").content.decode().count("/new-topic/?card=") == 6
    assert "?card=" not in as_ann.get("/new-topic/?words=x").content.decode()
