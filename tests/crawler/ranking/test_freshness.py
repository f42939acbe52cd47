"""What is news and what was there before."""

from datetime import UTC, datetime, timedelta

import pytest

from crawler.ranking.freshness import (
    freshness_weight,
    half_life_days,
    is_baseline,
    is_new_site,
)

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WINDOW = NOW - 30 * DAY


@pytest.mark.parametrize(
    ("published", "first_run", "was_there", "known_before", "expected"),
    [
        (None, True, False, False, True),
        (0, True, False, False, True),
        (None, False, False, False, False),
        (9, False, False, False, False),
        (None, False, True, False, True),
        (9, False, True, False, True),
        (0, False, True, False, False),
        (None, False, False, True, True),
        (0, False, False, True, False),
    ],
)
def test_what_was_there_before_is_news_only_if_it_is_younger_than_the_last_look(
    published: int | None,
    *,
    first_run: bool,
    was_there: bool,
    known_before: bool,
    expected: bool,
) -> None:
    is_known = is_baseline(
        None if published is None else NOW - published * DAY,
        first_run=first_run,
        was_there=was_there,
        known_before=known_before,
        last_look=NOW - DAY,
    )
    assert is_known is expected


@pytest.mark.parametrize(
    ("seen", "baseline", "expected"),
    [(5, 40, True), (35, 40, False), (5, 2, False), (5, None, False)],
)
def test_a_site_is_new_for_a_month_unless_the_first_run_found_it(
    seen: int, baseline: int | None, *, expected: bool
) -> None:
    began = None if baseline is None else NOW - baseline * DAY
    assert is_new_site(NOW - seen * DAY, began, NOW) is expected


@pytest.mark.parametrize(("window", "expected"), [(1, 1), (7, 1), (14, 1), (30, 2), (365, 24)])
def test_news_lose_half_their_weight_in_a_fifteenth_of_the_window(
    window: int, expected: int
) -> None:
    assert half_life_days(window) == expected


@pytest.mark.parametrize(
    ("days", "expected"), [(-2, 1.0), (0, 1.0), (2, 0.5), (4, 0.25), (1, 0.7071)]
)
def test_what_news_count_by_falls_with_their_age(days: float, expected: float) -> None:
    assert freshness_weight(days * DAY, 2) == pytest.approx(expected, abs=1e-4)
    assert freshness_weight(days * DAY, 0) == 1.0
