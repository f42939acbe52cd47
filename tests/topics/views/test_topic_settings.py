"""A reader without staff rights renames a topic, sets when it runs, and ends it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from crawler.models import Crawl
from tests.topics.factories import Scene, person
from topics.models import Topic

SETTINGS, DELETE, PAGE = (f"/topics/chips/{part}" for part in ("settings/", "delete/", ""))


def typed(**values: Any) -> dict[str, Any]:
    """What the form of an unchanged topic sends, with other values for some fields."""
    form = {"name": "Computing 计算机", "schedule_kind": "hours", "every_hours": 24, "zone": "UTC"}
    return {**form, "active": "on", **values}


def off() -> dict[str, Any]:
    return {name: value for name, value in typed().items() if name != "active"}


def test_a_topic_is_renamed_and_keeps_its_address(as_ann: Client, scene: Scene) -> None:
    answer = as_ann.post(SETTINGS, typed(name="Chips & caches"), follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert "Chips &amp; caches" in answer.content.decode()
    assert Crawl.objects.get().profile.name == "Chips & caches"


def test_a_topic_is_switched_off_and_on_again(as_ann: Client, scene: Scene) -> None:
    said = "Off: runs start only manually"
    assert said in as_ann.post(SETTINGS, off(), follow=True).content.decode()
    assert not Topic.objects.due(timezone.now()).exists()
    assert said not in as_ann.post(SETTINGS, typed(), follow=True).content.decode()
    assert Topic.objects.get().active


def test_new_times_plan_the_next_run_and_other_changes_leave_it(
    as_ann: Client, scene: Scene
) -> None:
    planned = timezone.now() + timedelta(hours=5)
    Topic.objects.update(next_run=planned)
    as_ann.post(SETTINGS, typed(name="Chips"))
    assert Topic.objects.get().next_run == planned
    as_ann.post(SETTINGS, typed(name="Chips", every_hours=2))
    next_run = Topic.objects.get().next_run
    assert next_run is not None
    assert next_run < planned


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": "…"}, "The name needs at least one letter or digit."),
        ({"schedule_kind": "daily"}, "Daily and weekly runs need a time of day"),
        ({"schedule_kind": "weekly", "at": "08:00"}, "Weekly runs need at least one day"),
        ({"every_hours": 0}, "greater than or equal to 1"),
        ({"zone": "Atlantis"}, "Atlantis"),
    ],
)
def test_what_is_wrong_is_named_and_what_was_typed_is_kept(
    as_ann: Client, scene: Scene, values: dict[str, Any], said: str
) -> None:
    given = {"name": "Kept <name>", **values}
    answer = as_ann.post(SETTINGS, typed(**given))
    html = answer.content.decode()
    assert answer.status_code == 422
    assert said in html
    assert f'value="{escape(given["name"])}"' in html
    assert f"<title>Settings · {scene.topic.name}" in html
    assert Topic.objects.get().name == scene.topic.name


def test_a_topic_that_has_lost_its_seeds_can_be_switched_off(as_ann: Client, scene: Scene) -> None:
    Topic.objects.update(seeds="", queries="")
    assert as_ann.post(SETTINGS, off()).status_code == 302
    assert not Topic.objects.get().active


def test_the_page_of_a_topic_leads_there(as_ann: Client, scene: Scene) -> None:
    assert f'href="{SETTINGS}"' in as_ann.get(PAGE).content.decode()
    assert f'href="{DELETE}"' in as_ann.get(SETTINGS).content.decode()


def test_staff_are_led_to_all_settings(client: Client, scene: Scene, ann: User) -> None:
    ann.is_staff = ann.is_superuser = True
    ann.save()
    client.force_login(ann)
    html = client.get(PAGE).content.decode()
    assert f'href="/admin/topics/topic/{scene.topic.pk}/change/"' in html
    assert f'href="{SETTINGS}"' not in html


def test_a_topic_is_deleted_once_its_owner_has_seen_what_goes(as_ann: Client, scene: Scene) -> None:
    scene.crawl.runs.update(ended=scene.now)
    assert "with its pages, ratings" in as_ann.get(DELETE).content.decode()
    assert Topic.objects.exists()
    answer = as_ann.post(DELETE, follow=True)
    assert answer.redirect_chain == [("/", 302)]
    assert f"“{scene.topic.name}” is deleted." in answer.content.decode()
    assert not Topic.objects.exists()
    assert not Crawl.objects.exists()
    # A second press, or another window that still shows it.
    assert as_ann.post(DELETE).status_code == 404


def test_a_topic_that_is_crawled_is_stopped_first(as_ann: Client, scene: Scene) -> None:
    scene.crawl.runs.update(ended=None)
    answer = as_ann.post(DELETE, follow=True)
    assert "is being crawled. Stop the run first." in answer.content.decode()
    assert Topic.objects.exists()


@pytest.mark.parametrize("path", [SETTINGS, DELETE])
def test_nobody_else_changes_a_topic(client: Client, scene: Scene, path: str) -> None:
    client.force_login(person("bob"))
    assert client.post(path, typed(name="Stolen")).status_code == 404
    assert Topic.objects.get().name == scene.topic.name
