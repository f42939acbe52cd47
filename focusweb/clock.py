"""The time on which all machines agree: the database's, where they share a PostgreSQL server.

Leases and politeness delays are moments in tables. A machine that took them from a clock of its own
would end the lease of another machine too early, or rest too short. So each process measures how
far the database's clock is from its own timer, and no step of its wall clock changes that.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from focusweb import database

#: Time after which the database's clock is read again.
FOLLOW_EVERY_S = 30.0
#: A computer's timer is wrong by less than this part of the time that passed.
DRIFT = 1e-4
#: Number of readings; the quickest is used.
N_READINGS = 3

#: It counts while the machine sleeps, which the usual monotonic clock does not.
_TIMER = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _elapsed_s() -> float:
    return time.clock_gettime(_TIMER)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A reading of another clock: `moment` when our timer was `at_s`, plus or minus `error_s`."""

    moment: datetime
    at_s: float
    error_s: float

    def uncertainty_s(self, at_s: float) -> float:
        """Return how far a time that is derived from this reading may be wrong later."""
        return self.error_s + DRIFT * (at_s - self.at_s)


class FollowedClock:
    """The wall clock, or another clock once it was read."""

    def __init__(self, timer_s: Callable[[], float] = _elapsed_s) -> None:
        self._timer_s = timer_s
        self._reading: ClockReading | None = None
        self._read_at_s = 0.0

    def utc_now(self) -> datetime:
        """Return the time of the clock that is followed; until there is one, the wall clock's."""
        reading = self._reading
        if reading is None:
            return datetime.now(UTC)
        return reading.moment + timedelta(seconds=self._timer_s() - reading.at_s)

    def follow(self, read: Callable[[], datetime]) -> None:
        """Read another clock and follow it from now on; does nothing for a while after that."""
        if self._reading is not None and self._timer_s() - self._read_at_s < FOLLOW_EVERY_S:
            return
        best = min((self._read(read) for _ in range(N_READINGS)), key=lambda one: one.error_s)
        self._read_at_s = best.at_s
        old = self._reading
        # A slow reading is less exact than an older, quick one.
        if old is None or best.error_s <= old.uncertainty_s(best.at_s):
            self._reading = best

    def _read(self, read: Callable[[], datetime]) -> ClockReading:
        began = self._timer_s()
        moment = read()
        ended = self._timer_s()
        return ClockReading(moment, (began + ended) / 2, (ended - began) / 2)


_clock = FollowedClock()


def utc_now() -> datetime:
    """Return the time on which all machines agree."""
    return _clock.utc_now()


def follow_database() -> None:
    """Follow the clock of the PostgreSQL server; SQLite has one machine and its wall clock."""
    if not database.is_sqlite():
        _clock.follow(database.server_time)
