"""H8: every form of Retry-After."""

from datetime import UTC, datetime

import pytest

from crawler.fetch.retry_after import parse_retry_after

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
DAY_S = 24 * 3600.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-5", None),
        ("9" * 5000, DAY_S),
        ("604800", DAY_S),
        ("Fri, 01 May 2026 12:02:00 GMT", 120.0),
        ("Friday, 01-May-26 12:02:00 GMT", 120.0),
        ("Fri May  1 12:02:00 2026", 120.0),
        ("Fri, 01 May 2026 14:02:00 +0200", 120.0),
        ("Fri, 01 May 2026 11:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", DAY_S),
        ("Fri, 01 May 99999 12:00:00 GMT", None),
        ("Fri, 99 Foo 2026 12:00:00 GMT", None),
        ("Fri, 01 May 2026 12:00:00 +99999999", None),
        ("soon", None),
        ("", None),
        ("120s", None),
        ("1e9", None),
        ("nan", None),
        ("inf", None),
        ("٣", None),
        ("120, 60, 5", 120.0),
        ("120, soon", None),
        ("Fri, " * 1000, None),
    ],
)
def test_h8_retry_after_is_read_or_ignored_but_never_an_error(
    value: str, seconds: float | None
) -> None:
    assert parse_retry_after(value, NOW) == seconds
