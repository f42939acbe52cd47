"""When the messages of an alert rule may be sent: pace and quiet hours. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

UTC_ZONE: Final = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Quiet:
    """Hours of the local day without messages; from 22:00 until 07:00 goes over midnight."""

    since: time
    until: time

    def holds(self, wall: time) -> bool:
        """Return whether a wall time is inside; equal ends mean that no time is."""
        if self.since <= self.until:
            return self.since <= wall < self.until
        return wall >= self.since or wall < self.until


@dataclass(frozen=True, slots=True)
class Pace:
    """How often messages may come.

    Attributes
    ----------
    hourly : bool
        At most one in each full hour of the local clock, for what came in the hour before.
    max_per_day : int or None
        Most messages on one local day.
    zone : ZoneInfo
        Whose wall clock counts.
    """

    hourly: bool = False
    max_per_day: int | None = None
    quiet: Quiet | None = None
    zone: ZoneInfo = UTC_ZONE

    def is_quiet(self, now: datetime) -> bool:
        """Return whether messages wait now because of the quiet hours."""
        wall = now.astimezone(self.zone).time()
        return self.quiet is not None and self.quiet.holds(wall)

    def day_of(self, moment: datetime) -> date:
        """Return the local day that a message counts for."""
        return moment.astimezone(self.zone).date()

    def hour_of(self, moment: datetime) -> datetime:
        """When the full local hour began that holds a moment, in UTC."""
        local = moment.astimezone(self.zone)
        past = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        return moment.astimezone(UTC) - past

    def may_send(self, now: datetime, first: datetime, sent: Sequence[datetime]) -> bool:
        """Return whether a message may go out now.

        Parameters
        ----------
        first : datetime
            When the first alert came that waits.
        sent : sequence of datetime
            When the earlier messages of at least this local day and hour were made.
        """
        if self.is_quiet(now):
            return False
        if self.hourly:
            hour = self.hour_of(now)
            return first < hour and not any(self.hour_of(one) == hour for one in sent)
        if self.max_per_day is not None:
            today = self.day_of(now)
            return sum(self.day_of(one) == today for one in sent) < self.max_per_day
        return True

    def next_moment(self, now: datetime, first: datetime, sent: Sequence[datetime]) -> datetime:
        """Return the first moment from `now` on, to the minute, at which a message may go out."""
        moment = now
        # Quiet hours and a full day end within two days at most; a change of clocks is inside.
        for _ in range(3 * 24 * 60):
            if self.may_send(moment, first, sent):
                return moment
            moment = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        raise ValueError(f"no message may be sent within three days after {now}: {self}")
