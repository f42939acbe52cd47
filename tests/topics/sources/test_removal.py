"""A site is removed for its owner: tables, index, and every later request."""

from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from crawler.models import FrontierEntry, Page, Site
from crawler.reasons import Reason
from tests.topics.factories import NOON, Scene, person
from topics.search import outbox
from topics.search.store import IndexStore, default_store
from topics.sources.removal import find_remains, remove_everywhere

SITES = "/admin/crawler/site/"


@pytest.fixture
def store(tmp_path: Path, settings: Settings) -> IndexStore:
    """An index of the test's own."""
    settings.INDEX_DIR = tmp_path / "index"
    return default_store()


@pytest.fixture
def indexed(scene: Scene, store: IndexStore) -> Scene:
    """The scene's two kept pages, on two sites, in the index."""
    outbox.rebuild(store)
    assert store.open().count() == 2
    return scene


@pytest.fixture
def root(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


def test_t10_one_command_takes_a_site_out_of_tables_and_index(
    indexed: Scene,
    store: IndexStore,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("remove_site", "Portal.test.")

    assert capsys.readouterr().out == "Removed 1 pages and 3 addresses of portal.test.\n"
    assert store.open().ids() == [Page.objects.get().pk]
    assert Page.objects.get().url.url == "https://notes.test/cache"
    assert Site.objects.get(name="portal.test").stopped


def test_t10_rests_are_found(indexed: Scene, store: IndexStore) -> None:
    site = Site.objects.get(name="portal.test")
    removed = remove_everywhere(site, NOON)
    assert find_remains(site, removed) == []
    indexed.urls.clear()
    indexed.page("https://portal.test/new", "New")

    assert find_remains(site, removed) == [
        "1 addresses",
        "1 pages",
        "1 frontier entries",
        "1 ratings",
    ]


@pytest.mark.django_db
def test_a_site_nobody_knows_is_a_clear_error() -> None:
    with pytest.raises(CommandError, match=r"no page of a site named 'c\.test' was ever seen"):
        call_command("remove_site", "c.test")


def test_a_stop_can_be_taken_back(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    url = scene.url("http://a.test/")
    FrontierEntry.objects.create(crawl=scene.crawl, url=url, found=NOON)
    call_command("stop_site", "a.test")
    assert url.frontier.get().reason == Reason.SITE_STOPPED

    call_command("stop_site", "a.test", "--undo")

    assert url.frontier.get().state == "new"
    assert not Site.objects.get(name="a.test").stopped
    assert "1 addresses waited" in capsys.readouterr().out


def test_removing_in_the_administration_asks_first(indexed: Scene, root: Client) -> None:
    site = Site.objects.get(name="portal.test")
    form = {"action": "remove_sites", "_selected_action": [site.pk]}

    answer = root.post(SITES, form)

    assert b"This cannot be undone" in answer.content
    assert Page.objects.count() == 2
    done = root.post(SITES, form | {"sure": "yes"}, follow=True)
    assert b"1 pages of portal.test" in done.content
    assert Page.objects.get().url.site.name == "notes.test"


@pytest.mark.parametrize(("action", "stopped"), [("stop_sites", True), ("allow_sites", False)])
def test_sites_are_stopped_and_allowed_in_the_administration(
    scene: Scene, root: Client, action: str, stopped: bool
) -> None:
    site = Site.objects.get(name="hub.test")
    Site.objects.update(stopped=not stopped)

    root.post(SITES, {"action": action, "_selected_action": [site.pk]})

    assert set(Site.objects.filter(stopped=stopped)) == {site}


def test_who_may_only_look_can_stop_nothing(scene: Scene, client: Client) -> None:
    looker = person("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_site"))
    client.force_login(looker)
    site = Site.objects.get(name="hub.test")

    client.post(SITES, {"action": "stop_sites", "_selected_action": [site.pk]})

    assert not Site.objects.filter(stopped=True).exists()
