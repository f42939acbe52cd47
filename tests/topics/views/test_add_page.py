"""A page from elsewhere, added to a topic through the bookmarklet."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.models import Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from crawler.store.labels import load_labels
from tests.topics.factories import scene_of, topic_of
from topics.models import ExamplePage, Topic


@pytest.fixture
def topic(ann: User) -> Topic:
    return topic_of(ann, "meters")


def test_the_bookmarklet_brings_url_and_title_to_the_form(as_ann: Client, topic: Topic) -> None:
    address = "/add-page/?url=https://a.test/1&title=%3Cscript%3E"
    html = as_ann.get(address).content.decode()
    assert 'value="https://a.test/1"' in html
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    [link] = re.findall(r'href="(javascript:[^"]+)"', html)
    assert "'http://testserver/add-page/?url='+" in unescape(link)


def test_a_page_becomes_a_seed(as_ann: Client, topic: Topic) -> None:
    before = topic.seeds
    sent = {"url": "a.test/1", "topic": topic.slug, "use": "seed"}
    assert as_ann.post("/add-page/", sent).headers["Location"].endswith("/sources/")
    topic.refresh_from_db()
    assert topic.seeds == f"{before}\nhttps://a.test/1".strip()


def test_a_page_becomes_an_example(as_ann: Client, topic: Topic) -> None:
    sent = {"url": "https://a.test/1", "topic": topic.slug, "use": "example"}
    assert as_ann.post("/add-page/", sent).headers["Location"].endswith("/examples/")
    assert ExamplePage.objects.get().url == "https://a.test/1"


def test_a_stored_page_that_becomes_an_example_counts_at_once(as_ann: Client, ann: User) -> None:
    scene = scene_of(ann)
    page = scene.page("https://a.test/1", "Meters")
    Page.objects.filter(pk=page.url_id).update(packed_terms=pack_terms(text_terms("meters")))

    sent = {"url": "https://a.test/1", "topic": scene.topic.slug, "use": "example"}
    as_ann.post("/add-page/", sent)

    assert [(row.page, row.good) for row in load_labels(scene.crawl)] == [(page.url_id, True)]


def test_a_page_begins_a_new_topic(as_ann: Client) -> None:
    sent = {"url": "https://a.test/1", "topic": "+", "use": "seed"}
    answer = as_ann.post("/add-page/", sent, follow=True)
    assert "https://a.test/1</textarea>" in answer.content.decode()


@pytest.mark.parametrize("url", ["javascript:alert(1)", "", "ftp://a.test/"])
def test_what_is_no_page_is_refused(as_ann: Client, topic: Topic, url: str) -> None:
    sent = {"url": url, "topic": topic.slug, "use": "seed"}
    assert as_ann.post("/add-page/", sent).status_code == 200
    assert not ExamplePage.objects.exists()


def test_the_topic_of_somebody_else_cannot_be_chosen(as_ann: Client, bob: User) -> None:
    sent = {"url": "https://a.test/1", "topic": topic_of(bob, "bobs").slug, "use": "seed"}
    assert "Select a valid choice" in as_ann.post("/add-page/", sent).content.decode()
