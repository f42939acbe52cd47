"""The clock that all machines share."""

from datetime import UTC, datetime, timedelta

import pytest

from focusweb import clock
from focusweb.clock import FollowedClock
from tests import databases

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Server:
    """A clock that starts at noon, and is as far as our timer; each answer takes a while."""

    def __init__(self) -> None:
        self.timer_s = 1000.0
        self.took_s = [0.01]
        self.step = timedelta()
        self.n_read = 0

    def read(self) -> datetime:
        took_s = self.took_s[self.n_read % len(self.took_s)]
        self.n_read += 1
        # It takes as long to get there as to come back.
        self.timer_s += took_s / 2
        moment = NOON + timedelta(seconds=self.timer_s - 1000.0) + self.step
        self.timer_s += took_s / 2
        return moment


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def followed(server: Server) -> FollowedClock:
    return FollowedClock(lambda: server.timer_s)


def test_a_clock_that_follows_none_is_that_of_the_wall(followed: FollowedClock) -> None:
    assert abs(datetime.now(UTC) - followed.utc_now()) < timedelta(seconds=1)


def test_a_clock_that_follows_goes_on_by_itself(server: Server, followed: FollowedClock) -> None:
    followed.follow(server.read)
    server.timer_s = 1025.0

    assert abs(followed.utc_now() - NOON - timedelta(seconds=25)) < timedelta(microseconds=2)


def test_the_other_clock_is_read_again_only_after_a_while(
    server: Server, followed: FollowedClock
) -> None:
    followed.follow(server.read)
    n_read = server.n_read
    followed.follow(server.read)
    assert server.n_read == n_read

    server.timer_s += clock.FOLLOW_EVERY_S
    server.step = timedelta(hours=1)
    followed.follow(server.read)

    assert followed.utc_now() > NOON + timedelta(hours=1)


def test_the_quickest_answer_counts(server: Server, followed: FollowedClock) -> None:
    server.took_s = [3.0, 0.002, 5.0]

    followed.follow(server.read)

    server.timer_s = 1100.0
    assert abs(followed.utc_now() - NOON - timedelta(seconds=100)) < timedelta(milliseconds=1)


def test_slow_answers_do_not_replace_a_quick_one(server: Server, followed: FollowedClock) -> None:
    followed.follow(server.read)
    server.timer_s += clock.FOLLOW_EVERY_S
    # An answer that does not show when it was given.
    server.took_s, server.step = [8.0], timedelta(seconds=4)

    followed.follow(server.read)

    assert abs(followed.utc_now() - NOON - timedelta(seconds=server.timer_s - 1000)) < timedelta(
        seconds=0.01
    )


@databases.postgres_only
@pytest.mark.django_db
def test_machines_follow_the_clock_of_the_server() -> None:
    clock.follow_database()

    assert abs(clock.utc_now() - datetime.now(UTC)) < timedelta(seconds=1)
