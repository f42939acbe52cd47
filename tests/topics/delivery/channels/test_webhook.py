"""Webhooks against a real receiver: signed, tried for a day, never led elsewhere."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from crawler.api.outgoing import Door, FetchConfig, Limits
from tests.topics.delivery.receiver import Receiver, receiver
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import NOON
from topics.delivery.channels import deliveries
from topics.delivery.channels.base import RETRY_DELAYS, Target, TargetError
from topics.delivery.channels.trial import add_test
from topics.delivery.channels.webhook import Webhook, signature
from topics.models import Channel, Delivery

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture
def hook(settings: Settings) -> Iterator[Receiver]:
    with receiver() as running:
        settings.WEBHOOK_HOSTS = frozenset({running.host})
        yield running


def send(ann: User, url: str, now: object = NOON) -> Delivery:
    channel = channel_of(ann, "webhook", url)
    row = add_test(channel, NOON)
    assert row is not None
    deliveries.send_one(row.pk, lambda: NOON)
    row.refresh_from_db()
    return row


def test_a_signature_is_that_of_the_standards_own_example() -> None:
    # The example of the Standard Webhooks specification.
    body = b'{"test": 2432232314}'
    uid = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    assert (
        signature(SECRET, uid, 1614265330, body)
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


def test_a_message_is_signed_and_named(ann: User, hook: Receiver) -> None:
    row = send(ann, hook.url())

    [call] = hook.calls
    signed = f"{row.uid}.{call.headers['webhook-timestamp']}.".encode() + call.body
    key = base64.b64decode(row.channel.secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert call.headers["webhook-signature"] == f"v1,{expected}"
    assert call.headers["webhook-id"] == str(row.uid) == json.loads(call.body)["id"]
    assert json.loads(call.body)["type"] == "test"
    assert row.state == "sent"
    assert row.log[0]["answer"].startswith("204")


def test_a_receiver_that_fails_is_tried_for_a_day_with_the_same_name(
    ann: User, hook: Receiver
) -> None:
    hook.answers = [500] * len(RETRY_DELAYS)
    row, now = send(ann, hook.url()), NOON
    while row.state == "rendered":
        assert row.not_before is not None
        assert deliveries.waiting_deliveries(row.not_before - timedelta(seconds=1)) == []
        now = row.not_before
        assert deliveries.waiting_deliveries(now) == [row.pk]
        deliveries.send_one(row.pk, lambda: now)  # noqa: B023
        row.refresh_from_db()

    assert row.state == "sent"
    assert timedelta(hours=23) < now - NOON < timedelta(hours=25)
    assert len({(call.body, call.headers["webhook-id"]) for call in hook.calls}) == 1
    assert [line["answer"][:3] for line in row.log] == ["500"] * len(RETRY_DELAYS) + ["204"]


def test_after_a_day_it_fails_and_can_be_sent_again(ann: User, hook: Receiver) -> None:
    row = send(ann, hook.url("/500"))
    for _ in RETRY_DELAYS:
        row.refresh_from_db()
        deliveries.send_one(row.pk, lambda: row.not_before or NOON)
    row.refresh_from_db()
    assert (row.state, row.problem) == ("failed", "500")

    assert deliveries.send_again(row)
    Channel.objects.update(target=hook.url("/200"))
    deliveries.send_one(row.pk, lambda: NOON)
    row.refresh_from_db()
    assert row.state == "sent"
    assert len({call.headers["webhook-id"] for call in hook.calls}) == 1


def test_a_redirect_is_not_followed(ann: User, hook: Receiver) -> None:
    row = send(ann, hook.url("/302"))
    assert row.state == "rendered"
    assert "302" in row.problem
    assert len(hook.calls) == 1


def test_a_receiver_that_wants_no_more_is_left_alone(ann: User, hook: Receiver) -> None:
    row = send(ann, hook.url("/410"))
    assert row.state == "failed"
    assert not Channel.objects.get().is_usable


@pytest.mark.parametrize("path", ["/hang", "/cut"])
def test_an_unknown_outcome_is_tried_again_under_the_same_name(
    ann: User, hook: Receiver, path: str
) -> None:
    quick = FetchConfig(
        "test", allowed_hosts=frozenset({hook.host}), limits=Limits(first_byte_s=0.3)
    )
    kind = Webhook(door=lambda: Door(quick))
    result = kind.send(b"{}", Target(hook.url(path), SECRET, "a"))
    assert (result.sent, result.certain) == (False, False)
    assert len(hook.calls) == 1

    row = send(ann, hook.url("/cut"))
    assert row.state == "rendered"
    Channel.objects.update(target=hook.url())
    assert row.not_before is not None
    deliveries.send_one(row.pk, lambda: row.not_before or NOON)
    row.refresh_from_db()
    assert row.state == "sent"
    assert hook.calls[-1].headers["webhook-id"] == hook.calls[-2].headers["webhook-id"]


def test_a_delivery_whose_process_always_ends_is_given_up(ann: User, hook: Receiver) -> None:
    row = send(ann, hook.url())
    held = {"state": "sending", "held_by": "", "held_until": NOON}

    for attempts in range(1, 2 + len(RETRY_DELAYS)):
        Delivery.objects.update(attempts=attempts, **held)
        assert deliveries.give_up_dead(NOON) == 1
        row.refresh_from_db()
        assert row.state == ("rendered" if attempts <= len(RETRY_DELAYS) else "uncertain")


@pytest.mark.parametrize(
    "target",
    [
        *(
            "https://127.0.0.1/",
            "https://10.0.0.1/hook",
            "https://[::1]/",
            "https://169.254.169.254/",
        ),
        *(
            "https://localhost/",
            "https://2130706433/",
            "https://0177.1/",
            "https://[::ffff:127.0.0.1]/",
        ),
    ],
)
def test_a_private_address_gets_nothing(ann: User, target: str) -> None:
    row = send(ann, Webhook().check(target))
    assert row.state == "rendered"
    assert (
        "loopback" in row.problem
        or "private" in row.problem
        or "link-local" in row.problem
        or ("IPv4-mapped" in row.problem)
    )


@pytest.mark.parametrize(
    "address",
    ["http://example.org/", "ftp://example.org/", "x", "", "https://user:pw@/", "https://a b/"],
)
def test_only_https_is_taken_unless_the_operator_allows_the_host(address: str) -> None:
    with pytest.raises(TargetError):
        Webhook().check(address)


def test_the_operators_hosts_may_be_private_and_plain(hook: Receiver) -> None:
    assert Webhook().check(hook.url()) == hook.url()
