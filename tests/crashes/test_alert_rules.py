"""The sender of alerts dies or finds the disk full at each step, with real receivers."""

from collections.abc import Iterator
from copy import copy

import pytest

from focusweb.failpoints import POINTS
from tests.crashes.installation import Installation
from tests.crashes.site import Web
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.receiver import Receiver, receiver

BEFORE = ("alert.half", "alert.matched", "bundle.half", "bundle.made")
EVENTS = ("event.half", "event.noted", "bundle.half", "bundle.made")
#: Where the mail server may have the message: mails that arrived, and the state afterwards.
WHILE = {
    "delivery.sending": (0, "uncertain"),
    "delivery.accepted": (1, "uncertain"),
    "delivery.sent": (1, "sent"),
}
#: A webhook whose outcome is unknown is sent again under the same name: how often it comes.
POSTED = {"delivery.sending": 1, "delivery.accepted": 2, "delivery.sent": 1}
FATES = pytest.mark.parametrize(("fate", "end"), [("kill", -9), ("enospc", 1)])


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostOffice]:
    with PostOffice(tmp_path_factory.mktemp("post") / "letters") as office:
        yield office


@pytest.fixture(scope="module")
def hook() -> Iterator[Receiver]:
    with receiver() as hook:
        yield hook


@pytest.fixture(scope="module")
def installation(
    tmp_path_factory: pytest.TempPathFactory, office: PostOffice, hook: Receiver
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("installation")
    server = {
        "FOCUSWEB_WEBHOOK_HOSTS": hook.host,
        "FOCUSWEB_SMTP_URL": f"smtp://127.0.0.1:{office.port}",
        "FOCUSWEB_MAIL_FROM": "watch@focus.test",
    }
    with (
        Web(1, 1, folder / "server.log") as web,
        Installation(folder / "data", web, **server) as installation,
    ):
        yield installation


def end_at(installation: Installation, office: PostOffice, point: str, fate: str) -> int:
    """Let a sender end at a place; how its process ended."""
    office.forget()
    assert installation.work("rule", "ann@reader.test") == 0, installation.log()
    return installation.work("alert", kill_at=f"{point}:1:{fate}")


def states(installation: Installation) -> list[tuple[object, ...]]:
    for _ in range(2):
        assert installation.work("alert") == 0, installation.log()
    return installation.rows("SELECT state FROM topics_delivery")


@FATES
@pytest.mark.parametrize("point", BEFORE)
def test_an_end_before_sending_loses_and_repeats_no_alert(
    installation: Installation, office: PostOffice, point: str, fate: str, end: int
) -> None:
    assert end_at(installation, office, point, fate) == end, installation.log()
    assert office.letters() == []
    assert states(installation) == [("sent",)]
    assert len(office.letters()) == 1


@FATES
@pytest.mark.parametrize("point", EVENTS)
def test_an_end_before_sending_loses_and_repeats_no_event(
    installation: Installation, office: PostOffice, point: str, fate: str, end: int
) -> None:
    office.forget()
    assert installation.work("change", "ann@reader.test") == 0, installation.log()
    assert installation.work("alert", kill_at=f"{point}:1:{fate}") == end, installation.log()
    assert office.letters() == []
    assert states(installation) == [("sent",)]
    assert len(office.letters()) == 1


@FATES
@pytest.mark.parametrize("point", WHILE)
def test_an_end_while_sending_is_never_answered_by_a_second_alert(
    installation: Installation, office: PostOffice, point: str, fate: str, end: int
) -> None:
    n_letters, state = WHILE[point]
    assert end_at(installation, office, point, fate) == end, installation.log()
    assert states(installation) == [(state,)]
    assert len(office.letters()) == n_letters


@pytest.mark.parametrize("point", POSTED)
def test_a_death_loses_no_webhook_and_its_receiver_can_tell_a_second_one(
    installation: Installation, hook: Receiver, point: str
) -> None:
    hook.calls.clear()
    assert installation.work("rule", hook.url()) == 0, installation.log()
    assert installation.work("alert", kill_at=f"{point}:1:kill") == -9, installation.log()
    assert states(installation) == [("sent",)]
    assert len(hook.calls) == POSTED[point]
    assert len({(call.headers["webhook-id"], call.body) for call in hook.calls}) == 1


def test_two_workers_at_once_send_one_alert(installation: Installation, office: PostOffice) -> None:
    with copy(installation) as neighbour:
        for _ in range(2):
            office.forget()
            assert installation.work("rule", "ann@reader.test") == 0, installation.log()
            for worker in (installation, neighbour):
                worker.start("alert")
            assert [worker.end() for worker in (installation, neighbour)] == [0, 0]
            assert states(installation) == [("sent",)]
            assert len(office.letters()) == 1


def test_every_place_of_an_alert_is_died_at() -> None:
    kinds = ("alert.", "event.", "bundle.", "delivery.")
    there = {point for point in POINTS if point.startswith(kinds)}
    assert there == {*BEFORE, *EVENTS, *WHILE}
