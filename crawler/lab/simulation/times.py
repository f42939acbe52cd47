"""The clock of a simulation: days since its start, as floats and as moments."""

from datetime import UTC, datetime, timedelta
from typing import Final

#: A Monday; nothing depends on which.
START: Final = datetime(2026, 1, 5, tzinfo=UTC)
_DAY: Final = timedelta(days=1)


def moment(day: float) -> datetime:
    """The moment so many days after the start; negative for before it."""
    return START + day * _DAY


def day_of(when: datetime) -> float:
    """Days from the start to a moment."""
    return (when - START) / _DAY
