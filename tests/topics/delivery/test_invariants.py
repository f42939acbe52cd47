"""The check of digests and alerts finds what must never be."""

from datetime import timedelta
from typing import Any

import pytest

from crawler.models import Harvest, Page
from tests.topics.delivery.issues import DAY, digest_of, news, work
from tests.topics.factories import NOON, Scene, topic_of
from topics.delivery import alerts
from topics.delivery.invariants import delivery_breaches
from topics.models import Alert, DigestIssue, DigestItem


def test_a_week_of_issues_breaks_nothing(scene: Scene) -> None:
    digest = digest_of(scene)
    for day in range(7):
        news(scene, first_seen=NOON + (day - 0.1) * DAY)
        work(digest, NOON + day * DAY)
    assert list(delivery_breaches(NOON + 7 * DAY)) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"state": "lost"}, "unknown state 'lost'"),
        ({"state": "sending"}, "being sent, but without a sender"),
        (
            {"state": "sending", "held_by": "a/1/2", "held_until": NOON - timedelta(hours=1)},
            "being sent, but without a sender",
        ),
        ({"state": "sent", "message": b""}, "sent, but there is no mail"),
        ({"state": "failed"}, "failed without a reason"),
    ],
)
def test_a_row_that_contradicts_itself_is_found(
    scene: Scene, values: dict[str, Any], expected: str
) -> None:
    news(scene)
    work(digest_of(scene), NOON)
    DigestIssue.objects.update(**values)
    [breach] = delivery_breaches(NOON)
    assert expected in breach


def test_a_page_reported_twice_is_found(scene: Scene) -> None:
    page = news(scene)
    digest = digest_of(scene)
    work(digest, NOON)
    second = work(digest, NOON + DAY)
    assert second is not None
    DigestItem.objects.create(issue=second, url=page.url, story=page.story, position=0)
    assert list(delivery_breaches(NOON)) == [
        f"digest {digest.pk}: url {page.url_id} delivered 2 times",
        f"digest {digest.pk}: story {page.story_id} delivered 2 times",
    ]
    last = digest.issues.last()
    assert last is not None
    DigestIssue.objects.filter(pk=last.pk).update(state="failed", problem="550")
    assert list(delivery_breaches(NOON)) == []


@pytest.fixture
def alerted(scene: Scene) -> Alert:
    """An alert of Ann's topic, new."""
    alerts.set_score(scene.topic, 0.4, NOON - 14 * DAY)
    news(scene, published=NOON - DAY)
    assert alerts.fire_all(NOON) == 1
    return Alert.objects.get()


def test_a_week_of_alerts_breaks_nothing(scene: Scene) -> None:
    alerts.set_score(scene.topic, 0.4, NOON - DAY)
    for day in range(7):
        page = news(scene, first_seen=NOON + (day - 0.1) * DAY)
        news(scene, "copy", story=page.story, first_seen=NOON + (day - 0.1) * DAY)
        alerts.fire_all(NOON + day * DAY)
    assert Alert.objects.count() == 7
    assert list(delivery_breaches(NOON + 7 * DAY)) == []


@pytest.mark.parametrize(
    ("alert", "page", "expected"),
    [
        ({"state": "lost"}, {}, "unknown state 'lost'"),
        ({"needed": 0.48}, {}, "score 0.47, 0.48 needed"),
        ({}, {"baseline": True}, "was there when the topic began"),
        ({}, {"published": NOON - 8 * DAY}, "older than 7 days"),
        ({}, {"published": None, "first_seen": NOON - 8 * DAY}, "older than 7 days"),
        ({}, {"published": NOON - DAY, "first_seen": NOON - 8 * DAY}, "older than 7 days"),
    ],
)
def test_an_alert_that_should_not_be_is_found(
    alerted: Alert, alert: dict[str, Any], page: dict[str, Any], expected: str
) -> None:
    Alert.objects.update(**alert)
    Harvest.objects.update(**page)
    [breach] = delivery_breaches(NOON)
    assert expected in breach


def test_a_date_that_was_owned_up_to_later_makes_no_alert_wrong(alerted: Alert) -> None:
    Harvest.objects.update(published=NOON - 8 * DAY)
    Page.objects.update(fetched=NOON + DAY)
    assert list(delivery_breaches(NOON + DAY)) == []


def test_an_alert_of_another_topics_page_is_found(scene: Scene, alerted: Alert) -> None:
    Alert.objects.update(topic=topic_of(scene.topic.owner, "other"))
    assert list(delivery_breaches(NOON)) == [f"alert {alerted.pk}: its page is of another topic"]


def test_a_story_alerted_twice_is_found(scene: Scene, alerted: Alert) -> None:
    alerts.mark_seen([alerted.pk], scene.topic.owner)
    copy = news(scene, "copy", story=alerted.story)
    Alert.objects.create(topic=scene.topic, harvest=copy, score=0.47, needed=0.4, fired=NOON)
    assert list(delivery_breaches(NOON)) == [
        f"topic {scene.topic.pk}: story {copy.story_id} alerted 2 times"
    ]


def test_what_was_seen_stays_seen(scene: Scene, alerted: Alert) -> None:
    alerts.mark_seen([alerted.pk], scene.topic.owner)
    news(scene, "copy", story=alerted.story, score=0.9)
    Harvest.objects.filter(pk=alerted.harvest_id).update(score=0.95, published=NOON)
    alerts.set_score(scene.topic, None, NOON)
    alerts.set_score(scene.topic, 0.1, NOON - DAY)
    assert alerts.fire_all(NOON + DAY) == 0
    assert list(Alert.objects.values_list("pk", "state")) == [(alerted.pk, "seen")]
    assert list(delivery_breaches(NOON + DAY)) == []
