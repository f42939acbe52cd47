"""A clock that ran ahead and was set back: digests and alerts go on within a minute."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

import pytest
from django.contrib.auth.models import User

from tests.topics.delivery.issues import (
    DAY,
    change_of,
    digest_of,
    lines_of,
    news,
    titles_of,
    work,
)
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import (
    MINUTE,
    channel_of,
    page,
    rule_of,
    work_rules,
)
from tests.topics.factories import NOON, Scene
from topics.delivery import alerts, confirmation
from topics.delivery.alerts import alert_rows, fire_all, set_score
from topics.delivery.digest_extras import restored
from topics.delivery.handover import HOLD
from topics.delivery.rules.firing import fire_rule
from topics.delivery.timestamps import clamp_future_timestamps
from topics.models import (
    AddressProof,
    Alert,
    AlertRule,
    Channel,
    Delivery,
    DigestIssue,
    Notice,
    PageChange,
    Reading,
    RuleEvent,
    Topic,
    Visit,
)

FAR = 3650 * DAY
HOUR = timedelta(hours=1)


def test_a_digest_goes_on_after_ten_years_that_never_were(scene: Scene) -> None:
    digest = digest_of(scene)
    work(digest, NOON + FAR)
    assert digest.next_due > NOON + FAR

    assert clamp_future_timestamps(NOON) == 3

    digest.refresh_from_db()
    assert NOON < digest.next_due < NOON + DAY
    assert clamp_future_timestamps(NOON) == 0
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


def test_a_mute_and_an_event_of_a_wrong_clock_end_with_it(scene: Scene) -> None:
    rule = rule_of(scene, muted_until=NOON + FAR)
    ahead = {"happened": NOON + FAR, "fired": NOON + FAR}
    RuleEvent.objects.create(rule=rule, topic=scene.topic, key="a", kind="silence", **ahead)

    clamp_future_timestamps(NOON)

    rule.refresh_from_db()
    event = RuleEvent.objects.get()
    assert (rule.muted_until, event.happened, event.fired) == (None, NOON, NOON)


@pytest.mark.parametrize("rate", AlertRule.Rate.values)
def test_a_rule_is_not_silent_until_a_time_that_never_was(
    scene: Scene, ann: User, post: PostOffice, rate: str
) -> None:
    rule = rule_of(scene, channel_of(ann), rate=rate, max_per_day=2)
    page(scene, "made while the clock was ahead", first_seen=NOON - MINUTE)
    work_rules(NOON)
    AlertRule.objects.update(begins=NOON + FAR)
    Notice.objects.update(created=NOON + FAR)
    Delivery.objects.update(created=NOON + FAR)
    clamp_future_timestamps(NOON)
    rule.refresh_from_db()
    assert rule.begins == NOON

    page(scene, "after", first_seen=NOON + MINUTE)
    for minutes in range(2, 122, 30):
        work_rules(NOON + minutes * MINUTE)

    assert Notice.objects.filter(delivery=None).count() == 0
    assert Notice.objects.count() == 2
    assert clamp_future_timestamps(NOON + 3 * HOUR) == 0


def test_a_delivery_waits_no_longer_than_its_longest_pause(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    rule_of(scene, channel_of(ann, target="later@reader.test"))
    page(scene)
    [row] = work_rules(NOON)
    Delivery.objects.update(not_before=NOON + FAR)
    assert clamp_future_timestamps(NOON) == 1
    Channel.objects.update(target="ann@reader.test")
    work_rules(NOON + MINUTE)
    row.refresh_from_db()
    assert row.state == "sent"


def test_a_sender_is_not_waited_for_until_a_time_that_never_was(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    rule_of(scene, channel_of(ann, target="later@reader.test"))
    page(scene)
    [row] = work_rules(NOON)
    Delivery.objects.update(state="sending", held_by="elsewhere/1/0", held_until=NOON + FAR)
    assert clamp_future_timestamps(NOON) == 1
    work_rules(NOON + HOLD)
    row.refresh_from_db()
    assert row.state == "uncertain"


def test_links_expire_and_are_counted_from_now(scene: Scene, ann: User) -> None:
    for _ in range(confirmation.PER_HOUR):
        AddressProof.objects.create(user=ann, email="new@reader.test", asked=NOON + FAR)
    channel = channel_of(ann, confirmed=None, asked=NOON + FAR)
    clamp_future_timestamps(NOON)
    channel.refresh_from_db()
    assert channel.asked == NOON
    assert confirmation.may_send_link(ann, "x@reader.test", NOON + HOUR)


def test_what_a_wrong_clock_found_comes_with_the_next_digest(scene: Scene) -> None:
    digest, ahead = digest_of(scene, max_items=1), NOON + 2 * DAY
    set_score(scene.topic, 0.5, NOON - DAY)
    rule = rule_of(scene, watches="changes", begins=NOON - 2 * HOUR)
    by_rule = rule_of(scene, min_score=0.75)
    for title, score in (("Best", 0.9), ("By rule", 0.8), ("Other", 0.7)):
        news(scene, title, score=score)
    fire_rule(by_rule, ahead)
    fire_all(ahead + MINUTE)
    change_of(scene, ahead)

    clamp_future_timestamps(NOON - HOUR)
    fired = fire_rule(rule, NOON)
    issue = work(digest, NOON)

    assert fired == 1
    assert issue is not None
    assert lines_of(restored(issue.besides), "changes") == ["Portal"]
    assert lines_of(restored(issue.besides), "alerts") == ["By rule", "Other"]
    rows = alert_rows(list(Alert.objects.order_by("-score")), NOON)
    assert [row.is_by_rule for row in rows] == [True, True, False]


@pytest.mark.parametrize("kind", Topic.ScheduleKind.values)
def test_a_topic_does_not_wait_for_a_run_in_ten_years(scene: Scene, kind: str) -> None:
    topic = scene.topic
    topic.schedule_kind, topic.at, topic.weekdays = kind, time(8), "fri"
    topic.plan_next_run(NOON + FAR)
    topic.save()

    assert clamp_future_timestamps(NOON) == 1

    topic.refresh_from_db()
    assert topic.next_run is not None and NOON < topic.next_run <= NOON + 7 * DAY
    assert clamp_future_timestamps(NOON + MINUTE) == 0


def test_changes_of_a_page_starred_by_a_wrong_clock_are_seen(scene: Scene) -> None:
    row, owner = news(scene), scene.topic.owner
    ahead = NOON + FAR
    values = {"user": owner, "topic": scene.topic}
    Reading.objects.create(url=row.url, starred=ahead, changed=ahead, **values)
    Visit.objects.create(latest=ahead, before=ahead, **values)
    clamp_future_timestamps(NOON)
    change = change_of(scene, NOON + HOUR, row)
    PageChange.objects.update(is_seed=False)
    assert list(PageChange.objects.visible_to(owner, scene.topic)) == [change]
    visit = Visit.objects.get()
    assert (visit.latest, visit.before) == (NOON, NOON)


def clocks(wrong: timedelta) -> Iterator[datetime]:
    """Every half hour of two mornings; from six to nine of the first the clock is wrong."""
    for day in (1, 2):
        for half_hours in range(5 * 2, 11 * 2):
            true = datetime(2026, 5, day, tzinfo=UTC) + half_hours * HOUR / 2
            yield true + (wrong if day == 1 and 6 <= true.hour < 9 else timedelta(0))


@pytest.mark.parametrize("wrong", [HOUR, -HOUR])
def test_an_hour_ahead_or_behind_sends_each_issue_once(
    scene: Scene, post: PostOffice, wrong: timedelta
) -> None:
    digest = digest_of(scene, zone="UTC", at=time(8), skip_empty=False)
    digest.next_due = datetime(2026, 5, 1, 8, tzinfo=UTC)
    digest.save()
    for now in clocks(wrong):
        clamp_future_timestamps(now)
        work(digest, now)
    days = digest.issues.order_by("pk").values_list("local_date__day", flat=True)
    assert list(days) == [1, 2]
    assert len(post.letters()) == 2


@pytest.mark.parametrize("wrong", [HOUR, -HOUR])
@pytest.mark.parametrize("rate", AlertRule.Rate.values)
def test_an_hour_ahead_or_behind_sends_each_alert_once(
    scene: Scene, ann: User, post: PostOffice, rate: str, wrong: timedelta
) -> None:
    begins = datetime(2026, 4, 30, tzinfo=UTC)
    rule = rule_of(scene, channel_of(ann), rate=rate, max_per_day=9, begins=begins)
    for number, now in enumerate(clocks(wrong)):
        clamp_future_timestamps(now)
        if number % 3 == 0:
            page(scene, f"{number}", first_seen=now - MINUTE)
        work_rules(now)
    work_rules(now + HOUR)
    sent = rule.notices.values_list("alert__harvest__url__page__title", flat=True)
    assert sorted(map(int, sent)) == list(range(0, number + 1, 3))
    assert not rule.notices.filter(delivery=None).exists()
    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}
    assert len(post.letters()) == Delivery.objects.count()
