"""The pages of a plugin's settings: one form for the installation, one for each topic."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from focusweb.plugins import offers, plugins
from tests.topics.factories import NOON, Scene, person, topic_of
from tests.topics.profile.judged_pages import pages as pages
from tests.topics.views.conftest import get
from topics.errors import TopicError
from topics.models import Topic
from topics.profile import feedback
from topics.topic_file.document import read_document
from topics.topic_file.saving import save_document
from topics.topic_file.writing import export_document

PLUGIN = '''"""Reads lists."""
from dataclasses import dataclass
from types import SimpleNamespace

from focusweb.hookspecs import hookimpl
from focusweb.plugin_settings import setting


@dataclass(frozen=True)
class Settings:
    most: int = setting(10, "addresses <of> a run", lowest=1, highest=50)
    folder: str = setting("lists", "where the lists are")
    sorted: bool = setting(False, "best first")

    def __post_init__(self):
        if self.sorted and self.most > 40:
            raise ValueError("at most 40 addresses can be sorted")


@hookimpl
def sources(settings):
    return [SimpleNamespace(name="lists", find=print, settings=settings)]
'''


@pytest.fixture
def folder(data_folder: Path, settings: Settings) -> Path:
    """The plugin folder with one plugin, which is switched on."""
    folder = data_folder / "plugins"
    folder.mkdir()
    (folder / "lists.py").write_text(PLUGIN)
    settings.LOAD_PLUGINS = ["lists"]
    return folder


@pytest.fixture
def operator(client: Client, db: None) -> Client:
    """A browser in which a superuser is signed in."""
    client.force_login(person("root", is_staff=True, is_superuser=True))
    return client


@pytest.fixture
def topic(client: Client, db: None) -> Topic:
    """A topic, whose owner is signed in."""
    topic = topic_of(person("ann"), "chips")
    client.force_login(topic.owner)
    return topic


def posted(client: Client, path: str, **values: Any) -> tuple[int, str]:
    fields = {f"plugin-lists-{name}": value for name, value in values.items()}
    answer = client.post(path, {"plugin-lists-most": "", **fields})
    return answer.status_code, answer.content.decode()


def used(topic: Topic | None = None) -> Any:
    values = topic.plugin_settings if topic else {}
    return offers("sources", topic=values)["lists"].item.settings


def test_the_form_of_the_installation_is_made_from_the_dataclass(
    operator: Client, folder: Path
) -> None:
    assert 'href="/plugins/lists/"' in get(operator, "plugins/")
    html = get(operator, "plugins/lists/")

    assert "addresses &lt;of&gt; a run; in [1, 50]; empty for 10" in html
    assert "where the lists are; empty for “lists”" in html
    assert "default: no" in html


def test_what_the_form_saves_is_handed_to_the_part(operator: Client, folder: Path) -> None:
    status, _html = posted(operator, "/plugins/lists/", most=20, sorted="True")

    assert status == 302
    assert (used().most, used().folder, used().sorted) == (20, "lists", True)
    assert plugins().states.of("lists").settings == {"most": 20, "sorted": True}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"most": 51}, "most must be in [1, 50], got 51"),
        ({"most": "1.5"}, "Enter a whole number."),
        ({"most": "x"}, "Enter a whole number."),
        ({"sorted": "maybe"}, "Select a valid choice."),
        ({"folder": 201 * "x"}, "at most 200 characters"),
        ({"folder": "a\tb"}, "folder must be one line of text"),
        ({"most": 45, "sorted": "True"}, "at most 40 addresses can be sorted"),
    ],
)
def test_the_form_refuses_what_the_plugin_does_not_allow(
    operator: Client, folder: Path, values: dict[str, Any], sentence: str
) -> None:
    status, html = posted(operator, "/plugins/lists/", **values)

    assert status == 422
    assert sentence in html
    assert plugins().states.of("lists").settings == {}


def test_a_value_of_an_older_version_is_shown_and_replaced(operator: Client, folder: Path) -> None:
    plugins().states.set_up("lists", {"most": 99, "depth": 3})
    assert used().most == 10

    html = get(operator, "plugins/lists/")

    assert "most must be in [1, 50], got 99 The stored value is not used." in html
    assert "unknown parameter depth" in html
    assert plugins().states.of("lists").hook == "settings"
    assert posted(operator, "/plugins/lists/", most=30)[0] == 302
    assert plugins().states.of("lists").settings == {"most": 30}
    assert plugins().states.of("lists").error == ""


def test_a_topic_has_settings_of_its_own(client: Client, topic: Topic, folder: Path) -> None:
    plugins().states.set_up("lists", {"most": 20})
    assert 'href="/topics/chips/plugins/"' in get(client, "topics/chips/profile/")
    assert "empty for 20" in get(client, "topics/chips/plugins/")

    assert posted(client, "/topics/chips/plugins/", folder="mine")[0] == 302

    topic.refresh_from_db()
    assert topic.plugin_settings == {"lists": {"folder": "mine"}}
    assert (used(topic).most, used(topic).folder) == (20, "mine")
    assert used().folder == "lists"
    assert topic.crawl is not None
    assert topic.crawl.settings.plugin_settings == {"lists": {"folder": "mine"}}


def test_the_form_of_a_topic_refuses_what_does_not_fit_the_installation(
    client: Client, topic: Topic, folder: Path
) -> None:
    plugins().states.set_up("lists", {"most": 45})

    status, html = posted(client, "/topics/chips/plugins/", sorted="True")

    assert status == 422
    assert "at most 40 addresses can be sorted" in html
    topic.refresh_from_db()
    assert topic.plugin_settings == {}


def test_settings_of_a_plugin_that_is_off_stay(client: Client, topic: Topic, folder: Path) -> None:
    topic.plugin_settings = {"gone": {"most": 3}}
    topic.save()

    assert posted(client, "/topics/chips/plugins/", most=5)[0] == 302

    topic.refresh_from_db()
    assert topic.plugin_settings == {"gone": {"most": 3}, "lists": {"most": 5}}


def test_settings_of_a_paused_plugin_can_be_mended(operator: Client, folder: Path) -> None:
    plugins().states.set_up("lists", {"most": 50})
    plugins().states.note("lists", "sources", "ValueError: no such folder", paused=True)

    assert "paused" not in get(operator, "plugins/lists/")
    status, _html = posted(operator, "/plugins/lists/", most=20)

    assert status == 302
    assert plugins().states.of("lists").settings == {"most": 20}
    assert plugins().states.of("lists").paused


def test_a_paused_plugin_keeps_no_settings_of_others_from_being_saved(
    client: Client, topic: Topic, folder: Path, settings: Settings
) -> None:
    (folder / "other.py").write_text(PLUGIN.replace('"lists"', '"other"'))
    settings.LOAD_PLUGINS = ["lists", "other"]
    plugins().states.note("other", "sources", "ValueError: no", paused=True)

    status, html = posted(client, "/topics/chips/plugins/", most=5)

    assert (status, html) == (302, "")
    topic.refresh_from_db()
    assert topic.plugin_settings == {"lists": {"most": 5}}


def test_a_value_out_of_range_is_refused_while_its_plugin_is_paused(
    operator: Client, folder: Path
) -> None:
    plugins().states.note("lists", "sources", "ValueError: no", paused=True)

    assert posted(operator, "/plugins/lists/", most=51)[0] == 422


def test_without_such_a_plugin_the_profile_has_no_link(
    client: Client, topic: Topic, data_folder: Path
) -> None:
    assert "/topics/chips/plugins/" not in get(client, "topics/chips/profile/")
    assert "No loaded plugin has settings" in get(client, "topics/chips/plugins/")


def test_a_topic_file_carries_them(topic: Topic, folder: Path) -> None:
    chosen = {"lists": {"most": 5, "sorted": True, "folder": "mine"}}
    topic.plugin_settings = chosen
    topic.save()
    written = json.dumps(export_document(topic)).encode()

    topic.delete()
    again, created = save_document(read_document(written), person("bob"), NOON)

    assert created
    assert again.plugin_settings == chosen


@pytest.mark.parametrize(
    ("plugin", "values", "sentence"),
    [
        ("lists", {"most": 51}, "settings.plugin_settings: lists: most must be in [1, 50], got 51"),
        ("lists", {"depth": 1}, "settings.plugin_settings: lists: unknown parameter depth"),
        ("gone", {"most": 1}, "settings.plugin_settings: The plugin gone is not loaded"),
    ],
)
def test_a_topic_file_with_other_values_is_refused(
    topic: Topic, folder: Path, plugin: str, values: dict[str, Any], sentence: str
) -> None:
    document = export_document(topic)
    document["settings"]["plugin_settings"] = {plugin: values}
    read = read_document(json.dumps(document).encode())

    with pytest.raises(TopicError) as refused:
        save_document(read, topic.owner, NOON)

    assert str(refused.value).startswith(sentence)


SCORER = '''"""Lifts pages."""
from dataclasses import dataclass

from crawler.ranking.scorers import Opinion
from focusweb.hookspecs import hookimpl
from focusweb.plugin_settings import setting


@dataclass(frozen=True)
class Settings:
    share: float = setting(0.0, "lift of every page", lowest=0.0, highest=0.3)


class Lift:
    name = "lift"

    def __init__(self, share):
        self.share = share

    def opinion(self, page):
        return Opinion(self.share, "lifted") if self.share else None


@hookimpl
def scorers(settings):
    return [Lift(settings.share)]
'''


def test_a_change_of_a_topics_settings_is_previewed(
    client: Client, pages: Scene, data_folder: Path, settings: Settings
) -> None:
    (data_folder / "plugins").mkdir()
    (data_folder / "plugins" / "lift.py").write_text(SCORER)
    settings.LOAD_PLUGINS = ["lift"]
    feedback.apply_profile(pages.topic, NOON)
    client.force_login(pages.topic.owner)
    path, form = f"/topics/{pages.topic.slug}/plugins/", {"plugin-lift-share": "0.2"}

    html = client.post(path, form | {"preview": "1"}).content.decode()
    plain = " ".join(re.sub(r"</?strong>", "", html).split())

    assert "10 of 30 stored pages would be kept: 0 added, 0 removed, 10 change rank." in plain
    assert 'value="0.2"' in html and Topic.objects.get().plugin_settings == {}

    client.post(path, form)
    moved = feedback.apply_profile(Topic.objects.get(), NOON)
    assert moved is not None and len(moved.moved) == moved.total == 10
