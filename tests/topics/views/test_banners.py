"""Banners at the top of a page: a worker that is down, a slow queue, a plugin that failed."""

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.models.values import save_value
from crawler.page.page_terms import text_terms
from focusweb.plugins import plugins
from focusweb.runtime.run_folder import RunFolder
from tests.topics.factories import scene_of
from tests.topics.views.conftest import get, write_status

# state, age of the status in seconds, whether the banner stands
BANNER = [("up", 0, False), ("up", 29, False), ("up", 60, True), ("down", 0, True), ("", 0, True)]


@pytest.mark.parametrize(("state", "age_s", "shown"), BANNER)
def test_a_banner_tells_within_a_minute_that_the_worker_is_down(
    as_ann: Client, data_folder: Path, state: str, age_s: float, shown: bool
) -> None:
    if state:
        write_status(data_folder, state, age_s)
    assert ("background worker" in get(as_ann, "")) is shown


SEEDS_ALIKE = {
    "en": "If these are like each other, nearly all pages may be kept.",
    "zh-hans": "如果这些网页彼此相似，几乎所有网页都可能被保留。",
}


@pytest.mark.parametrize("language", SEEDS_ALIKE)
def test_a_topic_without_its_words_does_not_say_that_it_keeps_few_pages(
    as_ann: Client, ann: User, language: str
) -> None:
    scene, seen = scene_of(ann), DocumentFrequencies()
    seen.add([text_terms("football league goal")])
    save_value(scene.crawl, "library", seen.dump())

    assert SEEDS_ALIKE[language] in get(as_ann, "topics/chips/", language)


# seconds since the last finished tick, tasks in the queue, what is said of them
STATES = [
    (10, 2, "last round 10 s ago. Tasks in the queue: 2."),
    (200, 2, "The scheduler does not respond (last round: 200 seconds ago)"),
    (10, 12, "background tasks are waiting (12)"),
]


@pytest.mark.parametrize(("age_s", "n_tasks", "said"), STATES)
def test_every_page_tells_of_the_last_tick_and_the_queue(
    as_ann: Client, data_folder: Path, age_s: float, n_tasks: int, said: str
) -> None:
    write_status(data_folder)
    ticked = RunFolder(data_folder).job("tick")
    ticked.touch()
    moment = time.time() - age_s
    os.utime(ticked, times=(moment, moment))
    for _ in range(n_tasks):
        OrmQ.objects.create(key="focusweb", payload="x", lock=timezone.now())

    html = get(as_ann, "")

    assert said in html
    assert ('class="banner"' in html) is (age_s > 150 or n_tasks > 11)


def test_work_that_waits_for_minutes_is_said_to_hang(as_ann: Client, data_folder: Path) -> None:
    write_status(data_folder)
    OrmQ.objects.create(key="focusweb", payload="x", lock=timezone.now() - timedelta(seconds=200))

    assert "The background worker is not making progress" in get(as_ann, "")


def test_a_broken_status_file_counts_as_silence(as_ann: Client, data_folder: Path) -> None:
    (data_folder / "status.json").write_text('{"time": 1')
    assert "background worker is not running" in get(as_ann, "")


@pytest.fixture
def failed_plugin(data_folder: Path) -> None:
    """A plugin that is switched on and cannot be loaded."""
    (data_folder / "plugins").mkdir()
    (data_folder / "plugins/moon.py").write_text("raise ValueError('no <lua>')")
    plugins().states.switch("moon", on=True)


@pytest.mark.parametrize("is_staff", [True, False])
def test_a_banner_tells_staff_alone_of_a_plugin_that_failed(
    as_ann: Client, ann: User, failed_plugin: None, is_staff: bool
) -> None:
    User.objects.filter(pk=ann.pk).update(is_staff=is_staff)

    plugins()

    html = get(as_ann, "")

    assert ("FocusWeb runs without the plugin “moon”" in html) is is_staff
    assert ("no &lt;lua&gt;" in html) is is_staff


def test_strangers_see_no_banner(client: Client) -> None:
    assert "background worker" not in get(client, "login/")
