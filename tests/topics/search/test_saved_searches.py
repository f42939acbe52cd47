"""Saved searches: kept under a name, shown on the home page, read as a feed."""

import json
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from crawler.models import Harvest, Page
from tests.topics.search.conftest import NOON, Library
from topics.models import SavedSearch, Topic
from topics.pages.saved_searches import fitting
from topics.search.errors import QueryError
from topics.search.outbox import drain_all
from topics.search.store import IndexStore

HOSTILE = 'Grid <script>"&\x00\x0b\ufffe\u202e]]> grid'
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def ada(make_user: Callable[[str], User]) -> User:
    return make_user("ada")


@pytest.fixture
def bob(make_user: Callable[[str], User]) -> User:
    return make_user("bob")


@pytest.fixture
def saved(client: Client, library: Library, store: IndexStore, ada: User) -> SavedSearch:
    """A search of Ada's that finds two pages, one of them with a hostile title."""
    crawl = library.crawl("power", ada)
    library.page(crawl, "a", HOSTILE, HOSTILE)
    library.page(crawl, "b", "电网 grid", "grid")
    drain_all(60, store)
    client.force_login(ada)
    client.post(reverse("save_search"), {"q": "grid", "topic": "power", "name": "My grid"})
    return SavedSearch.objects.get()


def press(client: Client, saved: SavedSearch, button: str) -> int:
    address = reverse("change_saved_search", args=[saved.pk])
    return client.post(address, {"do": button}).status_code


def feed(saved: SavedSearch, kind: str, **headers: str) -> tuple[int, str, str]:
    """Read a feed as a stranger: status, text and ETag."""
    saved.refresh_from_db()
    address = reverse("feed", args=[saved.feed_key or "none", kind])
    response = Client().get(address, headers=headers)
    return response.status_code, response.content.decode(), response.headers.get("ETag", "")


def test_a_saved_search_keeps_what_its_address_says(client: Client, saved: SavedSearch) -> None:
    said = (saved.name, saved.query, saved.order, saved.without)

    assert said == ("My grid", "grid", "relevance", [])
    assert "?q=grid&amp;topic=power" in client.get(reverse("saved_searches")).content.decode()


def test_the_home_page_shows_how_many_pages_it_finds(client: Client, saved: SavedSearch) -> None:
    home = client.get(reverse("topic_list")).content.decode()
    assert "My grid" in home
    assert "2 pages" in home

    press(client, saved, "home")

    assert "My grid" not in client.get(reverse("topic_list")).content.decode()


def test_saving_under_the_same_name_replaces_it(client: Client, saved: SavedSearch) -> None:
    client.post(reverse("save_search"), {"q": "pylon", "name": "My grid", "order": "newest"})

    saved.refresh_from_db()
    assert (saved.query, saved.topic, saved.order) == ("pylon", None, "newest")


def test_a_broken_search_is_not_saved(client: Client, saved: SavedSearch) -> None:
    answer = client.post(reverse("save_search"), {"q": "a OR", "name": "x"}, follow=True)

    assert "At character 3" in answer.content.decode()
    assert SavedSearch.objects.count() == 1


def test_a_feed_has_an_address_only_after_it_was_made_and_until_it_is_ended(
    client: Client, saved: SavedSearch
) -> None:
    assert feed(saved, "atom")[0] == 404
    press(client, saved, "feed")
    assert feed(saved, "atom")[0] == 200
    old = SavedSearch.objects.get().feed_key
    press(client, saved, "feed")
    assert Client().get(reverse("feed", args=[old, "atom"])).status_code == 404
    press(client, saved, "no_feed")
    assert feed(saved, "atom")[0] == 404


def test_the_feeds_are_well_formed_whatever_titles_hold(client: Client, saved: SavedSearch) -> None:
    press(client, saved, "feed")

    atom = ElementTree.fromstring(feed(saved, "atom")[1])
    rss = ElementTree.fromstring(feed(saved, "rss")[1])
    parsed = json.loads(feed(saved, "json")[1])

    titles = {entry.findtext(f"{ATOM}title") for entry in atom.findall(f"{ATOM}entry")}
    assert titles == {'Grid <script>"&\u202e]]> grid', "电网 grid"}
    assert {item.findtext("title") for item in rss.iter("item")} == titles
    assert {item["title"] for item in parsed["items"]} == titles
    assert parsed["version"] == "https://jsonfeed.org/version/1.1"
    assert atom.findtext(f"{ATOM}title") == "My grid"


@pytest.mark.parametrize("kind", ["atom", "rss", "json"])
def test_a_feed_that_did_not_change_is_not_sent_again(
    client: Client, saved: SavedSearch, kind: str
) -> None:
    press(client, saved, "feed")
    status, _text, etag = feed(saved, kind)

    again = feed(saved, kind, if_none_match=etag)
    Page.objects.filter(title="电网 grid").update(title="Another grid")
    changed = feed(saved, kind, if_none_match=etag)

    assert (status, again[0], changed[0]) == (200, 304, 200)


def test_an_empty_feed_does_not_change(client: Client, saved: SavedSearch) -> None:
    SavedSearch.objects.update(query="absent")
    press(client, saved, "feed")

    assert feed(saved, "rss")[2] == feed(saved, "rss")[2]


def test_other_people_cannot_see_or_change_it(
    client: Client, saved: SavedSearch, bob: User
) -> None:
    client.force_login(bob)

    assert press(client, saved, "delete") == 404
    assert "My grid" not in client.get(reverse("saved_searches")).content.decode()
    assert client.post(reverse("save_search"), {"q": "a", "topic": "power"}).status_code == 404


@pytest.mark.parametrize("button", ["", "explode"])
def test_an_unknown_button_does_nothing(client: Client, saved: SavedSearch, button: str) -> None:
    assert press(client, saved, button) == 404


def test_it_can_be_deleted(client: Client, saved: SavedSearch) -> None:
    press(client, saved, "delete")

    assert not SavedSearch.objects.exists()


def test_the_feed_of_somebody_who_left_ends(client: Client, saved: SavedSearch, ada: User) -> None:
    press(client, saved, "feed")
    User.objects.filter(pk=ada.pk).update(is_active=False)

    assert feed(saved, "atom")[0] == 404


def fitting_titles(saved: SavedSearch, topic: str = "power") -> set[str]:
    keys = fitting(saved, Harvest.objects.kept(), Topic.objects.get(slug=topic), NOON)
    return set(Harvest.objects.filter(pk__in=keys).values_list("url__page__title", flat=True))


def test_a_page_fits_before_it_is_in_the_index(saved: SavedSearch, library: Library) -> None:
    crawl = Topic.objects.get(slug="power").crawl
    assert crawl is not None
    library.page(crawl, "c", "New grid", "Just fetched.")
    library.page(crawl, "d", "New pylon", "Just fetched.")
    library.page(crawl, "e", "Grid without index", "grid")
    Page.objects.filter(title="Grid without index").update(noindex=True)

    assert fitting_titles(saved) - {Page.objects.get(url__url__endswith="/a").title} == {
        *("电网 grid", "New grid")
    }


def test_only_pages_of_the_topic_fit_and_only_as_it_sees_them(
    saved: SavedSearch, library: Library, ada: User
) -> None:
    solar = library.crawl("solar", ada)
    Harvest.objects.create(
        crawl=solar,
        url=Page.objects.get(title="电网 grid").url,
        kept=True,
        score=0.9,
        first_seen=NOON,
    )
    wide = SavedSearch(owner=ada, name="wide", query="grid score:>0.7")

    assert fitting_titles(saved, "solar") == set(), "it looks in the topic power only"
    assert fitting_titles(wide, "solar") == {"电网 grid"}
    assert fitting_titles(wide, "power") == set()
    assert fitting_titles(SavedSearch(owner=ada, query="topic:power grid"), "solar") == set()


def test_nothing_of_another_person_fits(saved: SavedSearch, bob: User) -> None:
    assert fitting_titles(SavedSearch(owner=bob, query="grid")) == set()


def test_a_search_that_names_a_topic_that_is_gone_is_refused(saved: SavedSearch, ada: User) -> None:
    with pytest.raises(QueryError):
        fitting_titles(SavedSearch(owner=ada, query="grid topic:solar"))
