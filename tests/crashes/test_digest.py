"""A digest's sender dies, finds the disk full or stands still at each step, with a real mail
server: one mail or none, never two."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from copy import copy
from pathlib import Path

import pytest

from focusweb.failpoints import POINTS
from tests.crashes.installation import Installation
from tests.crashes.site import Web
from tests.topics.delivery.post_office import PostOffice

#: Places where a crash leaves no doubt: the mail server was not contacted yet.
BEFORE = ("digest.due", "digest.half", "digest.frozen", "digest.rendered")
WHILE = ("digest.sending", "digest.accepted", "digest.sent")
IN_TRANSACTION = "digest.half"
#: What befalls the sender, and how its process ends.
FATES = pytest.mark.parametrize(("fate", "end"), [("kill", -9), ("enospc", 1)])


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostOffice]:
    with PostOffice(tmp_path_factory.mktemp("post") / "letters") as office:
        yield office


@pytest.fixture
def post(office: PostOffice) -> PostOffice:
    office.forget()
    return office


@pytest.fixture(scope="module")
def installation(
    tmp_path_factory: pytest.TempPathFactory, office: PostOffice
) -> Iterator[Installation]:
    """One for all: each test begins with a topic that has delivered nothing."""
    folder = tmp_path_factory.mktemp("installation")
    server = {
        "FOCUSWEB_SMTP_URL": f"smtp://127.0.0.1:{office.port}",
        "FOCUSWEB_MAIL_FROM": "watch@focus.test",
    }
    with (
        Web(1, 1, folder / "server.log") as web,
        Installation(folder / "data", web, **server) as installation,
    ):
        yield installation


@pytest.fixture(scope="module")
def neighbour(installation: Installation) -> Iterator[Installation]:
    """A second worker on the same tables."""
    with copy(installation) as neighbour:
        yield neighbour


def make_due(installation: Installation, address: str = "ann@reader.test") -> None:
    shutil.rmtree(installation.folder / "mail", ignore_errors=True)
    assert installation.work("digest", address) == 0, installation.log()


def deliver(installation: Installation, times: int = 2) -> None:
    """What the cluster does afterwards, minute after minute."""
    for _ in range(times):
        assert installation.work("deliver") == 0, installation.log()


def issues(installation: Installation) -> list[tuple[object, ...]]:
    """Every issue: its state, and how many pages it holds."""
    return installation.rows(
        "SELECT state, (SELECT count(*) FROM topics_digestitem WHERE issue_id = i.id)"
        " FROM topics_digestissue AS i"
    )


@FATES
@pytest.mark.parametrize("point", BEFORE)
def test_an_end_before_sending_loses_and_repeats_nothing(
    installation: Installation, post: PostOffice, point: str, fate: str, end: int
) -> None:
    make_due(installation)
    assert installation.work("deliver", kill_at=f"{point}:1:{fate}") == end, installation.log()
    assert post.letters() == []

    deliver(installation)

    assert issues(installation) == [("sent", 1)]
    assert len(post.letters()) == 1


@FATES
@pytest.mark.parametrize(
    ("point", "n_letters", "state"),
    [
        ("digest.sending", 0, "uncertain"),
        ("digest.accepted", 1, "uncertain"),
        ("digest.sent", 1, "sent"),
    ],
)
def test_an_end_while_sending_is_never_answered_by_a_second_mail(
    installation: Installation,
    post: PostOffice,
    point: str,
    n_letters: int,
    state: str,
    fate: str,
    end: int,
) -> None:
    make_due(installation)
    assert installation.work("deliver", kill_at=f"{point}:1:{fate}") == end, installation.log()

    deliver(installation)

    assert issues(installation) == [(state, 1)]
    assert len(post.letters()) == n_letters


def test_a_death_while_the_server_answers_is_uncertain(
    installation: Installation, post: PostOffice
) -> None:
    make_due(installation, "slow@reader.test")
    code = installation.work("deliver", is_over=lambda: len(post.letters()) == 1)
    assert code == -9, installation.log()

    deliver(installation)

    assert issues(installation) == [("uncertain", 1)]
    assert len(post.letters()) == 1


def test_two_workers_at_once_send_one_mail(
    installation: Installation, neighbour: Installation, post: PostOffice
) -> None:
    for _ in range(4):
        make_due(installation)
        post.forget()
        for worker in (installation, neighbour):
            worker.start("deliver")
        assert [worker.end() for worker in (installation, neighbour)] == [0, 0]

        assert issues(installation) == [("sent", 1)]
        assert len(post.letters()) == 1


@FATES
def test_an_end_beside_a_file_leaves_the_file_whole(
    installation: Installation, post: PostOffice, fate: str, end: int
) -> None:
    make_due(installation, "")  # no recipient
    assert installation.work("deliver", kill_at=f"digest.filed:1:{fate}") == end
    [file] = (installation.folder / "mail").iterdir()
    before = file.read_bytes()

    deliver(installation)

    assert issues(installation) == [("filed", 1)]
    assert [each.read_bytes() for each in (installation.folder / "mail").iterdir()] == [before]
    assert post.letters() == []


@pytest.mark.parametrize("point", [point for point in (*BEFORE, *WHILE) if point != IN_TRANSACTION])
def test_a_sender_that_stands_still_sends_nothing_twice(
    installation: Installation, neighbour: Installation, post: PostOffice, point: str
) -> None:
    make_due(installation)
    sleeper = installation.start_and_stop("deliver", at=point)
    assert neighbour.work("deliver") == 0, installation.log()

    os.kill(sleeper, signal.SIGCONT)

    assert installation.end() == 0, installation.log()
    deliver(installation, 1)
    assert issues(installation) == [("sent", 1)]
    assert len(post.letters()) == 1


@pytest.mark.parametrize("point", ["digest.sending", "digest.accepted"])
def test_what_a_sender_knows_that_was_given_up_is_still_true(
    installation: Installation, neighbour: Installation, post: PostOffice, point: str
) -> None:
    make_due(installation)
    sleeper = installation.start_and_stop("deliver", at=point)
    installation.change("UPDATE topics_digestissue SET held_until = '1970-01-01 00:00:00'")
    assert neighbour.work("deliver") == 0, installation.log()
    assert issues(installation) == [("uncertain", 1)]

    os.kill(sleeper, signal.SIGCONT)

    assert installation.end() == 0, installation.log()
    assert issues(installation) == [("sent", 1)]
    assert len(post.letters()) == 1


def test_two_writers_of_one_file_leave_one_whole_file(
    installation: Installation, neighbour: Installation
) -> None:
    make_due(installation, "")
    sleeper = installation.start_and_stop("deliver", at="digest.filed")
    assert neighbour.work("deliver") == 0, installation.log()
    os.kill(sleeper, signal.SIGCONT)

    assert installation.end() == 0, installation.log()

    assert issues(installation) == [("filed", 1)]
    [file] = (installation.folder / "mail").iterdir()
    assert file.read_bytes().endswith(b"--\r\n")


@pytest.mark.torture
@pytest.mark.parametrize("point", (*BEFORE, *WHILE, "digest.filed"))
def test_a_sleep_past_every_lease_sends_nothing_twice(
    installation: Installation, neighbour: Installation, post: PostOffice, point: str
) -> None:
    is_file = point == "digest.filed"
    make_due(installation, "" if is_file else "ann@reader.test")
    sleeper = installation.start("deliver", kill_at=f"{point}:1:sleep")
    while Path(f"/proc/{sleeper}").exists():
        # Who holds the tables' lock makes others wait for 20 s, then end and say so.
        locked = neighbour.work("deliver")
        assert locked == 0 or point == IN_TRANSACTION, installation.log()
        time.sleep(5)

    assert installation.end() == 0, installation.log()

    deliver(installation)
    assert issues(installation) == [("filed" if is_file else "sent", 1)]
    assert len(post.letters()) == (0 if is_file else 1)


def test_every_place_of_a_digest_is_died_at() -> None:
    there = {point for point in POINTS if point.startswith("digest.")}
    assert there == {*BEFORE, *WHILE, "digest.filed"}
