"""What facets read of pages is the same whether Django makes its statement anew or not."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from tests.topics.factories import NOON, Scene, scene_of
from topics.models import Thumb
from topics.pages.search_facets import Row, read_rows
from topics.pages.search_facts import Scope

pytestmark = pytest.mark.django_db
#: Hours before noon at which pages were published.
AGES_H = (1, 11, 13, 20, 40, 6 * 24, 8 * 24, 29 * 24, 31 * 24, 90 * 24)


@pytest.fixture
def scene(ann: User) -> Scene:
    scene = scene_of(ann)
    for hours in AGES_H:
        published = NOON - timedelta(hours=hours)
        scene.page(f"https://site{hours}.test/", "A page", published=published)
    scene.page("https://new.test/", "New")
    scene.page("https://old.test/", "Known", baseline=True)
    scene.page("https://left.test/", "Left out", kept=False)
    liked = scene.url("https://site13.test/")
    Thumb.objects.create(topic=scene.topic, user=ann, url=liked, value=1, created=NOON)
    return scene


def read(scene: Scene, now: datetime, zone: str, *, anew: bool, n_more: int = 0) -> list[Row]:
    ids = {url.pk for url in scene.urls.values()} | set(range(10**6, 10**6 + n_more))
    scope = Scope([scene.topic], now, ZoneInfo(zone))
    rows = read_rows(ids, scope, with_moments=anew)
    return sorted(row._replace(when=NOON) for row in rows)


@pytest.mark.parametrize("n_more", [0, 5000])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/Los_Angeles"])
def test_each_moment_has_its_own_rows(scene: Scene, zone: str, n_more: int) -> None:
    midnight = NOON - timedelta(hours=12)
    moments = [midnight, NOON, *(NOON + timedelta(days=days) for days in (0.4, 1, 6, 29, 80))]

    seen = [read(scene, now, zone, anew=False, n_more=n_more) for now in moments]

    assert seen == [read(scene, now, zone, anew=True, n_more=n_more) for now in moments]
    assert len({tuple(rows) for rows in seen}) > 4
    assert {len(rows) for rows in seen} == {len(AGES_H) + 2}


def test_a_topic_whose_news_are_fresh_for_longer_has_its_own_rows(scene: Scene) -> None:
    before = read(scene, NOON, "UTC", anew=False)
    scene.topic.fresh_days = 365

    after = read(scene, NOON, "UTC", anew=False)

    assert after == read(scene, NOON, "UTC", anew=True)
    assert after != before
