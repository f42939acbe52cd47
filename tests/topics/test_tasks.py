"""The tick wakes what is due, and no more."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django_q.models import OrmQ
from pytest_django import Settings

from crawler.judging.judged_by import note_judged
from crawler.models import IndexOutbox, Page
from focusweb.clock import utc_now
from tests.topics.delivery.issues import digest_of, news
from tests.topics.factories import Scene, scene_of
from topics import tasks
from topics.delivery import alerts, ledger, selection
from topics.models import Alert, Digest, Topic
from topics.profile import feedback


@pytest.fixture
def scene(ann: User, tmp_path: Path, settings: Settings) -> Scene:
    """Ann's topic with a page that is news now."""
    settings.INDEX_DIR = tmp_path / "index"
    scene = scene_of(ann, now=utc_now())
    alerts.set_score(scene.topic, 0.4, scene.now - timedelta(days=1))
    news(scene)
    return scene


def due_digest(scene: Scene) -> Digest:
    """A digest of which an issue is due now, and no other for half a day: whenever a test runs."""
    other = (scene.now + timedelta(hours=12)).astimezone(ZoneInfo("Asia/Shanghai"))
    return digest_of(scene, at=other.time().replace(second=0, microsecond=0))


def queued() -> list[tuple[str, tuple[object, ...]]]:
    """What waits in the queue."""
    return [(row.task["func"], row.task["args"]) for row in OrmQ.objects.all()]


def test_a_digest_that_fails_keeps_no_other_from_going_out(
    scene: Scene, bob: User, data_folder: Path
) -> None:
    broken, other = due_digest(scene), scene_of(bob, "other", now=scene.now)
    news(other)
    fine = due_digest(other)
    # Its file cannot be written, as a folder has its name.
    issue = selection.freeze(broken.pk, utc_now())
    assert issue is not None
    ledger.mail_file(issue).mkdir(parents=True)
    with pytest.raises(OSError):
        tasks.deliver()
    assert fine.issues.get().state == "filed"
    ledger.mail_file(issue).rmdir()
    tasks.deliver()
    assert broken.issues.get().state == "filed"


def test_what_is_due_of_a_digest_is_delivered_once(scene: Scene) -> None:
    digest = due_digest(scene)
    seen: list[int] = []

    assert tasks.deliver(lambda: seen.append(1)) == "1 issues ended"
    assert tasks.deliver(lambda: seen.append(1)) == "0 issues ended"

    assert digest.issues.get().state == "filed"
    assert seen == [1]


def test_a_tick_makes_no_digest_and_writes_no_index_itself(scene: Scene) -> None:
    """They may take long, and nothing else should wait for them."""
    digest = digest_of(scene, covered_until=scene.now - timedelta(days=1))
    page = Page.objects.get()
    IndexOutbox.objects.create(page_id=page.pk, queued=scene.now)

    tasks.tick()

    assert not digest.issues.exists()
    assert IndexOutbox.objects.count() == 1
    tasks.index()
    assert IndexOutbox.objects.count() == 0


def test_stored_pages_of_one_crawl_at_a_time_are_judged_again(scene: Scene) -> None:
    """However many topics changed at once, the queue stays short."""
    Topic.objects.update(active=False)
    note_judged(scene.crawl)
    profile = replace(scene.crawl.profile, name="something else")
    scene.crawl.describe(profile, scene.crawl.settings)
    scene.crawl.save()
    assert feedback.outdated_crawls() == [scene.crawl.pk]
    for _ in range(5):
        tasks.tick()

    assert queued() == [("topics.tasks.judge_stored", (scene.crawl.pk,))]


def test_alerts_are_made_at_each_tick(scene: Scene) -> None:
    assert "1 alerts" in tasks.tick()
    assert "0 alerts" in tasks.tick()
    assert Alert.objects.count() == 1
