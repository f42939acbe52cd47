"""The check of digests finds what must never be."""

from datetime import timedelta
from typing import Any

import pytest

from tests.topics.delivery.issues import DAY, digest_of, news, work
from tests.topics.factories import NOON, Scene
from topics.delivery.invariants import delivery_breaches
from topics.models import DigestIssue, DigestItem


def test_a_week_of_issues_breaks_nothing(scene: Scene) -> None:
    digest = digest_of(scene)
    for day in range(7):
        news(scene, first_seen=NOON + (day - 0.1) * DAY)
        work(digest, NOON + day * DAY)
    assert list(delivery_breaches(NOON + 7 * DAY)) == []


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"state": "lost"}, "unknown state 'lost'"),
        ({"state": "sending"}, "being sent by nobody"),
        (
            {"state": "sending", "held_by": "a/1/2", "held_until": NOON - timedelta(hours=1)},
            "being sent by nobody",
        ),
        ({"state": "sent", "message": b""}, "sent, but there is no mail"),
        ({"state": "failed"}, "failed without a reason"),
    ],
)
def test_a_row_that_contradicts_itself_is_found(
    scene: Scene, values: dict[str, Any], told: str
) -> None:
    news(scene)
    work(digest_of(scene), NOON)
    DigestIssue.objects.update(**values)
    [breach] = delivery_breaches(NOON)
    assert told in breach


def test_a_page_told_twice_is_found(scene: Scene) -> None:
    page = news(scene)
    digest = digest_of(scene)
    work(digest, NOON)
    second = work(digest, NOON + DAY)
    assert second is not None
    DigestItem.objects.create(issue=second, url=page.url, story=page.story, position=0)
    assert list(delivery_breaches(NOON)) == [
        f"digest {digest.pk}: url {page.url_id} told 2 times",
        f"digest {digest.pk}: story {page.story_id} told 2 times",
    ]
    DigestIssue.objects.filter(pk=digest.issues.last().pk).update(state="failed", problem="550")  # type: ignore[union-attr]
    assert list(delivery_breaches(NOON)) == []
