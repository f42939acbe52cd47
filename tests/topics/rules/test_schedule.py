"""Runs come at the wall time a person named, through both changes of the clocks."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topics.rules.schedule import Schedule, next_run, parse_times, parse_weekdays


def daily(at: str, zone: str) -> Schedule:
    return Schedule("daily", at=time.fromisoformat(at), zone=ZoneInfo(zone))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# zone, wall time, after (UTC), next (UTC)
DAILY_CASES = [
    ("UTC", "08:00", "2024-05-01 07:59", "2024-05-01 08:00"),
    ("UTC", "08:00", "2024-05-01 08:00", "2024-05-02 08:00"),
    ("Asia/Shanghai", "08:00", "2024-05-01 00:00", "2024-05-02 00:00"),
    ("Asia/Shanghai", "08:00", "2024-05-01 23:59", "2024-05-02 00:00"),
    ("Asia/Kolkata", "00:30", "2024-05-01 12:00", "2024-05-01 19:00"),
    ("Pacific/Kiritimati", "23:00", "2024-05-01 08:59", "2024-05-01 09:00"),
    # Spring: the skipped wall time becomes the first valid minute after it.
    ("Europe/Berlin", "02:30", "2024-03-30 12:00", "2024-03-31 01:00"),
    ("Europe/Berlin", "02:30", "2024-03-31 01:00", "2024-04-01 00:30"),
    ("Europe/Berlin", "08:00", "2024-03-30 07:00", "2024-03-31 06:00"),
    ("America/New_York", "02:00", "2024-03-10 05:00", "2024-03-10 07:00"),
    ("America/New_York", "02:59", "2024-03-10 05:00", "2024-03-10 07:00"),
    ("Australia/Lord_Howe", "02:15", "2024-10-05 12:00", "2024-10-05 15:30"),
    ("America/Santiago", "00:30", "2024-09-07 12:00", "2024-09-08 04:00"),
    # A whole day is skipped: its run comes in the first minute of the next one, once.
    ("Pacific/Apia", "08:00", "2011-12-29 20:00", "2011-12-30 10:00"),
    ("Pacific/Apia", "08:00", "2011-12-30 10:00", "2011-12-30 18:00"),
    # Autumn: the repeated wall time counts once, the first time.
    ("Europe/Berlin", "02:30", "2024-10-26 12:00", "2024-10-27 00:30"),
    ("Europe/Berlin", "02:30", "2024-10-27 00:30", "2024-10-28 01:30"),
    ("Europe/Berlin", "02:30", "2024-10-27 00:45", "2024-10-28 01:30"),
    ("America/New_York", "01:30", "2024-11-03 05:30", "2024-11-04 06:30"),
    ("Australia/Lord_Howe", "01:45", "2024-04-06 14:45", "2024-04-07 15:15"),
]


@pytest.mark.parametrize(("zone", "at", "after", "expected"), DAILY_CASES)
def test_a_daily_run_comes_at_its_wall_time(zone: str, at: str, after: str, expected: str) -> None:
    assert next_run(daily(at, zone), utc(after)) == utc(expected)


WEEKLY_CASES = [
    # 2024-05-01 is a Wednesday.
    ({0}, "2024-05-01 12:00", "2024-05-06 08:00"),
    ({2}, "2024-05-01 07:00", "2024-05-01 08:00"),
    ({2}, "2024-05-01 08:00", "2024-05-08 08:00"),
    ({0, 3}, "2024-05-01 12:00", "2024-05-02 08:00"),
    ({6}, "2024-05-05 08:00", "2024-05-12 08:00"),
]


@pytest.mark.parametrize(("days", "after", "expected"), WEEKLY_CASES)
def test_a_weekly_run_comes_on_its_days(days: set[int], after: str, expected: str) -> None:
    plan = Schedule("weekly", at=time(8), weekdays=frozenset(days), zone=ZoneInfo("UTC"))
    assert next_run(plan, utc(after)) == utc(expected)


def test_the_day_of_a_weekly_run_is_the_local_one() -> None:
    plan = Schedule("weekly", at=time(8), weekdays=frozenset({0}), zone=ZoneInfo("Asia/Shanghai"))
    assert next_run(plan, utc("2024-05-05 12:00")) == utc("2024-05-06 00:00")


def test_runs_every_few_hours_ignore_the_clocks_change() -> None:
    plan = Schedule("hours", every=timedelta(hours=6), zone=ZoneInfo("Europe/Berlin"))
    assert next_run(plan, utc("2024-03-31 00:00")) == utc("2024-03-31 06:00")


ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai"]
MINUTES = st.integers(0, 3 * 366 * 24 * 60)


@given(minutes=MINUTES, at=st.times(), zone=st.sampled_from(ZONES))
def test_a_daily_run_is_later_but_within_two_days(minutes: int, at: time, zone: str) -> None:
    after = utc("2023-01-01") + timedelta(minutes=minutes)
    moment = next_run(Schedule("daily", at=at, zone=ZoneInfo(zone)), after)
    assert after < moment <= after + timedelta(hours=26)


IMPOSSIBLE = [
    (Schedule("daily"), "time of day"),
    (Schedule("weekly", weekdays=frozenset({1})), "time of day"),
    (Schedule("weekly", at=time(8)), "at least one day"),
    (Schedule("hours", every=timedelta(0)), "positive"),
    (Schedule("monthly", at=time(8)), "'monthly'"),
]


@pytest.mark.parametrize(("plan", "said"), IMPOSSIBLE)
def test_an_impossible_schedule_is_refused(plan: Schedule, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        next_run(plan, utc("2024-05-01 12:00"))


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        next_run(daily("08:00", "UTC"), datetime(2024, 5, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("", set()),
        ("mon", {0}),
        ("mon, thu", {0, 3}),
        ("Mon Thu,SUN", {0, 3, 6}),
        ("monday; friday".replace(";", ","), {0, 4}),
        ("周一，周四", {0, 3}),
        ("星期日 周天", {6}),
    ],
)
def test_days_are_read_in_english_and_chinese(text: str, days: set[int]) -> None:
    assert parse_weekdays(text) == days


@pytest.mark.parametrize(("text", "word"), [("mon, thx", "thx"), ("8", "8"), ("周八", "周八")])
def test_a_word_that_is_no_day_is_named(text: str, word: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_weekdays(text)
    assert caught.value.args == (word,)


@pytest.mark.parametrize("word", ["08:00Z", "08:00+02:00", "8:00+02:00", "noon"])
def test_a_word_that_is_not_a_wall_time_is_named(word: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_times(f"12:30, {word}")
    assert caught.value.args == (word,)
