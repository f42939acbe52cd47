"""The tick wakes what is due, and no more."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django_q.models import OrmQ
from pytest_django import Settings

from crawler.agents.crew import utc_now
from tests.topics.delivery.issues import digest_of, news
from tests.topics.factories import Scene, scene_of
from topics import tasks
from topics.delivery import alerts
from topics.models import Alert


@pytest.fixture
def scene(ann: User, tmp_path: Path, settings: Settings) -> Scene:
    """Ann's topic with a page that is news now."""
    settings.INDEX_DIR = tmp_path / "index"
    scene = scene_of(ann, now=utc_now())
    alerts.set_score(scene.topic, 0.4, scene.now - timedelta(days=1))
    news(scene)
    return scene


def asked() -> list[tuple[str, tuple[object, ...]]]:
    """What waits in the queue."""
    return [(row.task["func"], row.task["args"]) for row in OrmQ.objects.all()]


def test_a_digest_that_is_due_is_delivered_by_a_task_of_its_own(scene: Scene) -> None:
    digest = digest_of(scene, covered_until=scene.now - timedelta(days=1))
    tasks.tick()
    assert asked() == [("topics.tasks.deliver", (digest.pk,))]
    assert not digest.issues.exists()

    assert tasks.deliver(digest.pk) == "1 issues ended"
    assert tasks.deliver(digest.pk) == "0 issues ended"

    assert digest.issues.get().state == "filed"
    OrmQ.objects.all().delete()
    tasks.tick()
    assert asked() == []


def test_alerts_are_made_at_each_tick(scene: Scene) -> None:
    assert "1 alerts" in tasks.tick()
    assert "0 alerts" in tasks.tick()
    assert Alert.objects.count() == 1
