"""The extract of a page is of the article, has the topic's words marked, and escapes markup."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.models import Harvest, Link, Page, Url
from crawler.models.web import pack_text
from tests.topics.factories import NOON, explanation, person, scene_of, tight
from topics.models import TopicFigures
from topics.pages.extracts import (
    TopicWords,
    _remembered,
    extract_of,
    mark_words,
    quotes_of,
    stored_quotes,
)
from topics.pages.rows import shown_pages

pytestmark = pytest.mark.django_db

TEXT = """Chips
The weather was fine and many people came to see the fair on the island.
A cache keeps <b>what a computer</b> has read lately close to where it is needed.
Nobody knows how long the fair will last, or what comes after it this year."""


def test_words_are_marked_as_written_whatever_their_form() -> None:
    fragment = mark_words("Computers & caches: 计算机 works.", {"comput": 1.0, "计算机": 0.5})

    assert [one.text for one in fragment.pieces if one.is_marked] == ["Computers", "计算机"]
    assert str(fragment) == "Computers & caches: 计算机 works."


def test_a_page_without_text_has_no_extract() -> None:
    assert extract_of("", "", TopicWords({"comput": 1.0})).pieces == ()


def harvest_of(text: str, **more: Any) -> Harvest:
    """A kept page of some text, not saved."""
    url = Url(url="https://a.test/")
    url.page = Page(packed_text=pack_text(text), **more)
    return Harvest(url=url, explanation=explanation())


def test_pages_that_say_different_things_have_their_own_extracts() -> None:
    lines = [f"A cache of kind {n} is here.\nThe fair on the island was small." for n in range(3)]
    pages, words = [harvest_of(text) for text in lines], TopicWords({"cach": 1.0})

    shown = [str(quotes_of(page, words).extract) for page in [*pages, *pages]]

    assert shown == [f"A cache of kind {n} is here." for n in range(3)] * 2
    code = harvest_of(lines[0], line_kinds="cp")
    assert str(quotes_of(code, words).extract) != shown[0], "code is not quoted"


TEXT_OF_CACHES = "A cache is here.\nThe fair on the island was small, and nobody saw a CPU there."


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (harvest_of(TEXT_OF_CACHES.replace("cache", "small cache")), {"cach": 1.0}),
        (harvest_of(TEXT_OF_CACHES, line_kinds="cp"), {"cach": 1.0}),
        (harvest_of(TEXT_OF_CACHES), {"fair": 1.0}),
        (harvest_of(TEXT_OF_CACHES, title="Cpu or cpu"), {"cach": 1.0}),
    ],
    ids=["text", "kinds of lines", "topic", "title"],
)
def test_stored_quotes_of_what_has_changed_since_are_not_shown(
    changed: Harvest, words: dict[str, float]
) -> None:
    before = harvest_of(TEXT_OF_CACHES)
    stored = {
        key: [[("stored", False)], [("stored", "")]]
        for key in stored_quotes([before], TopicWords({"cach": 1.0}))
    }
    _remembered.clear()
    kept = quotes_of(before, TopicWords({"cach": 1.0}), stored)

    made = quotes_of(changed, TopicWords(words), stored)

    assert (str(kept.extract), kept.terms) == ("stored", (("stored", ""),))
    assert "stored" not in str(made.extract) and ("stored", "") not in made.terms


def test_stored_quotes_are_what_would_be_made() -> None:
    page, words = harvest_of(TEXT_OF_CACHES), TopicWords({"cach": 1.0, "fair": 0.5})
    stored = json.loads(json.dumps(stored_quotes([page], words)))
    made = quotes_of(page, words)
    _remembered.clear()

    read = quotes_of(page, words, stored)

    assert read == made and read is not made and len(stored) == 1


def test_the_extract_follows_the_words_the_topic_has_now() -> None:
    scene = scene_of(person())
    harvest = scene.page("https://a.test/1", "Chips", text=TEXT)
    Page.objects.update(line_kinds="hppp")
    [first] = shown_pages(scene.crawl, [harvest], NOON)
    scene.crawl.profile_json |= {"name": "weather"}
    [second] = shown_pages(scene.crawl, [harvest], NOON)

    assert str(first.extract).startswith("A cache keeps <b>what a computer</b>")
    assert str(second.extract).startswith("The weather was fine")


@pytest.fixture
def reader(client: Client) -> tuple[Client, User]:
    user = person()
    client.force_login(user)
    return client, user


def test_lists_show_the_extract_escaped_and_marked(reader: tuple[Client, User]) -> None:
    client, user = reader
    scene = scene_of(user)
    harvest = scene.page("https://a.test/1", "Chips", text=TEXT)
    Page.objects.update(line_kinds="hppp", language="en", byline="Ann Lee")
    lists = client.get(f"/topics/{scene.topic.slug}/known/").content.decode()
    detail = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()

    for html in (lists, detail):
        assert "&lt;b&gt;what a <mark>computer</mark>&lt;/b&gt;" in html
        assert '<p class="snippet' in tight(html) and ' lang="en">' in html
    assert "Ann Lee" in detail
    assert "<p>The weather was fine and many people" in detail
    assert "front page or list" not in lists + detail


def test_a_front_page_is_named_as_one(reader: tuple[Client, User]) -> None:
    client, user = reader
    scene = scene_of(user)
    harvest = scene.page("https://a.test/1", "Chips", text=TEXT)
    Page.objects.update(flags="no_article,links_cut")
    lists = client.get(f"/topics/{scene.topic.slug}/known/").content.decode()
    detail = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()

    assert "front page or list" in lists and "front page or list" in detail


def test_the_topic_page_says_how_many_pages_are_still_stored_whole(
    reader: tuple[Client, User],
) -> None:
    client, user = reader
    scene = scene_of(user)
    for number in range(3):
        scene.page(f"https://a.test/{number}", "Chips", text=TEXT)
    address = f"/topics/{scene.topic.slug}/"
    assert "menus and sidebars" not in client.get(address).content.decode()
    Page.objects.filter(url__url__in=["https://a.test/1", "https://a.test/2"]).update(
        reader_version=None
    )
    TopicFigures.objects.forget(scene.crawl)

    assert "2 stored pages still include menus" in client.get(address).content.decode()


def test_sites_that_only_name_a_page_in_their_menus_do_not_link_to_it(
    reader: tuple[Client, User],
) -> None:
    client, user = reader
    scene = scene_of(user)
    harvest = scene.page("https://a.test/1", "Chips", text=TEXT)
    for source in ("https://votes.test/", "https://menu.test/"):
        scene.entry(source)
        scene.link(source, "https://a.test/1")
    Link.objects.filter(source__url="https://menu.test/").update(in_frame=True)
    html = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()

    assert "votes.test" in html and "menu.test" not in html


def test_code_in_a_stored_article_keeps_its_lines(reader: tuple[Client, User]) -> None:
    client, user = reader
    scene = scene_of(user)
    text = "Chips\nA program:\nif a < b:\n    swap()\none\ntwo"
    harvest = scene.page("https://a.test/1", "Chips", text=text)
    Page.objects.update(line_kinds="hpccll")
    html = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()

    assert '<pre tabindex="0">if a &lt; b:\n    swap()</pre>' in html
    assert "<ul><li>one</li><li>two</li></ul>" in tight(html)
