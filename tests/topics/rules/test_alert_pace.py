"""When messages of a rule may go out, in many zones and through both changes of the clocks."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from topics.rules.alert_pace import Pace, Quiet

BERLIN = ZoneInfo("Europe/Berlin")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("since", "until", "wall", "held"),
    [
        ("22:00", "07:00", "22:00", True),
        ("22:00", "07:00", "06:59", True),
        ("22:00", "07:00", "07:00", False),
        ("22:00", "07:00", "21:59", False),
        ("12:00", "13:00", "12:30", True),
        ("12:00", "13:00", "13:00", False),
        ("08:00", "08:00", "08:00", False),
    ],
)
def test_quiet_hours_may_go_over_midnight(since: str, until: str, wall: str, *, held: bool) -> None:
    quiet = Quiet(time.fromisoformat(since), time.fromisoformat(until))
    assert quiet.holds(time.fromisoformat(wall)) is held


@pytest.mark.parametrize(
    ("now", "quiet"),
    [
        # 2026-03-29 02:00 becomes 03:00, 2026-10-25 03:00 becomes 02:00.
        ("2026-03-29 00:59", True),
        ("2026-03-29 01:00", False),
        ("2026-10-25 00:29", True),
        ("2026-10-25 00:30", False),
        ("2026-10-25 01:00", True),
        ("2026-10-25 01:30", False),
    ],
)
def test_quiet_hours_follow_the_wall_clock(now: str, quiet: bool) -> None:
    pace = Pace(quiet=Quiet(time(22), time(2, 30)), zone=BERLIN)
    assert pace.is_quiet(utc(now)) is quiet


def test_a_day_of_25_hours_has_one_limit() -> None:
    pace = Pace(max_per_day=1, zone=BERLIN)
    first = utc("2026-10-24 22:00")
    assert pace.next_moment(first + timedelta(minutes=1), first, [first]) == utc("2026-10-25 23:00")


def test_the_next_moment_obeys_all_limits_at_once() -> None:
    pace = Pace(hourly=True, quiet=Quiet(time(22), time(7)), zone=BERLIN)
    first = utc("2026-05-01 19:50")  # 21:50 there
    assert pace.next_moment(first, first, []) == utc("2026-05-02 05:00")


def test_a_rule_that_is_always_quiet_is_refused() -> None:
    pace = Pace(quiet=Quiet(time(0), time(23, 59, 59, 999999)), max_per_day=0)
    with pytest.raises(ValueError, match="three days"):
        pace.next_moment(utc("2026-05-01 12:00"), utc("2026-05-01 12:00"), [])
