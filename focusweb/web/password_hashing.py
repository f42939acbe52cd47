"""Argon2, but only one password at a time: each takes half a second and 100 MB."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Final

from django.contrib.auth.hashers import Argon2PasswordHasher


class PasswordsBusyError(Exception):
    """Too many passwords are being checked; try again in some seconds."""


class QueueAccess(Enum):
    """Whether this thread may queue, so that a crowd of guessers does not keep others out."""

    NONE = 0  # guessed wrong before
    COMMON = 1
    RESERVED = 2  # a browser in which the same person signed in before


queue_access: Final[ContextVar[QueueAccess]] = ContextVar(
    "queue_access", default=QueueAccess.COMMON
)


class HashingLimiter:
    """Runs at most `running` callers at a time; `waiting` more may wait for `wait_s` seconds.

    One more may wait whose access is RESERVED.
    """

    def __init__(self, *, running: int, waiting: int, wait_s: float) -> None:
        self._most_running, self._most_waiting, self._wait_s = running, waiting, wait_s
        self._n_running = self._n_waiting = 0
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold one of the places. Waiting callers get theirs in their order.

        Raises
        ------
        PasswordsBusyError
            If too many wait already, this thread may not, or the wait was too long.
        """
        with self._changed:
            if not self._has_room() or self._n_waiting:
                self._wait()
            self._n_running += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_running -= 1
                self._changed.notify()

    def _has_room(self) -> bool:
        return self._n_running < self._most_running

    def _wait(self) -> None:
        places = {
            QueueAccess.NONE: 0,
            QueueAccess.COMMON: self._most_waiting,
            QueueAccess.RESERVED: self._most_waiting + 1,
        }
        if self._n_waiting >= places[queue_access.get()]:
            raise PasswordsBusyError
        self._n_waiting += 1
        try:
            if not self._changed.wait_for(self._has_room, self._wait_s):
                raise PasswordsBusyError
        finally:
            self._n_waiting -= 1


#: Of the web server's 8 threads at most 4 are held up by passwords.
LIMITER: Final = HashingLimiter(running=1, waiting=2, wait_s=5.0)


class OneAtATimeArgon2Hasher(Argon2PasswordHasher):
    """Django's hasher within the limiter; stored passwords stay as they are."""

    def encode(self, password: str, salt: str) -> str:
        with LIMITER.place():
            encoded: str = super().encode(password, salt)
            return encoded

    def verify(self, password: str, encoded: str) -> bool:
        with LIMITER.place():
            is_right: bool = super().verify(password, encoded)
            return is_right
