"""Unusual days and pauses, from the times of pages."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from topics.rules.event_times import silences, spikes

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SHANGHAI = ZoneInfo("Asia/Shanghai")


def pages(*counts: int) -> list[datetime]:
    """So many pages on each day after the first of May, a minute apart."""
    return [
        NOON + number * DAY + minute * timedelta(minutes=1)
        for number, count in enumerate(counts, start=1)
        for minute in range(count)
    ]


@pytest.mark.parametrize(
    ("counts", "days"),
    [
        ([2] * 10 + [6], [12]),
        ([2] * 10 + [5], []),
        ([0] * 10 + [4], []),
        ([0] * 10 + [5], [12]),
        ([2] * 6 + [9], []),
        ([2] * 7 + [9], [9]),
        ([2] * 10 + [9, 9, 9], [12]),
        ([2] * 10 + [9, 1, 9], [12, 14]),
        # Only the fortnight before counts.
        ([9] * 10 + [1] * 14 + [5], [26]),
        ([], []),
    ],
)
def test_a_day_with_three_times_the_usual_pages_is_a_spike(
    counts: list[int], days: list[int]
) -> None:
    found = spikes(pages(*counts), NOON, SHANGHAI)

    assert [one.day.day for one in found] == days


def test_a_spike_happens_with_the_page_that_is_too_much() -> None:
    (one,) = spikes(pages(*[2] * 10, 20), NOON, SHANGHAI)

    assert one.moment == NOON + 11 * DAY + timedelta(minutes=5)
    assert (one.count, one.usual) == (20, 2)


@pytest.mark.parametrize(
    ("days", "ends", "expected"),
    [
        ([], 6, []),
        ([], 7, [(0, 7)]),
        ([3], 9, []),
        ([3], 10, [(3, 10)]),
        ([1, 9, 20], 21, [(1, 8), (9, 16)]),
        # What lies outside does not count.
        ([-3, 30], 7, [(0, 7)]),
    ],
)
def test_a_silence_is_found_when_it_is_long_enough(
    days: list[int], ends: int, expected: list[tuple[int, int]]
) -> None:
    moments = [NOON + day * DAY for day in days]

    found = silences(moments, NOON, NOON + ends * DAY, 7 * DAY)

    assert found == [(NOON + first * DAY, NOON + last * DAY) for first, last in expected]
