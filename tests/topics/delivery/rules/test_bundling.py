"""When alerts go out: at the rule's pace, outside its quiet hours, none lost and none twice."""

import json
from collections.abc import Callable, Iterator
from datetime import time, timedelta
from email import message_from_bytes
from email.policy import SMTP

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.receiver import Receiver, receiver
from tests.topics.delivery.rules_and_channels import MINUTE, channel_of, page, rule_of, work_rules
from tests.topics.factories import NOON, Scene
from topics.delivery.channels import deliveries
from topics.delivery.rules import bundling, firing, saving
from topics.models import AlertRule, Channel, Delivery, Notice, SavedSearch, SiteControl

HOUR = timedelta(hours=1)


@pytest.fixture
def hook(settings: Settings) -> Iterator[Receiver]:
    with receiver() as running:
        settings.WEBHOOK_HOSTS = frozenset({running.host})
        yield running


def titles(row: Delivery) -> list[str]:
    return sorted(row.notices.values_list("alert__harvest__url__page__title", flat=True))


def test_an_alert_is_mailed_and_posted_at_once(
    scene: Scene, ann: User, post: PostOffice, hook: Receiver, settings: Settings
) -> None:
    settings.BASE_URL = "https://watch.example.org/"
    rule_of(
        scene,
        channel_of(ann, target="friend@reader.test"),
        channel_of(ann, "webhook", hook.url()),
        name="Chips now",
        min_score=0.4,
    )
    page(scene, "Cache <lines> & pipelines", score=0.5)
    work_rules(NOON)
    work_rules(NOON + MINUTE)

    [letter] = post.letters()
    mail = message_from_bytes(letter.content, policy=SMTP)
    assert letter.recipients == ("friend@reader.test",)
    assert mail["Subject"] == "Cache <lines> & pipelines · Chips now"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "/stop-channel/" in mail["List-Unsubscribe"]
    html = mail.get_body(("html",)).get_content()  # type: ignore[union-attr]
    assert "Cache &lt;lines&gt; &amp; pipelines" in html
    [call] = hook.calls
    [item] = json.loads(call.body)["items"]
    assert item["title"] == "Cache <lines> & pipelines"
    assert item["score"] == 0.5
    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}


@pytest.mark.parametrize(
    "title",
    [
        "A =?utf-8?q?cache=0D=0ABcc:_all@reader.test?= line",
        "=?utf-8?q?A=0D=0A=0D=0AAnother_mail?=",
        "=?utf-7?q?+2AA-?= cache",
        "芯" * 12 + " Zen 5 与 缓存 设计",
        "x" * 150,
    ],
)
def test_a_title_is_the_subject_as_it_stands_and_nothing_more(
    scene: Scene, ann: User, post: PostOffice, title: str
) -> None:
    rule_of(scene, channel_of(ann), name="Chips now")
    page(scene, title)
    work_rules(NOON)
    [letter] = post.letters()
    mail = message_from_bytes(letter.content, policy=SMTP)
    assert mail["Subject"] == f"{title} · Chips now"
    assert mail["Bcc"] is None
    assert mail.is_multipart()


def test_hourly_takes_what_came_before_the_hour(scene: Scene, ann: User, post: PostOffice) -> None:
    rule_of(scene, channel_of(ann), rate="hourly", zone="Asia/Kolkata")  # the hour begins at :30
    page(scene, "A", first_seen=NOON - MINUTE)
    assert work_rules(NOON) == []
    page(scene, "B", first_seen=NOON + 20 * MINUTE)
    assert work_rules(NOON + 29 * MINUTE) == []
    [row] = work_rules(NOON + 30 * MINUTE)
    assert titles(row) == ["A", "B"]
    page(scene, "C", first_seen=NOON + 31 * MINUTE)
    assert work_rules(NOON + 32 * MINUTE) == []
    [row] = work_rules(NOON + 90 * MINUTE)
    assert titles(row) == ["C"]


def test_a_full_day_holds_the_rest_for_the_next(scene: Scene, ann: User, post: PostOffice) -> None:
    rule_of(scene, channel_of(ann), rate="capped", max_per_day=2, zone="Asia/Shanghai")
    for number in range(4):  # 20:00 in Shanghai
        page(scene, str(number), first_seen=NOON + number * MINUTE)
        work_rules(NOON + number * MINUTE + MINUTE)
    assert [titles(row) for row in Delivery.objects.order_by("pk")] == [["0"], ["1"]]
    assert work_rules(NOON + 4 * HOUR - MINUTE) == []
    [row] = work_rules(NOON + 4 * HOUR)
    assert titles(row) == ["2", "3"]


def test_quiet_hours_hold_and_lose_nothing(scene: Scene, ann: User, post: PostOffice) -> None:
    quiet = {"quiet_from": time(19), "quiet_until": time(7), "zone": "Asia/Shanghai"}
    rule_of(scene, channel_of(ann), **quiet)
    for number in range(3):
        page(scene, str(number), first_seen=NOON + number * HOUR)
        assert work_rules(NOON + number * HOUR + MINUTE) == []
    assert work_rules(NOON + 11 * HOUR - MINUTE) == []
    [row] = work_rules(NOON + 11 * HOUR)
    assert titles(row) == ["0", "1", "2"]
    [letter] = post.letters()
    text = message_from_bytes(letter.content, policy=SMTP).get_body(("plain",))
    assert "waited up to 10 hours" in text.get_content()  # type: ignore[union-attr]


def test_what_is_not_true_any_more_is_not_sent(scene: Scene, ann: User, post: PostOffice) -> None:
    quiet = {"quiet_from": time(19), "quiet_until": time(7), "zone": "Asia/Shanghai"}
    rule_of(scene, channel_of(ann), **quiet)
    gone, blocked = page(scene, "Gone"), page(scene, "Blocked")
    page(scene, "Stays")
    work_rules(NOON)
    gone.kept = False
    gone.save()
    SiteControl.objects.create(topic=scene.topic, site=blocked.url.site, rule="block")
    [row] = work_rules(NOON + 11 * HOUR)
    assert titles(row) == ["Stays"]
    assert Notice.objects.filter(dropped=True).count() == 2
    assert work_rules(NOON + 12 * HOUR) == []


def test_a_channel_that_is_not_confirmed_gets_nothing_until_it_is(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    channel = channel_of(ann, confirmed=None)
    rule_of(scene, channel)
    page(scene)
    assert work_rules(NOON) == []
    assert post.letters() == []
    Channel.objects.update(confirmed=NOON)
    assert len(work_rules(NOON + MINUTE)) == 1
    assert len(post.letters()) == 1


def test_a_channel_that_was_stopped_gets_nothing(scene: Scene, ann: User, post: PostOffice) -> None:
    rule_of(scene, channel_of(ann))
    page(scene)
    Channel.objects.update(stopped=NOON)
    assert work_rules(NOON) == []
    assert post.letters() == []


def test_a_channel_that_is_stopped_meanwhile_gets_nothing(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    rule_of(scene, channel_of(ann))
    page(scene)
    firing.fire_rules(NOON)
    bundling.bundle_all(NOON)
    [waiting] = deliveries.waiting_deliveries(NOON)

    Channel.objects.update(stopped=NOON)

    assert not deliveries.send_one(waiting, lambda: NOON)
    assert post.letters() == []


def leave_channel(rule: AlertRule) -> None:
    saving.save_rule(rule, [], NOON, conditions_changed=False)


def delete_its_search(rule: AlertRule) -> None:
    rule.search = SavedSearch.objects.create(owner=rule.owner, name="s", query="x", created=NOON)
    rule.save()
    browser = Client()
    browser.force_login(rule.owner)
    browser.post(reverse("change_saved_search", args=[rule.search.pk]), {"do": "delete"})
    assert not AlertRule.objects.filter(pk=rule.pk).exists()


@pytest.mark.parametrize(
    "change",
    [
        leave_channel,
        delete_its_search,
        lambda rule: saving.switch_rule(rule, NOON),
        lambda rule: saving.mute(rule, 24, NOON),
        lambda rule: saving.delete_rule(rule, NOON),
    ],
    ids=["leave", "delete search", "switch off", "mute", "delete"],
)
def test_what_a_rule_no_longer_sends_another_one_does(
    scene: Scene, ann: User, post: PostOffice, change: Callable[[AlertRule], None]
) -> None:
    channel = channel_of(ann)
    first = rule_of(scene, channel, quiet_from=time(11), quiet_until=time(13))
    second = rule_of(scene, channel)
    page(scene)
    assert work_rules(NOON) == []

    change(first)
    [sent] = work_rules(NOON + MINUTE)

    assert (sent.rule, sent.state) == (second, "sent")
    assert work_rules(NOON + 48 * HOUR) == []


def test_a_muted_rule_does_not_hold_what_another_one_sends(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    channel = channel_of(ann)
    rule_of(scene, channel, muted_until=NOON + HOUR)
    second = rule_of(scene, channel)
    page(scene)

    [sent] = work_rules(NOON)

    assert (sent.rule, sent.state) == (second, "sent")
    assert work_rules(NOON + 2 * HOUR) == []


def test_a_deactivated_account_sends_nothing(scene: Scene, ann: User, post: PostOffice) -> None:
    rule_of(scene, channel_of(ann))
    rule_of(scene, channel_of(ann, target="later@reader.test"), name="later")
    quiet = {"quiet_from": time(0), "quiet_until": time(23)}
    rule_of(scene, channel_of(ann), name="quiet", **quiet)
    page(scene)
    work_rules(NOON)
    assert len(post.letters()) == 1
    User.objects.update(is_active=False)

    assert work_rules(NOON + 12 * HOUR) == []
    assert len(post.letters()) == 1
    assert Delivery.objects.get(state="rendered").attempts == 1


def test_a_huge_bundle_names_the_rest(scene: Scene, ann: User, hook: Receiver) -> None:
    rule_of(scene, channel_of(ann, "webhook", hook.url()))
    for _ in range(25):
        page(scene)
    [row] = work_rules(NOON)
    [call] = hook.calls
    sent = json.loads(call.body)
    assert (len(sent["items"]), sent["n_more"], row.notices.count()) == (20, 5, 25)


def test_a_reader_sees_who_sends_alerts_and_the_owner_where_to_change_them(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    rule_of(scene, channel_of(ann, target="friend@reader.test"), channel_of(ann, target=ann.email))
    page(scene)
    work_rules(NOON)
    texts = {
        letter.recipients[0]: [
            part.get_content()
            for part in message_from_bytes(letter.content, policy=SMTP).iter_parts()
        ]
        for letter in post.letters()
    }
    for text in texts["friend@reader.test"]:
        assert "ann sends you these alerts, as you agreed." in text
        assert "/alerts/rules/" not in text
    for text in texts[ann.email]:
        assert "ann sends you" not in text
        assert "/alerts/rules/" in text
