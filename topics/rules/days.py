"""Which day a moment is of. Pages often name a day and no time: kept as midnight UTC."""

from datetime import UTC, date, datetime, time

from django.utils import timezone


def is_day(when: datetime) -> bool:
    """Whether a moment stands for a day."""
    return when.astimezone(UTC).time() == time.min


def day_of(when: datetime) -> date:
    """Return the day of a moment in the reader's zone; a day is the same day in every zone."""
    return when.astimezone(UTC).date() if is_day(when) else timezone.localdate(when)
