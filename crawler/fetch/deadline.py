"""One deadline over a whole exchange, not one timeout per packet."""

import io
import socket
import time
from collections.abc import Callable

from crawler.errors import FetchError
from crawler.reasons import Reason


class Deadline:
    """A moment after which nothing more may be waited for."""

    __slots__ = ("_clock", "_end", "_total_s")

    def __init__(self, total_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total_s = total_s
        self._end = clock() + total_s

    def remaining(self, at_most_s: float) -> float:
        """Return the seconds left, at most `at_most_s`; raise DEADLINE when none are."""
        left = self._end - self._clock()
        if left <= 0:
            raise FetchError(Reason.DEADLINE, f"not finished within {self._total_s:g} s")
        return min(left, at_most_s)


class DeadlineReader(io.RawIOBase):
    """The read side of a socket, where every single receive knows the deadline.

    A server that drips a byte a second resets a plain socket timeout each time;
    here the time left only shrinks, so headers, chunk lines and bodies all end.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline, silence_s: float) -> None:
        self.n_received = 0
        self._sock = sock
        self._deadline = deadline
        self._silence_s = silence_s
        # Unbuffered, and it keeps the socket open after the connection released it.
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._sock.settimeout(self._deadline.remaining(self._silence_s))
        try:
            n_bytes = self._raw.readinto(buffer) or 0
        except TimeoutError as error:
            self._deadline.remaining(self._silence_s)
            detail = f"the server was silent for {self._silence_s:g} s"
            raise FetchError(Reason.DEADLINE, detail) from error
        except OSError as error:
            raise FetchError(Reason.INCOMPLETE, f"connection broke: {error}") from error
        self.n_received += n_bytes
        return n_bytes

    def close(self) -> None:
        self._raw.close()
        super().close()
