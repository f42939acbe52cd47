"""Read Retry-After: how long to wait before the next request."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

#: A server may answer "in a year"; the crawler tries again after a day.
MAX_RETRY_AFTER_S: Final = 24 * 3600.0

_SECONDS = re.compile(r"\d+(?:\.\d*)?", re.ASCII)
_MAX_DATE_CHARS: Final = 64


def parse_retry_after(value: str, now: datetime) -> float | None:
    """Return the seconds to wait from `now`, in [0, 24 h], or None if the value has none.

    Understands seconds ("120", "1.5"), the three HTTP dates, and a list of
    seconds, of which the longest counts (RFC 9110, 10.2.3, and what is sent).
    """
    parts = [part.strip() for part in value.split(",")]
    if all(_SECONDS.fullmatch(part) for part in parts):
        # float() turns thousands of digits into infinity where int() raises.
        return min(max(float(part) for part in parts), MAX_RETRY_AFTER_S)
    moment = _http_date(value.strip())
    if moment is None:
        return None
    return min(max((moment - now).total_seconds(), 0.0), MAX_RETRY_AFTER_S)


def _http_date(text: str) -> datetime | None:
    if len(text) > _MAX_DATE_CHARS:
        return None
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
