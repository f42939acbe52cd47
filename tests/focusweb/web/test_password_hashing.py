"""One password at a time, and a short line before the door."""

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest
from django.contrib.auth.hashers import check_password, identify_hasher, make_password

from focusweb.web.password_hashing import (
    HashingLimiter,
    OneAtATimeArgon2Hasher,
    PasswordsBusyError,
    QueueAccess,
    queue_access,
)


@pytest.fixture
def inside() -> Iterator[tuple[HashingLimiter, threading.Event]]:
    """A limiter with one thread inside until the event is set."""
    limiter = HashingLimiter(running=1, waiting=1, wait_s=0.2)
    entered, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with limiter.place():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=stay)
    thread.start()
    assert entered.wait(10)
    yield limiter, leave
    leave.set()
    thread.join(10)


def test_who_waits_too_long_is_sent_away(inside: tuple[HashingLimiter, threading.Event]) -> None:
    with pytest.raises(PasswordsBusyError), inside[0].place():
        pass


def test_who_waits_gets_in_when_there_is_room(
    inside: tuple[HashingLimiter, threading.Event],
) -> None:
    limiter, leave = inside
    leave.set()
    for _ in range(3):
        with limiter.place():
            pass


def test_a_long_line_is_sent_away_at_once() -> None:
    limiter = HashingLimiter(running=1, waiting=0, wait_s=60.0)
    with limiter.place(), pytest.raises(PasswordsBusyError), limiter.place():
        pass
    with limiter.place():
        pass


def test_who_may_not_wait_is_sent_away_at_once(
    inside: tuple[HashingLimiter, threading.Event],
) -> None:
    token = queue_access.set(QueueAccess.NONE)
    with pytest.raises(PasswordsBusyError), inside[0].place():
        pass
    queue_access.reset(token)


def test_the_reserved_line_has_a_place_when_the_common_one_is_full() -> None:
    limiter = HashingLimiter(running=1, waiting=0, wait_s=10.0)
    came = threading.Event()

    def wait() -> None:
        queue_access.set(QueueAccess.RESERVED)  # of this thread only
        with limiter.place():
            came.set()

    thread = threading.Thread(target=wait)
    with limiter.place():
        thread.start()
        assert not came.wait(0.1)
    assert came.wait(10)
    thread.join(10)


def test_nobody_overtakes_who_waits() -> None:
    limiter = HashingLimiter(running=1, waiting=1, wait_s=10.0)
    came: list[str] = []

    def wait() -> None:
        with limiter.place():
            came.append("waited")
            time.sleep(0.1)

    def push() -> None:
        queue_access.set(QueueAccess.NONE)  # of this thread only
        give_up = time.monotonic() + 10
        while time.monotonic() < give_up:
            with contextlib.suppress(PasswordsBusyError), limiter.place():
                came.append("pushed")
                return

    threads = [threading.Thread(target=wait), threading.Thread(target=push)]
    with limiter.place():
        for thread in threads:
            thread.start()
            time.sleep(0.1)
    for thread in threads:
        thread.join(10)
    assert came == ["waited", "pushed"]


def test_passwords_are_stored_as_django_stores_them() -> None:
    stored = make_password("right")

    assert stored.startswith("argon2$argon2id$")
    assert isinstance(identify_hasher(stored), OneAtATimeArgon2Hasher)
    assert check_password("right", stored)
    assert not check_password("wrong", stored)
