"""Dates in a list are read, doubted, counted, and show what is new."""

from datetime import UTC, datetime, timedelta

import pytest

from crawler.revisit.listed import (
    LATELY,
    MAX_BACK,
    Growth,
    believed_dates,
    fresh_since,
    growth,
    news_since,
    smoothed_share,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


def listing(*texts: str) -> dict[str, str]:
    """A list of entries with these dates, as written."""
    return {f"http://a.test/{number}": text for number, text in enumerate(texts)}


def days_ago(*days: float) -> list[datetime]:
    return [NOON - day * DAY for day in days]


@pytest.mark.parametrize(
    ("texts", "n_believed"),
    [
        (["Fri, 01 May 2026 10:00:00 GMT", "2026-04-30T08:00:00Z"], 2),
        (["2026-04-28", "2026-04-29", "2026-04-30"], 3),
        # One of five may be odd: kept on top, announced, broken.
        (["2026-01-01", "2026-04-30", "2026-04-29", "2026-04-28", "2026-04-27"], 5),
        (["2026-06-01", "2026-04-30", "2026-04-29", "2026-04-28", "2026-04-27"], 4),
        (["soon", "2026-04-30", "2026-04-29", "2026-04-28", "2026-04-27"], 4),
        (["soon", "2026-06-01", "2026-04-29", "2026-04-28", "2026-04-27"], 0),
        (["2026-06-01", "2026-04-29", "2026-04-28"], 0),
        (["1970-01-01", "2026-04-29", "2026-04-28"], 0),
        (["2026-04-28", "2026-04-30", "2026-04-27", "2026-04-29"], 0),
        (["2026-04-30", "2026-04-30", "2026-04-30"], 0),
        (["2026-05-01T11:59:59Z", "2026-05-01T11:59:30Z", "2026-05-01T11:59:01Z"], 0),
        (["2026-04-30"], 0),
        ([], 0),
    ],
)
def test_dates_are_believed_as_a_whole_or_not_at_all(texts: list[str], n_believed: int) -> None:
    dates = believed_dates(listing(*texts), NOON)

    assert len(dates) == n_believed
    assert all(when <= NOON for when in dates.values())


def test_a_clock_time_without_a_zone_is_that_of_the_lists_language() -> None:
    texts = listing("2026-04-30 08:00", "2026-04-29 08:00")

    assert believed_dates(texts, NOON)["http://a.test/0"].astimezone(UTC).hour == 8
    assert believed_dates(texts, NOON, "zh")["http://a.test/0"].astimezone(UTC).hour == 0


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        # The oldest marks where counting begins, as what was before it may have dropped off.
        (days_ago(0.5, 1.5, 1.6, 3), Growth(1.0, (0.0, 2.0, 1.0))),
        (days_ago(3, 1.6, 1.5, 0.5), Growth(1.0, (0.0, 2.0, 1.0))),
        (days_ago(0, 0.25), Growth(0.25, (1.0,))),
        (days_ago(0.1, 1.2, 1.5), Growth(0.75, (1.0, 1.0))),
        (days_ago(30, 40), Growth(1.0, (0.0,) * 14)),
        (days_ago(13.5, 40), Growth(1.0, (1.0,) + (0.0,) * 13)),
        (days_ago(1), None),
        (days_ago(0, 0), None),
        ([], None),
    ],
)
def test_growth_is_counted_by_the_day_back_to_the_oldest_entry(
    dates: list[datetime], expected: Growth | None
) -> None:
    assert growth(dates, NOON) == expected
    assert MAX_BACK == 14 * DAY


def test_only_a_share_of_a_lists_entries_is_on_topic() -> None:
    assert Growth(0.5, (4.0, 0.0)).of(0.25) == Growth(0.5, (1.0, 0.0))
    assert smoothed_share(0, 0) == 0.25
    assert smoothed_share(0, 100) < 0.01
    assert smoothed_share(99, 99) > 0.98


@pytest.mark.parametrize(
    ("last_run", "since"), [(None, LATELY), (NOON - HOUR, LATELY), (NOON - 5 * DAY, 5 * DAY)]
)
def test_new_is_what_came_since_the_last_run_or_in_two_days(
    last_run: datetime | None, since: timedelta
) -> None:
    assert fresh_since(NOON, last_run) == NOON - since


@pytest.mark.parametrize(
    ("first_run", "last_run", "since"),
    [(30 * DAY, HOUR, LATELY), (30 * DAY, 5 * DAY, 5 * DAY), (DAY, HOUR, DAY)],
)
def test_a_silent_beginning_ends_two_days_ago_but_never_before_the_first_run(
    first_run: timedelta, last_run: timedelta, since: timedelta
) -> None:
    assert news_since(NOON, NOON - first_run, NOON - last_run) == NOON - since
