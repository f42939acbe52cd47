"""Argon2, but only one password at a time: each takes half a second and 100 MB."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.contrib.auth.hashers import Argon2PasswordHasher


class PasswordsBusyError(Exception):
    """Too many passwords are being checked; try again in some seconds."""


class Gate:
    """Lets `running` in, and lets `waiting` more wait for at most `wait_s` seconds."""

    def __init__(self, *, running: int, waiting: int, wait_s: float) -> None:
        self._places = threading.BoundedSemaphore(running + waiting)
        self._running = threading.BoundedSemaphore(running)
        self._wait_s = wait_s

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Be inside.

        Raises
        ------
        PasswordsBusyError
            If too many wait already, or the wait was too long.
        """
        if not self._places.acquire(blocking=False):
            raise PasswordsBusyError
        try:
            if not self._running.acquire(timeout=self._wait_s):
                raise PasswordsBusyError
            try:
                yield
            finally:
                self._running.release()
        finally:
            self._places.release()


#: Of the web server's 8 threads at most 3 are held up by passwords.
GATE: Final = Gate(running=1, waiting=2, wait_s=5.0)


class OneAtATimeArgon2Hasher(Argon2PasswordHasher):
    """Django's hasher behind the gate; stored passwords stay as they are."""

    def encode(self, password: str, salt: str) -> str:
        with GATE.entered():
            encoded: str = super().encode(password, salt)
            return encoded

    def verify(self, password: str, encoded: str) -> bool:
        with GATE.entered():
            is_right: bool = super().verify(password, encoded)
            return is_right
