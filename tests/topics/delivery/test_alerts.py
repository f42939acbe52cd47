"""Alerts: fresh pages above the score, each story once, never what was there before."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from crawler.judging.context import make_ranker
from crawler.judging.renewal import renew_scores
from crawler.models import Harvest, Run, Story
from crawler.store.ranks import TableRanks
from tests.topics.delivery.issues import DAY, news
from tests.topics.factories import NOON, Scene, topic_of
from topics.delivery import alerts
from topics.delivery.alerts import NoAlerts
from topics.models import Alert
from topics.topic_file import export_document, read_document, save_document


@pytest.fixture
def watched(scene: Scene) -> Scene:
    """A topic whose alert score was set two weeks ago."""
    alerts.set_score(scene.topic, 0.6, NOON - 14 * DAY)
    return scene


def titles() -> set[str]:
    return {alert.harvest.page.title for alert in Alert.objects.all()}


def test_what_reaches_the_score_is_an_alert_once(watched: Scene) -> None:
    news(watched, "high", score=0.7)
    news(watched, "just", score=0.6)
    news(watched, "low", score=0.59)
    assert alerts.fire_all(NOON) == 2
    assert alerts.fire_all(NOON + timedelta(minutes=1)) == 0
    assert titles() == {"high", "just"}
    alert = Alert.objects.get(harvest__url__page__title="high")
    assert (alert.score, alert.needed, alert.state, alert.fired) == (0.7, 0.6, "new", NOON)


@pytest.mark.parametrize(
    "more",
    [
        {"baseline": True},
        {"kept": False},
        {"first_seen": NOON - 8 * DAY},
        {"published": NOON - 8 * DAY},
        {"published": NOON - 2 * DAY, "first_seen": NOON - 15 * DAY},
    ],
)
def test_what_is_old_or_known_is_no_alert(watched: Scene, more: dict[str, Any]) -> None:
    news(watched, score=0.9, **more)
    assert alerts.fire_all(NOON) == 0


def test_a_topics_shorter_window_holds_too(watched: Scene) -> None:
    watched.topic.fresh_days = 2
    watched.topic.save()
    news(watched, score=0.9, published=NOON - 3 * DAY)
    assert alerts.fire_all(NOON) == 0


def test_setting_a_score_wakes_nothing_that_is_stored(scene: Scene) -> None:
    news(scene, "before", score=0.9)
    alerts.set_score(scene.topic, 0.5, NOON)
    news(scene, "after", score=0.8, first_seen=NOON + timedelta(minutes=1))
    assert alerts.fire_all(NOON + timedelta(minutes=5)) == 1
    assert titles() == {"after"}


def test_a_lower_score_wakes_nothing_that_is_stored(watched: Scene) -> None:
    news(watched, score=0.5)
    alerts.set_score(watched.topic, 0.4, NOON)
    assert alerts.fire_all(NOON) == 0


def test_a_score_that_is_saved_again_loses_no_alert(scene: Scene) -> None:
    alerts.set_score(scene.topic, 0.5, NOON)
    news(scene, "between", score=0.8, first_seen=NOON + timedelta(minutes=1))
    alerts.set_score(scene.topic, 0.5, NOON + timedelta(minutes=2))
    assert alerts.fire_all(NOON + timedelta(minutes=5)) == 1
    assert titles() == {"between"}


def test_a_page_that_rises_later_is_an_alert_then(watched: Scene) -> None:
    page = news(watched, score=0.5)
    assert alerts.fire_all(NOON) == 0
    page.score = 0.65
    page.save()
    assert alerts.fire_all(NOON + DAY) == 1


def test_a_page_is_no_alert_later_because_other_pages_fell(watched: Scene) -> None:
    Run.objects.update(ended=NOON - 20 * DAY)
    crawl, settings = watched.crawl, watched.crawl.settings

    def ranked(now: datetime) -> float:
        renew_scores(TableRanks(crawl), settings, make_ranker(settings), (), now)
        return Harvest.objects.get(url__page__title="near").score

    for _ in range(20):
        news(watched, baseline=True, first_seen=NOON - 21 * DAY, density=0.1, relevance=0.97)
    news(watched, "near", first_seen=NOON, density=0.09, relevance=0.97)
    before = ranked(NOON)
    alerts.set_score(watched.topic, before + 0.02, NOON - DAY)
    assert alerts.fire_all(NOON) == 0
    for _ in range(60):
        news(watched, first_seen=NOON, density=0.05, relevance=0.97)

    assert before - 0.01 < ranked(NOON + DAY) <= before
    assert alerts.fire_all(NOON + DAY) == 0


def test_a_story_is_one_alert_by_its_best_page_even_when_copies_come_later(watched: Scene) -> None:
    story = Story.objects.create(crawl=watched.crawl, first_seen=NOON)
    news(watched, "copy", story=story, score=0.7)
    news(watched, "original", story=story, score=0.8)
    assert alerts.fire_all(NOON) == 1
    news(watched, "late and better", story=story, score=0.9)
    assert alerts.fire_all(NOON + timedelta(minutes=1)) == 0
    assert titles() == {"original"}


def test_a_page_waits_for_its_story(watched: Scene) -> None:
    page = news(watched, score=0.9)
    story, page.story = page.story, None
    page.save()
    assert alerts.fire_all(NOON) == 0
    page.story = story
    page.save()
    assert alerts.fire_all(NOON) == 1


def test_without_a_score_there_are_no_alerts(scene: Scene) -> None:
    news(scene, score=1.0)
    assert alerts.fire_all(NOON) == 0
    assert alerts.fire(scene.topic, NOON) == 0


def test_an_empty_list_says_why(scene: Scene) -> None:
    topic = scene.topic
    assert alerts.no_alert_reason(topic, NOON).why is NoAlerts.NO_SCORE
    alerts.set_score(topic, 0.6, NOON - DAY)
    news(scene, score=0.9, baseline=True)
    assert alerts.no_alert_reason(topic, NOON).why is NoAlerts.ONLY_KNOWN
    unranked = news(scene, score=0.9)
    Harvest.objects.filter(pk=unranked.pk).update(story=None)
    assert alerts.no_alert_reason(topic, NOON).why is NoAlerts.RANKING
    unranked.delete()
    news(scene, score=0.5)
    found = alerts.no_alert_reason(topic, NOON)
    assert (found.why, found.best) == (NoAlerts.TOO_LOW, 0.5)
    other = topic_of(topic.owner, "other", alert_score=0.5)
    assert alerts.no_alert_reason(other, NOON).why is NoAlerts.NEVER_RUN


def test_an_empty_list_says_that_the_first_run_is_in_progress(watched: Scene) -> None:
    watched.run.ended = None
    watched.run.save()
    news(watched, score=0.9, baseline=True)
    assert alerts.no_alert_reason(watched.topic, NOON).why is NoAlerts.FIRST_RUN


@pytest.mark.parametrize(("score", "n_alerts"), [(0.5, 0), (0.6, 1)])
def test_an_imported_score_wakes_nothing_that_is_stored_if_it_is_another(
    watched: Scene, score: float, n_alerts: int
) -> None:
    news(watched, score=0.9)
    document = export_document(watched.topic)
    document["settings"]["alert_score"] = score
    save_document(read_document(json.dumps(document).encode()), watched.topic.owner, NOON)
    assert alerts.fire_all(NOON) == n_alerts
