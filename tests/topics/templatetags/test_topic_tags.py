"""What templates say of ages."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone, translation

from topics.templatetags.topic_tags import age, day_or_time, moment

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


# how long ago, and the same in English and Chinese; "1\xa0月前" would be "before January"
@pytest.mark.parametrize(
    ("ago", "english", "chinese"),
    [
        (59 * MINUTE / 60, "just now", "刚刚"),
        (5 * MINUTE, "5\xa0minutes ago", "5\xa0分钟前"),
        (3 * HOUR, "3\xa0hours ago", "3\xa0小时前"),
        (DAY, "1\xa0day ago", "1\xa0天前"),
        (15 * DAY, "2\xa0weeks ago", "2\xa0周前"),
        (70 * DAY, "2\xa0months ago", "2\xa0个月前"),
        (800 * DAY, "2\xa0years ago", "2\xa0年前"),
    ],
)
def test_an_age_reads_naturally(ago: timedelta, english: str, chinese: str) -> None:
    assert age(NOON - ago, NOON) == english
    with translation.override("zh-hans"):
        assert age(NOON - ago, NOON) == chinese


def test_a_day_without_a_time_is_no_hour() -> None:
    day = NOON.replace(hour=0, minute=0)
    assert age(day, NOON) == "today"
    assert age(day, NOON + DAY) == "1\xa0day ago"
    assert age(day + timedelta(seconds=1), NOON) == "11\xa0hours ago"
    with timezone.override("America/New_York"):
        assert day_or_time(day) == f"{day:%Y-%m-%d}"
        assert f'title="{day:%Y-%m-%d}"' in moment(day, NOON)
        assert "America/New_York" in moment(NOON, NOON)
