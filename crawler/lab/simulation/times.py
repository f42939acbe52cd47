"""The clock of a simulation: days since its start, as floats and as moments."""

from datetime import UTC, datetime, timedelta
from typing import Final

#: A Monday; nothing depends on which.
START: Final = datetime(2026, 1, 5, tzinfo=UTC)
_DAY: Final = timedelta(days=1)


def moment_of_day(day: float) -> datetime:
    """Return the moment so many days after the start; negative for before it."""
    return START + day * _DAY


def days_since_start(when: datetime) -> float:
    """Days from the start to a moment."""
    return (when - START) / _DAY
