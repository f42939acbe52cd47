"""Events of topics as alerts: each once for each channel, and only while it is true."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from crawler.models import Run
from tests.topics.delivery.rules_and_channels import channel_of, page, rule_of, work_rules
from tests.topics.factories import NOON, Scene
from topics.delivery.rules import bundling, firing, saving
from topics.delivery.rules.events import events_of
from topics.delivery.rules.simulation import replay_rule
from topics.models import AlertRule, Delivery, Notice, PageChange, RuleEvent

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
Watches = AlertRule.Watches


def ready_for(scene: Scene, days: int) -> None:
    """Let the first run have ended so many days ago."""
    begun = NOON - days * DAY
    Run.objects.filter(pk=scene.run.pk).update(started=begun - HOUR, ended=begun, fetched=9)


def change_of(scene: Scene, found: datetime, **more: Any) -> PageChange:
    row = page(scene, "Portal")
    values = {"packed_before": b"", "packed_after": b"", "n_inserted": 7, "n_deleted": 2}
    values |= {"summary": [("same", "Price "), ("deleted", "10"), ("inserted", "12 euros")]}
    return PageChange.objects.create(
        topic=scene.topic, url=row.url, is_seed=True, found=found, **values | more
    )


def keys() -> list[str]:
    return sorted(RuleEvent.objects.values_list("key", flat=True))


def test_a_change_of_a_seed_is_an_alert_once(scene: Scene, ann: User) -> None:
    ready_for(scene, 9)
    rule_of(scene, channel_of(ann), watches=Watches.CHANGES)
    change_of(scene, NOON - 20 * HOUR)
    change = change_of(scene, NOON - HOUR)

    first = work_rules(NOON)
    again = work_rules(NOON + HOUR)

    assert keys() == [f"change-{change.pk}"]
    assert (len(first), again) == (1, [])
    text = bytes(first[0].message).decode()
    assert first[0].subject == "Portal · Rule 0"
    assert f"/topics/chips/changes/{change.pk}/" in text


def test_a_change_comes_to_a_channel_once_if_two_rules_watch_it(scene: Scene, ann: User) -> None:
    ready_for(scene, 9)
    channel = channel_of(ann)
    first = rule_of(scene, channel, watches=Watches.CHANGES)
    rule_of(scene, channel, watches=Watches.CHANGES, topic=None)
    change_of(scene, NOON - HOUR)

    [delivery] = work_rules(NOON)

    assert delivery.rule == first
    assert RuleEvent.objects.count() == 2


@pytest.mark.parametrize("is_early", [True, False])
def test_a_change_does_not_wait_for_a_muted_rule_if_another_one_sends_it(
    scene: Scene, ann: User, *, is_early: bool
) -> None:
    ready_for(scene, 9)
    channel = channel_of(ann)
    first = rule_of(scene, channel, watches=Watches.CHANGES)
    second = rule_of(scene, channel, watches=Watches.CHANGES, topic=None)
    change_of(scene, NOON - HOUR)
    if is_early:
        saving.mute(first, 24, NOON)
    firing.fire_rules(NOON)
    if not is_early:
        saving.mute(first, 24, NOON)

    bundling.bundle_all(NOON)

    [delivery] = Delivery.objects.all()
    assert delivery.rule == second


def test_silence_is_reported_once_and_counted_from_when_the_rule_was_set(
    scene: Scene, ann: User
) -> None:
    ready_for(scene, 60)
    begins = NOON - 8 * DAY
    rule = rule_of(scene, channel_of(ann), watches=Watches.SILENCE, after_days=3, begins=begins)
    page(scene, first_seen=NOON - 6 * DAY)

    made = [work_rules(NOON - 8 * DAY + hours * HOUR) for hours in range(0, 8 * 24, 6)]

    assert sum(map(len, made)) == 1
    event = rule.events.get()
    assert event.happened == NOON - 3 * DAY
    (message,) = [one for some in made for one in some]
    assert "no new page for 3 days" in message.subject
    assert event.facts["visited"] == ""


def test_silence_says_when_sources_were_visited_in_it(scene: Scene) -> None:
    ready_for(scene, 60)
    rule = rule_of(scene, watches=Watches.SILENCE, after_days=3, begins=NOON - 4 * DAY)
    visit = NOON - 2 * DAY
    values: dict[str, Any] = {"started": visit, "ended": visit, "fetched": 5}
    Run.objects.create(crawl=scene.crawl, n_pages=9, **values)

    firing.fire_rules(NOON)

    assert rule.events.get().facts["visited"] == visit.isoformat()


def test_a_silence_that_ended_while_its_message_waited_is_not_sent(scene: Scene, ann: User) -> None:
    ready_for(scene, 60)
    begins = NOON - 8 * DAY
    rule = rule_of(scene, channel_of(ann), watches=Watches.SILENCE, after_days=3, begins=begins)
    rule.muted_until = NOON
    rule.save()
    assert work_rules(NOON - 4 * DAY) == []
    page(scene, first_seen=NOON - DAY)

    assert work_rules(NOON) == []
    assert Notice.objects.get().dropped


def test_events_that_were_not_seen_are_first_in_a_message(scene: Scene, ann: User) -> None:
    ready_for(scene, 9)
    channel = channel_of(ann)
    rule = rule_of(scene, channel, watches=Watches.CHANGES)
    for hours in (3, 2, 1):
        change_of(scene, NOON - hours * HOUR)
    firing.fire_rules(NOON)
    first, second, third = rule.events.order_by("happened")
    RuleEvent.objects.filter(pk=first.pk).update(seen=True)

    waiting = bundling.waiting_notices(rule, channel)

    assert [notice.event for notice in waiting] == [second, third, first]


def test_a_busy_day_is_reported_when_it_becomes_busy(scene: Scene, ann: User) -> None:
    ready_for(scene, 30)
    rule_of(scene, channel_of(ann), watches=Watches.SPIKE)
    for number in range(4):
        page(scene, first_seen=NOON - number * timedelta(minutes=1))
    assert work_rules(NOON) == []
    page(scene, first_seen=NOON + HOUR)

    made = [*work_rules(NOON + HOUR), *work_rules(NOON + 2 * HOUR)]

    assert [one.subject for one in made] == [
        "Computing 计算机: 5 new pages on 2026-05-01 · Rule 0",
    ]


def test_copies_of_one_story_make_no_day_busy(scene: Scene) -> None:
    ready_for(scene, 30)
    rule_of(scene, watches=Watches.SPIKE)
    first = page(scene)
    for _ in range(9):
        page(scene, story=first.story)

    assert firing.fire_rules(NOON) == 0


def test_sources_that_cannot_be_visited_are_reported_after_the_next_due_run(
    scene: Scene, ann: User
) -> None:
    ready_for(scene, 5)
    begins = NOON - 6 * DAY
    rule = rule_of(scene, channel_of(ann), watches=Watches.TROUBLE, after_days=2, begins=begins)

    made = [*work_rules(NOON), *work_rules(NOON + DAY)]

    assert len(made) == 1
    assert rule.events.get().happened == NOON - 5 * DAY + DAY + 2 * DAY


def test_a_topic_whose_first_visits_fail_is_reported_too(scene: Scene) -> None:
    Run.objects.update(fetched=0)
    rule = rule_of(scene, watches=Watches.TROUBLE, after_days=1, begins=NOON - 3 * DAY)

    firing.fire_rules(NOON)

    assert rule.events.count() == 1


def test_what_happened_before_the_first_run_ended_is_no_event(scene: Scene) -> None:
    Run.objects.filter(pk=scene.run.pk).update(ended=None)
    rule = rule_of(scene, watches=Watches.SILENCE, after_days=1, begins=NOON - 9 * DAY)

    assert events_of(rule, scene.topic, NOON - 9 * DAY, NOON, begins=rule.begins) == []


@pytest.mark.parametrize(
    ("watches", "expected"), [(Watches.SILENCE, 14), (Watches.SPIKE, 24), (Watches.CHANGES, 9)]
)
def test_the_simulation_finds_what_the_rule_would_have_sent(
    scene: Scene, watches: str, expected: int
) -> None:
    ready_for(scene, 60)
    for days in (25, 24, 24, 24, 24, 24, 3):
        page(scene, first_seen=NOON - days * DAY)
    change_of(scene, NOON - 9 * DAY)
    change_of(scene, NOON - 40 * DAY)
    rule = rule_of(scene, watches=watches, after_days=10)

    look = replay_rule(rule, NOON)

    assert [(NOON - event.moment).days for event in look.events] == [expected]
    assert len(look.messages) == 1
    assert RuleEvent.objects.count() == 0


def test_pages_with_keyword_stuffing_make_no_busy_day_and_end_no_silence(scene: Scene) -> None:
    ready_for(scene, 60)
    busy = rule_of(scene, watches=Watches.SPIKE)
    quiet = rule_of(scene, watches=Watches.SILENCE, after_days=3, begins=NOON - 5 * DAY)
    for number in range(30):
        page(scene, f"Stuffed {number}", trust=0.1, first_seen=NOON - 4 * DAY)

    def found(rule: AlertRule) -> list[str]:
        events = events_of(rule, scene.topic, NOON - 7 * DAY, NOON, begins=NOON - 5 * DAY)
        return [str(event.facts.get("count", event.facts.get("since"))) for event in events]

    assert found(busy) == []
    assert found(quiet) == [(NOON - 5 * DAY).isoformat()]
