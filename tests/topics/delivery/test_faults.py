"""Each fault of a mail server: nothing is lost, nothing comes twice, and the page says it."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import SMTP

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from focusweb.mail_server import MailServer
from tests import databases
from tests.topics.delivery.issues import DAY, digest_of, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.receiver import Receiver, receiver
from tests.topics.delivery.rules_and_channels import MINUTE, channel_of, page, rule_of, work_rules
from tests.topics.factories import NOON, Scene, prove
from topics.delivery import confirmation
from topics.delivery.invariants import delivery_breaches
from topics.models import AddressProof, Delivery, Digest, DigestIssue

HOUR = timedelta(hours=1)
#: Faults by recipient that are certain: the mail comes once the server is well again.
CERTAIN = ("later", "unknown", "cut", "full")
#: Faults after the whole mail was sent, and how many mails the server kept.
UNKNOWN = {"lost": 0, "taken": 1, "odd": 1}
#: Faults of a connection, by the port of the post office.
PORTS = ("no_starttls", "cut_starttls")


@pytest.fixture
def hook(settings: Settings) -> Iterator[Receiver]:
    with receiver() as running:
        settings.WEBHOOK_HOSTS = frozenset({running.host})
        yield running


def deliver(digest: Digest, now: datetime) -> None:
    """What the timer does at a moment."""
    work(digest, now)
    work_rules(now)


@pytest.mark.parametrize("fault", [*CERTAIN, *UNKNOWN, *PORTS])
def test_each_fault_loses_nothing_and_doubles_nothing(
    scene: Scene, ann: User, as_ann: Client, post: PostOffice, settings: Settings, fault: str
) -> None:
    name = "ann" if fault in PORTS else fault
    owner, friend, reader = (f"{name}@{place}.test" for place in ("owner", "friend", "reader"))
    prove(ann, owner)
    rule = rule_of(scene, channel_of(ann, target=friend))
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann, target=reader))
    page(scene, "The story")
    well = settings.MAIL_SERVER
    if fault in PORTS:
        settings.MAIL_SERVER = MailServer("127.0.0.1", post.ports[fault], starttls=True)
    deliver(digest, NOON)
    deliver(digest, NOON + MINUTE)

    states = {*DigestIssue.objects.values_list("state", flat=True)}
    states |= {*Delivery.objects.values_list("state", flat=True)}
    assert states == {"uncertain" if fault in UNKNOWN else "rendered"}
    of_rule = as_ann.get(f"/alerts/rules/{rule.pk}/").content.decode()
    of_digest = as_ann.get("/topics/chips/digest/").content.decode()
    if fault in UNKNOWN:
        assert "may have been sent" in of_rule
        assert "may not have been sent" in of_digest
    else:
        assert "was not accepted: “" in of_rule
        assert "did not accept the issue" in of_digest

    settings.MAIL_SERVER = well
    post.heal()
    for hours in (1, 2, 3):
        deliver(digest, NOON + hours * HOUR)
    n_mails = UNKNOWN.get(fault, 1)
    expected = dict.fromkeys((owner, friend, reader), n_mails) if n_mails else {}
    assert Counter(letter.recipients[0] for letter in post.letters()) == expected
    assert list(delivery_breaches(NOON + 3 * HOUR)) == []


def test_three_days_without_a_worker_are_one_message_of_a_rule(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    rules = [
        rule_of(scene, channel_of(ann), rate=rate, max_per_day=1)
        for rate in ("immediate", "hourly", "capped")
    ]
    for day in range(3):
        page(scene, f"day {day}", first_seen=NOON + day * DAY)
    work_rules(NOON + 3 * DAY)
    work_rules(NOON + 3 * DAY + HOUR)
    for rule in rules:
        [row] = rule.deliveries.all()
        assert row.notices.count() == 3
    assert len(post.letters()) == 3


@databases.no_limits
def test_a_title_of_a_megabyte_with_line_breaks_is_one_short_line_everywhere(
    scene: Scene, ann: User, post: PostOffice, hook: Receiver
) -> None:
    title = "Chips\r\nBcc: eve@reader.test\r\n\r\n\u202e\0" + "字" * 350_000
    rule_of(
        scene,
        channel_of(ann, target="friend@reader.test"),
        channel_of(ann, "webhook", hook.url()),
        name="R" * 80,
    )
    digest = digest_of(scene)
    page(scene, title, text=title)
    deliver(digest, NOON)

    assert {letter.recipients for letter in post.letters()} == {
        ("ann@reader.test",),
        ("friend@reader.test",),
    }
    for letter in post.letters():
        assert len(letter.content) < 30_000
        mail = message_from_bytes(letter.content, policy=SMTP)
        assert mail["Bcc"] is None
        assert len(str(mail["Subject"])) <= 300
        assert b"eve" not in letter.content.partition(b"\r\n\r\n")[0].replace(
            b"Subject", b"", 1
        ) or ("eve" in str(mail["Subject"]))
    [call] = hook.calls
    assert len(call.body) < 30_000
    [item] = json.loads(call.body)["items"]
    assert item["title"].startswith("Chips Bcc: eve@reader.test 字字")
    assert len(item["title"]) <= 200


def test_an_address_with_a_line_break_gets_no_mail(
    scene: Scene, ann: User, as_ann: Client, post: PostOffice
) -> None:
    address = "ann@reader.test\r\nBcc: eve@reader.test"
    answer = as_ann.post("/account/", {"email": address})
    assert answer.status_code == 422
    # Not even if such an address came into the tables by another way.
    ann.email = address
    ann.save()
    AddressProof.objects.create(user=ann, email=address, asked=NOON, confirmed=NOON)
    assert confirmation.confirmed_address(ann) == ""
    page(scene)
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    assert (issue.state, issue.recipient) == ("filed", "")
    assert post.letters() == []
