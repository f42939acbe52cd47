"""A clock that ran ahead and was set back: digests and alerts go on within a minute."""

from datetime import timedelta

from tests.topics.delivery.issues import DAY, digest_of, news, titles_of, work
from tests.topics.factories import NOON, Scene
from topics.delivery import alerts
from topics.delivery.plan import clamp_future_timestamps
from topics.models import DigestIssue

FAR = 3650 * DAY


def test_a_digest_goes_on_after_ten_years_that_never_were(scene: Scene) -> None:
    digest = digest_of(scene)
    work(digest, NOON + FAR)
    assert digest.next_due > NOON + FAR

    assert clamp_future_timestamps(NOON) == 2

    digest.refresh_from_db()
    assert NOON < digest.next_due < NOON + DAY
    news(scene, "after", first_seen=NOON + timedelta(hours=1))
    assert titles_of(work(digest, NOON + DAY)) == ["after"]


def test_a_try_is_not_put_off_for_ten_years(scene: Scene) -> None:
    news(scene)
    digest = digest_of(scene)
    issue = work(digest, NOON)
    DigestIssue.objects.update(state="rendered", not_before=NOON + FAR)
    assert clamp_future_timestamps(NOON + timedelta(minutes=1)) == 1
    work(digest, NOON + timedelta(minutes=2))
    assert issue is not None
    issue.refresh_from_db()
    assert issue.state == "filed"


def test_alerts_go_on_too(scene: Scene) -> None:
    alerts.set_score(scene.topic, 0.4, NOON + FAR)
    clamp_future_timestamps(NOON - DAY)
    news(scene)
    assert alerts.fire_all(NOON) == 1


def test_what_is_in_order_is_left_alone(scene: Scene) -> None:
    alerts.set_score(scene.topic, 0.4, NOON)
    digest = digest_of(scene)
    work(digest, NOON)
    assert clamp_future_timestamps(NOON) == 0
