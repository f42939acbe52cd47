"""How old a link is at least known to be."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from crawler.ranking.link_age import UNKNOWN_DAY, day_of, found_day, recent_since

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
TODAY = 20779


def test_days_are_counted_from_1970_in_utc() -> None:
    shanghai = timezone(timedelta(hours=8))

    assert day_of(datetime(1970, 1, 2, tzinfo=UTC)) == 1
    assert day_of(NOW) == TODAY
    assert day_of(datetime(2026, 11, 23, 7, 59, tzinfo=shanghai)) == TODAY
    assert day_of(datetime(1969, 1, 1, tzinfo=UTC)) == 1
    assert recent_since(NOW) == TODAY - 30


# days since the page was published, first look, there from the beginning, the link's day
@pytest.mark.parametrize(
    ("published", "first_look", "baseline", "expected"),
    [
        (None, False, False, TODAY),
        (None, False, True, TODAY),
        (900, False, True, TODAY),
        (900, True, True, TODAY - 900),
        (2, True, True, TODAY - 2),
        (2, True, False, TODAY - 2),
        (None, True, True, UNKNOWN_DAY),
        (None, True, False, TODAY),
    ],
)
def test_a_link_is_no_older_than_its_page_and_of_unknown_age_on_an_old_one(
    published: int | None, *, first_look: bool, baseline: bool, expected: int
) -> None:
    date = None if published is None else NOW - timedelta(days=published)
    assert found_day(date, NOW, first_look=first_look, baseline=baseline) == expected
