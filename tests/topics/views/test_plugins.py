"""The page of the plugins: found ones are off until a superuser switches them on."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from focusweb.plugins import MAX_FAILURES, offers, plugins
from tests.topics.factories import NOON, Scene, person
from tests.topics.views.conftest import get
from topics.models import Topic

PLUGIN = '''"""Says <yes> to every page."""
from types import SimpleNamespace
from focusweb.hookspecs import hookimpl

@hookimpl
def judges():
    return [SimpleNamespace(name="yes", build=print)]
'''


@pytest.fixture
def operator(client: Client, db: None) -> Client:
    """A browser in which a superuser is signed in."""
    client.force_login(person("root", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def folder(data_folder: Path) -> Path:
    """The plugin folder, with one plugin that works and one that does not."""
    folder = data_folder / "plugins"
    folder.mkdir()
    (folder / "yes.py").write_text(PLUGIN)
    (folder / "broken.py").write_text("1 / 0")
    return folder


def change(client: Client, name: str, do: str) -> int:
    return client.post("/plugins/change", {"name": name, "do": do}).status_code


def test_a_plugin_that_is_found_is_off_and_not_imported(operator: Client, folder: Path) -> None:
    html = get(operator, "plugins/")

    assert "Says &lt;yes&gt; to every page." in html
    assert html.count("found, off") == 2
    assert "yes" not in offers("judges")
    assert plugins().failures == []


def test_a_plugin_is_switched_on_and_off_without_a_restart(operator: Client, folder: Path) -> None:
    assert change(operator, "yes", "on") == 302
    assert "yes" in offers("judges")
    assert change(operator, "yes", "off") == 302
    assert "yes" not in offers("judges")


def test_a_broken_plugin_is_shown_and_tried_again(operator: Client, folder: Path) -> None:
    change(operator, "broken", "on")
    html = get(operator, "plugins/")
    assert "could not be loaded" in html
    assert "ZeroDivisionError: division by zero" in html

    (folder / "broken.py").write_text(PLUGIN)
    assert "could not be loaded" in get(operator, "plugins/")
    change(operator, "broken", "again")

    assert "yes" in offers("judges")
    assert "could not be loaded" not in get(operator, "plugins/")


def test_a_paused_plugin_is_shown_and_tried_again(operator: Client, folder: Path) -> None:
    change(operator, "yes", "on")
    for _ in range(MAX_FAILURES):
        plugins().call("yes", "judges", lambda: 1 / 0)
    assert "paused after errors" in get(operator, "plugins/")
    assert offers("judges").get("yes") is None

    change(operator, "yes", "again")

    assert "yes" in offers("judges")


def test_the_system_page_names_a_paused_plugin_and_leads_to_it(
    operator: Client, folder: Path
) -> None:
    assert "No plugin has failed." in get(operator, "system/")
    change(operator, "yes", "on")
    for _ in range(MAX_FAILURES):
        plugins().call("yes", "judges", lambda: 1 / 0)

    html = get(operator, "system/")

    assert "yes: ZeroDivisionError: division by zero" in html
    assert 'href="/plugins/"' in html


def test_a_part_that_is_gone_stays_with_its_topic_and_says_so(
    operator: Client, folder: Path, scene: Scene
) -> None:
    Topic.objects.update(judge="yes")
    change(operator, "yes", "on")
    form = f"admin/topics/topic/{scene.topic.pk}/change/"
    assert "unavailable" not in get(operator, form)

    change(operator, "yes", "off")

    assert '<option value="yes" selected>yes (unavailable: its plugin is' in get(operator, form)
    assert Topic.objects.get().judge == "yes"


def test_a_plugin_that_is_gone_is_shown_until_it_is_switched_off(
    operator: Client, folder: Path
) -> None:
    change(operator, "yes", "on")
    (folder / "yes.py").unlink()

    assert "not found" in get(operator, "plugins/")
    assert change(operator, "yes", "off") == 302
    assert change(operator, "yes", "on") == 404


def test_what_the_environment_names_is_not_switched(
    operator: Client, folder: Path, settings: Settings
) -> None:
    settings.LOAD_PLUGINS = ["yes"]

    assert "yes" in offers("judges")
    change(operator, "yes", "off")
    change(operator, "broken", "on")

    assert "yes" in offers("judges")
    assert plugins().states.all() == {}
    assert "FOCUSWEB_LOAD_PLUGINS names the plugins" in get(operator, "plugins/")


def test_safe_mode_loads_none_and_says_so(
    operator: Client, folder: Path, settings: Settings
) -> None:
    change(operator, "yes", "on")
    settings.SAFE_MODE = True

    assert "yes" not in offers("judges")
    assert "not loaded in safe mode" in get(operator, "plugins/")


@pytest.mark.parametrize("rights", [{}, {"is_staff": True}])
def test_nobody_but_a_superuser_switches_a_plugin_on(
    client: Client, db: None, folder: Path, rights: dict[str, bool]
) -> None:
    client.force_login(User.objects.create(username="eve", **rights))

    assert change(client, "yes", "on") == 403
    assert plugins().states.all() == {}


@pytest.mark.parametrize(
    ("module", "address", "shown"),
    [
        ("topics.builtin", "/topics/chips/pages/{}/", "Path from a seed"),
        ("topics.builtin", "/search/export?format=x", "csv, json, md"),
        ("topics.builtin", "/topics/chips/profile/suggestions", "a keyword of"),
        ("crawler.builtin", "/topics/chips/sources/", "wikipedia"),
    ],
)
def test_a_built_in_part_taken_from_the_registry_is_gone_from_pages(
    client: Client, folder: Path, scene: Scene, module: str, address: str, shown: str
) -> None:
    client.force_login(scene.topic.owner)
    page = scene.page(
        "https://other.test/cache", "Cache", "https://hub.test/links", text="cache line " * 50
    )
    scene.topic.examples.create(text="缓存行的延迟。缓存行的带宽。" * 20, good=True, created=NOON)

    assert shown in client.get(address.format(page.pk)).content.decode()
    plugins().manager.unregister(name=module)
    assert shown not in client.get(address.format(page.pk)).content.decode()
