"""What is news and what was there before."""

from datetime import UTC, datetime, timedelta

import pytest

from crawler.ranking.freshness import (
    Dated,
    freshness_weight,
    half_life_days,
    is_baseline,
    is_new_site,
    is_news,
    is_old_story,
)

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WINDOW = NOW - 30 * DAY


# published and first seen as days ago, there from the beginning, news
@pytest.mark.parametrize(
    ("published", "seen", "baseline", "expected"),
    [
        (1, 0, False, True),
        (30, 0, False, True),
        (31, 0, False, False),
        (400, 0, False, False),
        (None, 0, False, True),
        (None, 31, False, False),
        (1, 31, False, True),
        (-1, 0, False, False),
        (1, 0, True, False),
        (None, 0, True, False),
    ],
)
def test_news_was_published_or_else_first_seen_inside_the_window(
    published: int | None, seen: int, *, baseline: bool, expected: bool
) -> None:
    date = None if published is None else NOW - published * DAY
    assert is_news(date, NOW - seen * DAY, WINDOW, NOW, baseline=baseline) is expected


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
    told = is_baseline(
        None if published is None else NOW - published * DAY,
        first_run=first_run,
        was_there=was_there,
        known_before=known_before,
        last_look=NOW - DAY,
    )
    assert told is expected


@pytest.mark.parametrize(
    ("seen", "baseline", "expected"),
    [(5, 40, True), (35, 40, False), (5, 2, False), (5, None, False)],
)
def test_a_site_is_new_for_a_month_unless_the_first_run_found_it(
    seen: int, baseline: int | None, *, expected: bool
) -> None:
    began = None if baseline is None else NOW - baseline * DAY
    assert is_new_site(NOW - seen * DAY, began, NOW) is expected


# Another page of the story: its domain, title, published and first seen as days ago, baseline.
@pytest.mark.parametrize(
    ("domain", "title", "published", "seen", "baseline", "expected"),
    [
        ("a.test", "Roofs", 400, 9, False, True),
        ("a.test", "Roofs", None, 40, False, True),
        ("a.test", "Roofs", 6, 5, True, True),
        ("a.test", "Roofs", None, 5, True, True),
        ("a.test", "Roofs", 6, 5, False, False),
        ("a.test", "Roofs", None, 5, False, False),
        ("a.test", "Roofs", 400, 1, True, False),
        ("a.test", "Roofs", 400, 0, False, False),
        ("b.test", "Roofs", 400, 9, True, False),
        ("a.test", "Panels", 400, 9, True, False),
    ],
)
def test_a_story_is_old_if_its_site_told_it_before_under_its_title_and_it_was_old_then(
    domain: str, title: str, published: int | None, seen: int, *, baseline: bool, expected: bool
) -> None:
    page = Dated("a.test", "Roofs", NOW, NOW - DAY)
    date = None if published is None else NOW - published * DAY
    other = Dated(domain, title, date, NOW - seen * DAY, baseline)

    assert is_old_story(page, [page, other], WINDOW) is expected


@pytest.mark.parametrize(("window", "expected"), [(1, 1), (7, 1), (14, 1), (30, 2), (365, 24)])
def test_news_lose_half_their_weight_in_a_fifteenth_of_the_window(
    window: int, expected: int
) -> None:
    assert half_life_days(window) == expected


@pytest.mark.parametrize(
    ("days", "expected"), [(-2, 1.0), (0, 1.0), (2, 0.5), (4, 0.25), (1, 0.7071)]
)
def test_what_news_count_by_falls_with_their_age(days: float, expected: float) -> None:
    assert freshness_weight(days * DAY, 30) == pytest.approx(expected, abs=1e-4)
