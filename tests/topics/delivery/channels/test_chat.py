"""Chat services: known ones only, and a real exchange with a push server on loopback."""

import json
import socket
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.topics.delivery.receiver import Receiver, receiver
from tests.topics.factories import NOON
from topics.delivery.channels.base import Message, MessageItem, Target, TargetError
from topics.delivery.channels.chat import Chat

ITEM = MessageItem(
    "Cache & lines", "https://a.test/p", "a.test", "Chips", "Two.", "Why.", 0.5, NOON
)
MESSAGE = Message("alerts", "u", "2 alerts", "Chips", "en", NOON, [ITEM] * 2, url="https://w.test/")


@pytest.fixture
def push(settings: Settings) -> Iterator[Receiver]:
    with receiver() as running:
        settings.WEBHOOK_HOSTS = frozenset({running.host})
        yield running


@pytest.mark.parametrize(
    "address",
    [
        "wecombot://aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
        "feishu://12345678-1234-1234-1234-123456789abc",
        "lark://12345678-1234-1234-1234-123456789abc",
        "dingtalk://a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6a1b2",
        "tgram://123456789:AAbcdefghijklmnopqrstuvwxyz0123456/12315544/",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/",
        "ntfys://my-own-topic",
    ],
)
def test_known_services_are_taken(address: str) -> None:
    assert Chat().check(address) == address


@pytest.mark.parametrize(
    "address",
    [
        *(
            "",
            "x",
            "json://127.0.0.1/",
            "xml://localhost/",
            "file:///etc/passwd",
            "mailto://a:b@c.d",
        ),
        *(
            "ntfy://127.0.0.1/topic",
            "ntfys://user:pass@10.0.0.1/topic",
            "ntfy://localhost:80/topic",
        ),
        *("ntfy://user@topic", "ntfys://topic?attach=http://127.0.0.1/", "slack://a/b/c#d"),
        *("tgram://", "slack://nothing", "ntfy://[::1", "https://hooks.slack.com/services/T/B/X"),
    ],
)
def test_all_others_are_refused(address: str) -> None:
    with pytest.raises(TargetError):
        Chat().check(address)


def test_a_push_server_of_the_operator_gets_the_message(push: Receiver) -> None:
    kind, address = Chat(), f"ntfy://{push.host}/topic"
    push.answers = [200]
    assert kind.check(address) == address

    result = kind.send(kind.write(MESSAGE, Target(address)), Target(address))

    assert result.sent
    [call] = push.calls
    sent = json.loads(call.body)
    assert sent["title"] == "2 alerts"
    assert "https://a.test/p" in sent["message"]


def test_a_refusal_is_certain_and_a_broken_exchange_is_not(push: Receiver) -> None:
    kind, target = Chat(), Target(f"ntfy://{push.host}/topic")
    body = kind.write(MESSAGE, target)
    push.answers = [500]
    refused = kind.send(body, target)
    assert (refused.sent, refused.certain) == (False, True)
    assert "500" in refused.problem

    push.cut = True
    broken = kind.send(body, target)
    assert (broken.sent, broken.certain) == (False, False)


def test_a_server_that_is_down_certainly_got_nothing(settings: Settings) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
    settings.WEBHOOK_HOSTS = frozenset({host})
    target = Target(f"ntfy://{host}/topic")
    result = Chat().send(Chat().write(MESSAGE, target), target)
    assert (result.sent, result.certain) == (False, True)
