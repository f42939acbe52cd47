"""The list of topics and the page of a topic: new and known pages, and why there are none."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from crawler.models import Harvest, Run, Site
from tests.topics.factories import Scene, scene_of, tight, topic_of
from tests.topics.views.conftest import LOCAL, get, write_status
from topics.models import Topic


def test_the_topic_list_shows_state_fresh_pages_and_harvest(
    as_ann: Client, now_scene: Scene
) -> None:
    html = get(as_ann, "")
    assert "Computing 计算机" in html
    assert ">2</a>" in html  # fresh pages
    assert "28 %" in html  # 11 of 40, rounded
    assert "watching" in html


def test_a_quiet_topic_does_not_look_broken(as_ann: Client, now_scene: Scene) -> None:
    Harvest.objects.update(baseline=True)
    day = f"{now_scene.run.ended:%Y-%m-%d}"
    html = get(as_ann, "")
    assert f"since {day}" in html
    assert '<a href="/topics/chips/">0</a>' in html
    assert '<a href="/topics/chips/known/">2</a>' in html
    assert f"Watching since {day}" in get(as_ann, LOCAL)


@pytest.mark.parametrize(
    ("stop_reason", "sentence"),
    [("nothing_reachable", "Every URL that the run tried failed."), ("budget", "")],
)
def test_a_run_that_saw_nothing_is_reported_where_the_topic_is(
    as_ann: Client, now_scene: Scene, stop_reason: str, sentence: str
) -> None:
    Run.objects.update(stop_reason=stop_reason)
    link = f'<a class="bad" href="/topics/chips/runs/{now_scene.run.pk}/">{sentence}'
    assert (link in tight(get(as_ann, ""))) is bool(sentence)
    assert (link in tight(get(as_ann, LOCAL))) is bool(sentence)


@pytest.mark.parametrize(("minutes", "is_trouble"), [(59, False), (61, True)])
def test_that_all_rests_is_no_trouble_within_the_hour_after_a_look(
    as_ann: Client, now_scene: Scene, minutes: int, *, is_trouble: bool
) -> None:
    ended = now_scene.run.ended
    assert ended is not None
    then = ended + timedelta(minutes=minutes)
    now_scene.crawl.runs.create(started=then, ended=then, n_pages=9, stop_reason="all_rest")

    assert ("Nothing to fetch" in get(as_ann, "")) is is_trouble
    assert ("Nothing to fetch" in get(as_ann, LOCAL)) is is_trouble


def test_a_run_that_saw_nothing_is_not_where_watching_begins(
    as_ann: Client, now_scene: Scene
) -> None:
    began, crawl = now_scene.run.ended, now_scene.crawl
    assert began is not None
    early = began - timedelta(days=3)
    crawl.runs.create(started=early, ended=early, n_pages=9, stop_reason="no_contact")
    # Sites of the run that saw what was there are not new, though that one came before.
    Site.objects.update(first_seen=began - timedelta(minutes=1))

    assert crawl.baseline_end() == began
    assert "new site" not in get(as_ann, LOCAL)


def test_without_topics_the_list_says_what_to_do(as_ann: Client) -> None:
    assert "No topic yet" in get(as_ann, "")


def test_the_topic_page_lists_fresh_pages_best_first(as_ann: Client, now_scene: Scene) -> None:
    html = get(as_ann, LOCAL)
    assert html.index("Cache &lt;lines&gt;") < html.index("电脑 CPU")
    assert "2 new pages in the last 30 days" in html


def test_each_page_says_why_it_is_there_and_how_it_was_reached(
    as_ann: Client, now_scene: Scene
) -> None:
    html = get(as_ann, LOCAL)
    why = "Mentions CPU, cache; 3 sites link to it; relevance 0.71 (threshold 0.50)."
    assert why in html
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    assert f'hx-get="/{LOCAL}pages/{page.pk}/path"' in html
    html = get(as_ann, f"{LOCAL}pages/{page.pk}/path")
    assert "2 clicks from a seed" in html
    assert html.index(">https://portal.test/</a>") < html.index(">https://hub.test/links</a>")


def test_an_unknown_date_is_called_unknown(as_ann: Client, now_scene: Scene) -> None:
    html = get(as_ann, LOCAL)
    assert html.count("date unknown") == 1
    assert "2\xa0days ago" in html


def test_only_sites_found_after_the_first_run_count_as_new(
    as_ann: Client, now_scene: Scene
) -> None:
    assert "new site" not in get(as_ann, LOCAL)
    fresh = now_scene.now - timedelta(minutes=5)
    now_scene.url("https://young.test/a", seen=fresh)
    now_scene.page("https://young.test/a", "Young", "https://portal.test/", first_seen=fresh)
    Run.objects.update(fetched=F("fetched") + 1)
    html = get(as_ann, LOCAL)
    assert html.count('<span class="mark new">new site</span>') == 1
    assert "the site is new." in html


# What the run row says, whether the worker is up, and what the empty page must say.
EMPTY = [
    ({"ended": None, "stop_reason": ""}, True, "appear here as soon as they are ranked"),
    ({"ended": None, "stop_reason": ""}, False, "Nothing is being fetched"),
    ({"stop_reason": "frontier_empty"}, True, "relevance threshold of 0.50"),
    ({"stop_reason": "nothing_reachable"}, True, "Every URL that the run tried failed."),
    ({"stop_reason": "no_contact"}, True, "FOCUSWEB_CONTACT_URL"),
]


@pytest.mark.parametrize(("run", "up", "said"), EMPTY)
def test_an_empty_topic_says_which_cause_holds(
    as_ann: Client,
    ann: User,
    data_folder: Path,
    run: dict[str, Any],
    up: bool,
    said: str,
) -> None:
    scene_of(ann, now=timezone.now(), **run)
    write_status(data_folder, "up" if up else "down")
    assert said in get(as_ann, LOCAL)


def test_a_topic_that_never_ran_says_so(as_ann: Client, ann: User, data_folder: Path) -> None:
    topic_of(ann)
    write_status(data_folder)
    html = tight(get(as_ann, LOCAL))
    assert "has not been crawled yet. The first run starts automatically within a minute." in html
    assert 'data-live="/topics/chips/fresh"' in html  # shown as soon as it does
    assert "starts within a minute" in get(as_ann, "")
    Topic.objects.update(active=False)
    html = get(as_ann, LOCAL)
    assert "has not been crawled yet. The topic is off" in tight(html)
    assert "data-live" not in html


def test_a_topic_with_queries_but_no_search_engine_says_so(
    as_ann: Client, ann: User, data_folder: Path, settings: Settings
) -> None:
    settings.SEARXNG_URL = ""
    topic_of(ann, seeds="", queries="cpu cache")
    write_status(data_folder)
    assert "no search gets its seed queries" in get(as_ann, LOCAL)


def test_old_pages_are_not_fresh(as_ann: Client, ann: User, data_folder: Path) -> None:
    scene = scene_of(ann, now=timezone.now())
    scene.page("https://a.test/", "Old", first_seen=scene.now - timedelta(days=99))
    write_status(data_folder)
    html = tight(get(as_ann, LOCAL))
    assert "Nothing new yet." in html
    assert "1 known page, best first" in html
    assert ">Old</a>" in html


def test_after_a_while_only_the_window_counts(as_ann: Client, now_scene: Scene) -> None:
    Harvest.objects.update(baseline=True)
    began = now_scene.now - timedelta(days=31)
    Run.objects.update(started=began, ended=began)
    assert "Nothing new in the last 30 days." in get(as_ann, LOCAL)


def test_pages_of_the_first_run_are_a_link_below_the_news(as_ann: Client, now_scene: Scene) -> None:
    for number in range(11):
        now_scene.page(f"https://a.test/{number}", f"Known {number}", score=0.9, baseline=True)
    html = tight(get(as_ann, LOCAL))
    assert "2 new pages" in html
    assert f'<a href="/{LOCAL}known/">All 11 known pages</a>' in html
    assert html.index("电脑 CPU") < html.index("known pages") and "Known 0" not in html
    assert "Known 10" in get(as_ann, f"{LOCAL}known/")


def test_a_new_user_sees_the_pages_of_the_first_run(as_ann: Client, now_scene: Scene) -> None:
    Harvest.objects.update(baseline=True)
    html = get(as_ann, LOCAL)
    assert "电脑 CPU" in html
    assert "2 known pages" in html
