"""A digest's sender dies at each step, with a real mail server: one mail or none, never two."""

import shutil
from collections.abc import Iterator
from copy import copy

import pytest

from crawler.agents.killpoints import POINTS
from tests.crashes.installation import Installation
from tests.crashes.site import Web
from tests.topics.delivery.post_office import PostOffice

#: Places where a death leaves nobody in doubt: the mail was not asked for yet.
BEFORE = ("digest.due", "digest.half", "digest.frozen", "digest.rendered")


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
    """One for all: each test begins with a topic that has told nothing."""
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
    """Every issue: its state, and how many pages it tells."""
    return installation.rows(
        "SELECT state, (SELECT count(*) FROM topics_digestitem WHERE issue_id = i.id)"
        " FROM topics_digestissue AS i"
    )


@pytest.mark.parametrize("point", BEFORE)
def test_a_death_before_sending_loses_and_repeats_nothing(
    installation: Installation, post: PostOffice, point: str
) -> None:
    make_due(installation)
    assert installation.work("deliver", kill_at=f"{point}:1") == -9, installation.log()
    assert post.letters() == []

    deliver(installation)

    assert issues(installation) == [("sent", 1)]
    assert len(post.letters()) == 1


@pytest.mark.parametrize(
    ("point", "n_letters", "state"),
    [
        ("digest.sending", 0, "uncertain"),
        ("digest.accepted", 1, "uncertain"),
        ("digest.sent", 1, "sent"),
    ],
)
def test_a_death_while_sending_is_never_answered_by_a_second_mail(
    installation: Installation, post: PostOffice, point: str, n_letters: int, state: str
) -> None:
    make_due(installation)
    assert installation.work("deliver", kill_at=f"{point}:1") == -9, installation.log()

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


def test_a_death_beside_a_file_leaves_the_file_whole(
    installation: Installation, post: PostOffice
) -> None:
    make_due(installation, "")  # nobody to send it to
    assert installation.work("deliver", kill_at="digest.filed:1") == -9, installation.log()
    [file] = (installation.folder / "mail").iterdir()
    before = file.read_bytes()

    deliver(installation)

    assert issues(installation) == [("filed", 1)]
    assert [each.read_bytes() for each in (installation.folder / "mail").iterdir()] == [before]
    assert post.letters() == []


def test_every_place_of_a_digest_is_died_at() -> None:
    there = {point for point in POINTS if point.startswith("digest.")}
    assert there == {*BEFORE, "digest.sending", "digest.accepted", "digest.sent", "digest.filed"}
