"""Which issue is due: local days in many zones, through both changes of the clocks."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from topics.delivery.plan import covered_days, newest_slot
from topics.rules.schedule import Schedule, next_run

DAY = timedelta(days=1)
#: Zones with the days of 2026 on which their clocks are changed; two that never are.
ZONES = {
    "Europe/Berlin": ("2026-03-29", "2026-10-25"),
    "Europe/London": ("2026-03-29", "2026-10-25"),
    "America/New_York": ("2026-03-08", "2026-11-01"),
    "America/Los_Angeles": ("2026-03-08", "2026-11-01"),
    "America/Santiago": ("2026-09-06", "2026-04-05"),
    "America/Havana": ("2026-03-08", "2026-11-01"),
    "Africa/Cairo": ("2026-04-24", "2026-10-30"),
    "Australia/Sydney": ("2026-10-04", "2026-04-05"),
    "Australia/Lord_Howe": ("2026-10-04", "2026-04-05"),
    "Pacific/Auckland": ("2026-09-27", "2026-04-05"),
    "Asia/Shanghai": ("2026-03-29", "2026-10-25"),
    "Asia/Kolkata": ("2026-03-29", "2026-10-25"),
}
TIMES = ["00:00", "00:30", "01:30", "02:30", "03:00", "08:00", "23:30"]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def daily(at: str, zone: str) -> Schedule:
    return Schedule("daily", at=time.fromisoformat(at), zone=ZoneInfo(zone))


@pytest.mark.parametrize("at", TIMES)
@pytest.mark.parametrize(
    ("zone", "change"), [(zone, change) for zone, days in ZONES.items() for change in days]
)
def test_every_local_day_around_a_change_has_one_slot(zone: str, change: str, at: str) -> None:
    schedule = daily(at, zone)
    now, dates = utc(change) - 4 * DAY, []
    due = next_run(schedule, now)
    first = due.astimezone(schedule.zone).date()
    while now < utc(change) + 4 * DAY:
        now += timedelta(minutes=29)
        if due <= now:
            slot = newest_slot(schedule, due, now)
            dates.append(slot.local_date)
            assert timedelta(0) <= now - slot.moment < timedelta(minutes=29)
            due = next_run(schedule, now)
    assert dates == [first + n * DAY for n in range(len(dates))]
    assert len(dates) in (7, 8, 9)


def test_after_an_outage_the_newest_slot_stands_for_all() -> None:
    schedule = daily("08:00", "Asia/Shanghai")
    slot = newest_slot(schedule, utc("2026-05-01 00:00"), utc("2026-05-04 03:00"))
    assert slot.moment == utc("2026-05-04 00:00")
    assert slot.local_date == date(2026, 5, 4)


def test_the_day_is_the_local_one() -> None:
    schedule = daily("23:30", "America/New_York")
    slot = newest_slot(schedule, utc("2026-05-02 03:30"), utc("2026-05-02 04:00"))
    assert slot.local_date == date(2026, 5, 1)


def test_a_slot_that_has_not_come_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing is due before"):
        newest_slot(daily("08:00", "UTC"), utc("2026-05-02 08:00"), utc("2026-05-02 07:59"))


WEEKLY = Schedule("weekly", at=time(8), weekdays=frozenset({0, 3}), zone=ZoneInfo("UTC"))
COVERED = [
    # schedule, from, until, days
    (daily("08:00", "UTC"), "2026-05-01 08:00", "2026-05-02 08:00", 0),
    (daily("08:00", "UTC"), "2026-05-01 08:01", "2026-05-02 08:02", 0),
    (daily("08:00", "UTC"), "2026-05-01 12:00", "2026-05-02 08:00", 0),
    (daily("08:00", "UTC"), "2026-05-01 08:01", "2026-05-04 09:00", 3),
    (daily("08:00", "UTC"), "2026-05-01 08:01", "2026-05-03 08:00", 2),
    (daily("08:00", "Europe/Berlin"), "2026-03-28 07:00", "2026-03-29 06:00", 0),
    # 2026-05-04 is a Monday: Monday to Thursday is the usual, Monday to Monday is not.
    (WEEKLY, "2026-05-04 08:01", "2026-05-07 08:01", 0),
    (WEEKLY, "2026-05-04 08:01", "2026-05-11 08:01", 7),
]


@pytest.mark.parametrize(("schedule", "since", "until", "days"), COVERED)
def test_only_more_than_the_usual_is_mentioned(
    schedule: Schedule, since: str, until: str, days: int
) -> None:
    assert covered_days(schedule, utc(since), utc(until)) == days
