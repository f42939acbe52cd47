"""Why a rule or a channel sent nothing: each reason follows from what is stored."""

from datetime import time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from crawler.models import Run
from tests.topics.delivery.issues import DAY, digest_of
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import MINUTE, channel_of, page, rule_of, work_rules
from tests.topics.factories import NOON, Scene
from topics.delivery.channels.notes import Note, NoteCause
from topics.delivery.rules.notes import channel_notes, rule_notes
from topics.models import AlertRule, Channel, Delivery, Notice, RuleEvent, SavedSearch


def causes(notes: list[Note]) -> list[NoteCause]:
    return [note.cause for note in notes]


def of_rule(rule: AlertRule, *, worker_up: bool = True) -> list[NoteCause]:
    rule.refresh_from_db()
    return causes(rule_notes(rule, NOON, worker_up=worker_up))


def of_channel(channel: Channel, *, worker_up: bool = True) -> list[NoteCause]:
    channel.refresh_from_db()
    return causes(channel_notes(channel, "UTC", NOON, worker_up=worker_up))


def last_text(rule: AlertRule) -> str:
    return rule_notes(rule, NOON, worker_up=True)[-1].text


def test_a_rule_and_a_channel_without_anything_to_send(scene: Scene, ann: User) -> None:
    rule = rule_of(scene)
    assert of_rule(rule) == [NoteCause.NO_CHANNEL, NoteCause.NOTHING_SENT, NoteCause.NOTHING_NEW]
    channel = channel_of(ann, "webhook", "https://example.org/")
    assert of_channel(channel) == [NoteCause.NOT_USED, NoteCause.NOTHING_SENT]
    digest_of(scene).channels.add(channel)
    assert of_channel(channel) == [NoteCause.NOTHING_SENT]


@pytest.mark.parametrize(
    ("values", "cause"),
    [
        ({"confirmed": None}, NoteCause.UNCONFIRMED),
        ({"stopped": NOON}, NoteCause.STOPPED),
        ({"active": False}, NoteCause.OFF),
        ({"kind": "a plugin that is not loaded"}, NoteCause.MISSING),
    ],
)
def test_what_is_wrong_with_a_channel(
    scene: Scene, ann: User, post: PostOffice, values: dict[str, Any], cause: NoteCause
) -> None:
    channel = channel_of(ann, **values)
    rule = rule_of(scene, channel)
    page(scene)
    work_rules(NOON)
    assert cause in of_channel(channel)
    assert cause in of_rule(rule)
    assert post.letters() == []


def test_no_worker_and_no_mail_server(scene: Scene, ann: User, settings: Settings) -> None:
    settings.MAIL_SERVER = None
    channel = channel_of(ann)
    rule = rule_of(scene, channel)
    assert of_rule(rule, worker_up=False)[:2] == [NoteCause.WORKER_DOWN, NoteCause.NO_SERVER]
    assert of_channel(channel, worker_up=False)[:2] == [NoteCause.WORKER_DOWN, NoteCause.NO_SERVER]


@pytest.mark.parametrize(
    ("pace", "cause"),
    [
        ({"quiet_from": time(11), "quiet_until": time(13)}, NoteCause.QUIET),
        ({"rate": "hourly"}, NoteCause.SOON),
        ({"rate": "hourly", "zone": "Asia/Kolkata"}, NoteCause.HELD),  # the hour begins at :30
        ({"rate": "capped", "max_per_day": 1}, NoteCause.HELD),
        ({"rate": "capped", "max_per_day": 2}, NoteCause.SENT),
    ],
)
def test_what_holds_an_alert(
    scene: Scene, ann: User, post: PostOffice, pace: dict[str, object], cause: NoteCause
) -> None:
    channel = channel_of(ann)
    rule = rule_of(scene, channel, **pace)
    for number in (3, 1):
        page(scene, first_seen=NOON - number * MINUTE)
        work_rules(NOON - number * MINUTE + MINUTE / 2)
    assert cause in of_rule(rule)
    assert cause in of_channel(channel)


def test_a_rule_that_is_off_is_named_on_the_page_of_its_channel(scene: Scene, ann: User) -> None:
    channel = channel_of(ann)
    rule = rule_of(scene, channel, active=False)
    assert NoteCause.OFF in of_rule(rule)
    assert NoteCause.OFF in of_channel(channel)


@pytest.mark.parametrize(
    ("values", "cause"),
    [
        ({"active": False}, NoteCause.WAITING),
        ({"stopped": NOON}, NoteCause.WAITING),
        ({"kind": "a plugin that is not loaded"}, NoteCause.WAITING),
    ],
)
def test_an_alert_says_that_it_waits_for_its_channel(
    scene: Scene, ann: User, post: PostOffice, values: dict[str, Any], cause: NoteCause
) -> None:
    channel = channel_of(ann, **values)
    rule = rule_of(scene, channel)
    page(scene)
    work_rules(NOON)
    said = "1 alert waits until “mail 0” takes messages again.".replace("mail 0", channel.name)
    for notes in (
        rule_notes(rule, NOON, worker_up=True),
        channel_notes(channel, "UTC", NOON, worker_up=True),
    ):
        assert said in [note.text for note in notes]
        assert not {NoteCause.SOON, NoteCause.RETRYING} & set(causes(notes))


def test_an_alert_of_a_rule_that_was_switched_off_is_not_said_to_be_due(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    channel = channel_of(ann)
    rule = rule_of(scene, channel, muted_until=NOON + MINUTE)
    page(scene)
    work_rules(NOON)
    AlertRule.objects.update(active=False, muted_until=None)
    rule.refresh_from_db()
    for notes in (
        rule_notes(rule, NOON + DAY, worker_up=True),
        channel_notes(channel, "UTC", NOON + DAY, worker_up=True),
    ):
        assert "until the rule is switched on." in " ".join(note.text for note in notes)
        assert NoteCause.SOON not in causes(notes)


def test_quiet_hours_that_end_some_seconds_before_they_begin_are_none(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    quiet = {"quiet_from": time(7, 0, 50), "quiet_until": time(7, 0, 20)}
    rule = rule_of(scene, channel_of(ann), **quiet)
    page(scene)
    work_rules(NOON)
    assert NoteCause.SENT in of_rule(rule)


def test_one_attempt_is_not_several(scene: Scene, ann: User, post: PostOffice) -> None:
    channel = channel_of(ann)
    rule_of(scene, channel)
    page(scene)
    work_rules(NOON)
    Delivery.objects.update(state="failed", attempts=1)
    [note] = channel_notes(channel, "UTC", NOON, worker_up=True)
    assert "failed after 1 attempt:" in note.text


def test_a_broken_search_is_the_reason_even_without_new_pages(scene: Scene, ann: User) -> None:
    search = SavedSearch.objects.create(owner=ann, name="Old", query="topic:gone", created=NOON)
    rule = rule_of(scene, search=search)
    [note] = [
        one for one in rule_notes(rule, NOON, worker_up=True) if one.cause is NoteCause.SEARCH
    ]
    assert "“Old”" in note.text
    assert "gone" in note.text
    SavedSearch.objects.update(query="cache")
    assert NoteCause.SEARCH not in of_rule(AlertRule.objects.get())


def test_what_became_of_the_pages(scene: Scene, ann: User, post: PostOffice) -> None:
    rule = rule_of(scene, channel_of(ann), min_score=0.8)
    assert of_rule(rule)[-1] is NoteCause.NOTHING_NEW
    run = Run.objects.create(crawl=scene.crawl, started=NOON, progress_at=NOON, n_pages=9)
    assert of_rule(rule)[-1] is NoteCause.RANKING
    run.delete()
    page(scene, score=0.5)
    assert of_rule(rule)[-1] is NoteCause.BELOW
    AlertRule.objects.update(min_score=None, term="absent word")
    assert of_rule(rule)[-1] is NoteCause.CONDITION
    AlertRule.objects.update(term="")
    work_rules(NOON)
    assert of_rule(rule)[-2:] == [NoteCause.SENT, NoteCause.SAME_STORY]
    Run.objects.all().delete()
    assert of_rule(rule)[-1] is NoteCause.NEVER_RUN


def test_what_was_dropped_is_counted_once_and_by_its_kind(scene: Scene, ann: User) -> None:
    rule = rule_of(scene, channel_of(ann), channel_of(ann), muted_until=NOON + DAY)
    page(scene)
    work_rules(NOON)
    event = RuleEvent.objects.create(
        rule=rule, topic=scene.topic, key="e", kind="silence", happened=NOON, fired=NOON
    )
    for channel in rule.channels.all():
        Notice.objects.create(rule=rule, channel=channel, event=event, created=NOON)
    Notice.objects.update(dropped=True)

    said = [note.text for note in rule_notes(rule, NOON, worker_up=True)]

    assert [text for text in said if "not sent" in text] == [
        "1 alert was not sent, as its page was dropped or blocked meanwhile.",
        "1 alert was not sent, as what it reported had ended meanwhile.",
    ]


def test_stories_are_counted_and_not_their_copies(scene: Scene) -> None:
    rule = rule_of(scene, term="absent word")
    first = page(scene, score=0.5)
    page(scene, story=first.story, score=0.4)
    assert "of 1 new stories none fits all conditions; 1 fit score" in last_text(rule)


def test_a_page_that_is_only_too_old_is_not_said_to_fit_but_for_other_conditions(
    scene: Scene,
) -> None:
    rule = rule_of(scene, within_hours=24)
    page(scene, published=NOON - 3 * DAY)

    assert "0 fit score, site, language and date." in last_text(rule)


def test_of_the_stories_that_fit_now_those_with_an_alert_are_counted(scene: Scene) -> None:
    rule = rule_of(scene, begins=NOON - 20 * DAY)
    page(scene, first_seen=NOON - 12 * DAY)
    work_rules(NOON - 12 * DAY + MINUTE)
    page(scene)
    assert "1 of 1 new stories fit; 0 of them have their alert" in last_text(rule)
    work_rules(NOON)
    assert "1 of 1 new stories fit; 1 of them have their alert" in last_text(rule)


@pytest.mark.parametrize(
    ("name", "cause"),
    [("later", NoteCause.RETRYING), ("cut", NoteCause.RETRYING), ("lost", NoteCause.UNCERTAIN)],
)
def test_what_the_receiver_did(
    scene: Scene, ann: User, post: PostOffice, name: str, cause: NoteCause
) -> None:
    channel = channel_of(ann, target=f"{name}@reader.test")
    rule = rule_of(scene, channel)
    page(scene)
    work_rules(NOON)
    assert cause in of_rule(rule)
    assert of_channel(channel) == [cause]
    Delivery.objects.update(state="failed")
    assert of_channel(channel) == [NoteCause.FAILED]


def test_a_message_for_a_channel_that_was_switched_off_waits(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    channel = channel_of(ann, target="later@reader.test")
    rule_of(scene, channel)
    page(scene)
    work_rules(NOON)
    Channel.objects.update(active=False, target="ann@reader.test")
    work_rules(NOON + DAY)
    assert post.letters() == []
    assert of_channel(channel) == [NoteCause.OFF, NoteCause.WAITING]
    Channel.objects.update(active=True)
    work_rules(NOON + DAY + timedelta(minutes=1))
    assert of_channel(channel) == [NoteCause.SENT]
