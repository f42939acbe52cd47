"""Sample topics follow the demo's clock for its ten minutes."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from crawler.models import FrontierEntry, Run, Site
from focusweb.demo.web import LivingWeb
from tests.topics.factories import Scene, scene_of
from topics.models import Topic
from topics.runs.demo import clock_ends, follow_clock
from topics.runs.start_stop import start_now

DEMO_WEB = Path(__file__).parents[3] / "fixtures" / "demo_web"
MINUTE = timedelta(minutes=1)


@pytest.fixture
def sample(ann: User, settings: Settings) -> Scene:
    """A sample topic whose first run has ended."""
    settings.CONTACT_URL = "https://example.org/me"
    scene = scene_of(ann)
    scene.topic.sample = True
    scene.topic.save()
    return scene


@pytest.fixture
def clock(data_folder: Path) -> Path:
    return data_folder / "demo_clock"


def start(clock: Path, at: datetime) -> None:
    clock.touch()
    os.utime(clock, (at.timestamp(), at.timestamp()))


def end_all(at: datetime) -> None:
    Run.objects.filter(ended=None).update(ended=at, fetched=1)


def test_the_clock_starts_when_the_first_run_has_ended(sample: Scene, clock: Path) -> None:
    Run.objects.update(ended=None)
    assert follow_clock(sample.now, clock) == 0
    assert not clock.exists()
    end_all(sample.now)
    follow_clock(sample.now, clock)
    assert clock.exists()


def test_the_first_article_is_there_and_sought_when_the_clock_starts(
    sample: Scene, clock: Path
) -> None:
    Run.objects.update(started=sample.now - MINUTE / 4, ended=sample.now)
    assert follow_clock(sample.now, clock) == 1
    web = LivingWeb(DEMO_WEB, sample.now, clock).at(sample.now + MINUTE / 60)
    assert "bench-diary.demo.test" in web.sites


def test_without_sample_topics_there_is_no_clock(scene: Scene, clock: Path) -> None:
    follow_clock(scene.now, clock)
    assert not clock.exists()


def test_a_sample_topic_runs_once_a_minute_for_ten_minutes(sample: Scene, clock: Path) -> None:
    start(clock, sample.now)
    begun = []
    for half_minutes in range(30):
        now = sample.now + half_minutes * MINUTE / 2
        begun.append(follow_clock(now, clock))
        end_all(now)
    assert sum(begun) == 12
    assert begun[23:] == [0] * 7


def test_the_topic_page_says_how_long_it_runs_every_minute(
    as_ann: Client, sample: Scene, clock: Path
) -> None:
    assert clock_ends(sample.topic, sample.now, clock) is None
    now = timezone.now()
    start(clock, now)
    end = clock_ends(sample.topic, now, clock)
    assert end is not None and end - now < 12 * MINUTE
    assert clock_ends(sample.topic, end + MINUTE, clock) is None
    said = f"every minute until {end:%H:%M}, while the demo's clock runs; then every 24 hours"
    assert said in as_ann.get("/topics/chips/").content.decode()
    sample.topic.sample = False
    assert clock_ends(sample.topic, now, clock) is None


def test_the_home_page_says_it_too_in_place_of_the_planned_run(
    as_ann: Client, sample: Scene, clock: Path
) -> None:
    planned = timezone.now() + timedelta(hours=6)
    Topic.objects.update(next_run=planned)
    assert f"{planned:%Y-%m-%d %H:%M}" in as_ann.get("/").content.decode()
    start(clock, timezone.now())
    end = clock_ends(sample.topic, timezone.now(), clock)
    html = as_ann.get("/").content.decode()
    assert f"every minute until {end:%H:%M}" in html
    chinese = as_ann.get("/", headers={"accept-language": "zh-hans"}).content.decode()
    assert f'到 {end:%H:%M} <span class="quiet">UTC</span> 为止' in chinese
    assert f"{planned:%Y-%m-%d %H:%M}" not in html


def test_a_topic_that_is_off_or_running_is_left_alone(sample: Scene, clock: Path) -> None:
    start(clock, sample.now)
    start_now(sample.topic, sample.now)
    assert follow_clock(sample.now + MINUTE, clock) == 0
    end_all(sample.now)
    sample.topic.active = False
    sample.topic.save()
    assert follow_clock(sample.now + 2 * MINUTE, clock) == 0


def test_a_run_that_a_person_starts_visits_seeds_that_have_just_answered(sample: Scene) -> None:
    sample.entry("https://portal.test/")
    sample.entry("https://other.test/")
    start_now(sample.topic, sample.now, look=True)
    waiting = FrontierEntry.objects.filter(state="new")
    assert [entry.url.url for entry in waiting] == ["https://portal.test/"]


def test_a_site_that_was_stopped_stays_stopped(sample: Scene) -> None:
    sample.entry("https://portal.test/")
    Site.objects.update(stopped=True)
    start_now(sample.topic, sample.now, look=True)
    assert not FrontierEntry.objects.filter(state="new").exists()
