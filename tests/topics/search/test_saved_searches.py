"""Saved searches: kept under a name, with four uses."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from crawler.models import Harvest, Page, Story
from tests.topics.search.conftest import NOON, Library
from topics.delivery.rules.firing import fire_rule
from topics.delivery.sections import choose_pages, sections_of
from topics.feeds.addresses import renew_address
from topics.feeds.items import current_items
from topics.models import AlertRule, Digest, SavedSearch, Topic
from topics.models.searches import MAX_SAVED
from topics.pages.saved_searches import fitting
from topics.search.errors import QueryError
from topics.search.outbox import drain_all
from topics.search.store import IndexStore

NOW = datetime.now(UTC)
HOSTILE = 'Grid <script>"&\x00\x0b\ufffe\u202e]]> grid'


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


@pytest.mark.parametrize(
    ("form", "begins_anew"),
    [
        ({"q": "pylon", "topic": "power"}, True),
        ({"q": "grid"}, True),
        ({"q": "grid", "topic": "power", "without": "网"}, True),
        ({"q": "grid", "topic": "power", "order": "newest"}, False),
    ],
)
def test_a_rule_begins_anew_when_its_search_finds_other_pages(
    client: Client, saved: SavedSearch, ada: User, form: dict[str, str], begins_anew: bool
) -> None:
    AlertRule.objects.create(owner=ada, name="r", search=saved, begins=NOON, created=NOON)

    client.post(reverse("save_search"), {"name": "My grid", **form})

    assert (AlertRule.objects.get().begins > NOON) is begins_anew


def test_a_search_is_replaced_where_there_is_no_room_for_another(
    client: Client, saved: SavedSearch, ada: User
) -> None:
    SavedSearch.objects.bulk_create(
        SavedSearch(owner=ada, name=str(number), query="a", created=NOON)
        for number in range(MAX_SAVED - 1)
    )

    client.post(reverse("save_search"), {"q": "pylon", "name": "My grid"})
    answer = client.post(reverse("save_search"), {"q": "pylon", "name": "One more"}, follow=True)

    saved.refresh_from_db()
    assert saved.query == "pylon"
    assert "You have 100 saved searches." in answer.content.decode()
    assert SavedSearch.objects.count() == MAX_SAVED


def test_a_broken_search_is_not_saved(client: Client, saved: SavedSearch) -> None:
    answer = client.post(reverse("save_search"), {"q": "a OR", "name": "x"}, follow=True)

    assert "At character 3" in answer.content.decode()
    assert SavedSearch.objects.count() == 1


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


def test_a_saved_search_has_four_uses(client: Client, saved: SavedSearch, ada: User) -> None:
    """A tile, a feed, a section of a digest, and the scope of an alert: the same page in each."""
    topic = saved.topic
    assert topic is not None
    assert topic.crawl is not None
    topic.crawl.describe(topic.profile(), topic.crawl_settings())
    topic.crawl.save()
    story = Story.objects.create(crawl=topic.crawl, first_seen=NOW)
    site = Harvest.objects.filter(url__page__title="电网 grid")
    site.update(first_seen=NOW, story=story, baseline=False)
    digest = Digest.objects.create(
        topic=topic, at=time(8), covered_until=NOW - timedelta(days=1), next_due=NOW
    )
    digest.searches.add(saved)
    rule = AlertRule.objects.create(
        owner=ada, name="r", search=saved, begins=NOW - timedelta(days=1), created=NOW
    )
    later = NOW + timedelta(minutes=1)

    home = client.get(reverse("topic_list")).content.decode()
    feed = current_items(renew_address("search", saved, later), later)
    issue = choose_pages(digest, NOW - timedelta(days=1), later)
    fire_rule(rule, later)

    assert "My grid" in home
    assert [item.harvest.page.title for item in feed] == ["电网 grid"]
    assert {section.name for section in sections_of(digest)} == {"Power", "My grid"}
    assert [page.harvest.page.title for page in issue.pages] == ["电网 grid"]
    assert [match.harvest.page.title for match in rule.matches.all()] == ["电网 grid"]
    page = client.get(reverse("saved_searches")).content.decode()
    for use in ("Take off the home page", "New address", "Used by"):
        assert use in page, use
    form = client.get(reverse("rule_new") + f"?search={saved.pk}").content.decode()
    assert f'<option value="{saved.pk}" selected>My grid</option>' in form
