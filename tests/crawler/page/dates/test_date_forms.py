from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.page.dates.date_forms import EARLIEST, read_date

NOW = datetime(2026, 11, 22, 1, 30, tzinfo=UTC)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21", "2026-11-21"),
        ("2026-11-21T10:20:30Z", "2026-11-21 10:20:30"),
        ("2026-11-21T10:20:30.123456+08:00", "2026-11-21 02:20:30"),
        ("2026-11-21T10:20:30-0500", "2026-11-21 15:20:30"),
        ("2026-11-21 10:20", "2026-11-21 10:20"),
        ("2026/1/2", "2026-01-02"),
        ("2026.11.21 (星期六) 10:20", "2026-11-21 10:20"),
        ("20261121", "2026-11-21"),
        ("Sat, 21 Nov 2026 10:00:00 +0800", "2026-11-21 02:00"),
        ("Sat, 21 Nov 2026 10:00:00 GMT", "2026-11-21 10:00"),
        ("Sat Nov 21 2026 10:00:00 GMT+0800 (China)", "2026-11-21 02:00"),
        ("21st of November 2026", "2026-11-21"),
        ("21-Nov-2026", "2026-11-21"),
        ("Sept. 3, 2026", "2026-09-03"),
        ("November 21st, 2026", "2026-11-21"),
        ("Nov 21, 2026 at 3:04 p.m.", "2026-11-21 15:04"),
        ("Nov 21, 2026, 12:04 AM", "2026-11-21 00:04"),
        ("21.11.2026", "2026-11-21"),
        ("11/21/2026", "2026-11-21"),
        ("21/11/2026", "2026-11-21"),
        ("4/4/2026", "2026-04-04"),
        ("1795219200", "2026-11-21"),
        ("1795219200123", "2026-11-21"),
        ("3 hours ago", "2026-11-21 22:30"),
        ("an hour ago", "2026-11-22 00:30"),
        ("2 days ago", "2026-11-20 01:30"),
        ("Yesterday", "2026-11-21"),
        ("yesterday at 14:30", "2026-11-21 14:30"),
        ("just now", "2026-11-22 01:30"),
        ("5h ago", "2026-11-21 20:30"),
        ("3d ago", "2026-11-19 01:30"),
        ("2 w ago", "2026-11-08 01:30"),
        ("二〇二六年十一月二十一日", "2026-11-21"),
        ("二○二六年十月十日", "2026-10-10"),
        ("Freitag, 5. Juni 2015", "2015-06-05"),
        ("08. März 2022 um 10:56", "2022-03-08"),
        ("jeudi 13 juin 2019, par Ada", "2019-06-13"),
        ("1er août 2019", "2019-08-01"),
        ("2 de mayo de 2021", "2021-05-02"),
        ("12 luglio 2020", "2020-07-12"),
        ("3 de fevereiro de 2020", "2020-02-03"),
        ("7 mei 2018", "2018-05-07"),
        ("Research7 April 2020", "2020-04-07"),
        ("Apr 042013", "2013-04-04"),
        ("24.Februar 2022", "2022-02-24"),
        ("24.02.22", "2022-02-24"),
        ("am 26/10/13, 03:48 pm", "2013-10-26 15:48"),
        ("10/26/13", "2013-10-26"),
        ("13 июня 2019 г.", "2019-06-13"),
        ("13 червня 2019", "2019-06-13"),
        ("3 Ağustos 2020", "2020-08-03"),
        ("3. marraskuuta 2020", "2020-11-03"),
        ("3 Desember 2020", "2020-12-03"),
        ("2019년 6월 24일", "2019-06-24"),
    ],
)
def test_read_date_knows_how_dates_are_written(text: str, expected: str) -> None:
    assert read_date(text, NOW) == utc(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("发布时间：2026年11月21日", "2026-11-21"),
        ("2026年 1月 2日", "2026-01-02"),
        ("2026年11月21日 10:20", "2026-11-21 02:20"),
        ("2026年11月21日10时20分", "2026-11-21 02:20"),
        ("2026年11月21日 下午3:05", "2026-11-21 07:05"),
        ("2026-11-21 星期六 07:05:09", "2026-11-20 23:05:09"),
        ("2026-11-21T10:20:30Z", "2026-11-21 10:20:30"),
        ("3小时前", "2026-11-21 22:30"),
        ("半小时前", "2026-11-22 01:00"),
        ("5 分钟前", "2026-11-22 01:25"),
        ("2个月前", "2026-09-23 01:30"),
        ("3天之前", "2026-11-19 01:30"),
        ("昨天", "2026-11-21"),
        ("昨天 14:30", "2026-11-21 06:30"),
        ("前天", "2026-11-20"),
        ("今天 08:20", "2026-11-22 00:20"),
        ("刚刚", "2026-11-22 01:30"),
        ("11月21日", "2026-11-21"),
        ("12月21日", "2025-12-21"),
        ("11-21 10:20", "2026-11-21 02:20"),
        ("發佈時間：2026年11月21日 週六 下午3時05分", "2026-11-21 07:05"),
        ("3 小時前", "2026-11-21 22:30"),
        ("半小時前", "2026-11-22 01:00"),
        ("5 分鐘前", "2026-11-22 01:25"),
        ("2 週前", "2026-11-08 01:30"),
        ("2個月前", "2026-09-23 01:30"),
        ("剛剛", "2026-11-22 01:30"),
        ("大前天", "2026-11-19"),
        ("民國115年11月21日", "2026-11-21"),
        ("二零二六年十一月二十一日", "2026-11-21"),
        ("2026-11-21 10:20 (UTC+8)", "2026-11-21 02:20"),
        ("2026-11-21 10:20 GMT-11", "2026-11-21 21:20"),
    ],
)
def test_read_date_takes_chinese_clock_times_for_chinas(text: str, expected: str) -> None:
    assert read_date(text, NOW, "zh") == utc(expected)


@pytest.mark.parametrize(
    ("language", "expected"), [("es", "2022-05-10 17:22"), ("de", "2022-05-10 17:22"), ("en", None)]
)
def test_read_date_puts_the_day_first_where_the_language_does(
    language: str, expected: str | None
) -> None:
    assert read_date("10/05/2022 05:22 pm", NOW, language) == (expected and utc(expected))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no date",
        "2026",
        "Nov 2026",
        "0000-00-00",
        "-0001-11-30",
        "10000-01-01",
        "12026-11-21",
        "1989-12-31",
        "2026-02-30",
        "2026-13-01",
        "2026-12-25",
        "2126-01-01",
        "3/4/2026",
        "version 2.11.2026.1",
        "9999999999",
        "30 Foo 2026",
        "1.2.3.4",
        "12026年11月21日",
        "1-2 3:4",
        "零年",
        "民國年",
        "民國200年1月1日",
        "5 hago",
        "x5d ago",
    ],
)
def test_read_date_makes_no_date_of_anything_else(text: str) -> None:
    assert read_date(text, NOW) is None


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(hours=23)])
def test_read_date_takes_a_clock_that_is_ahead_for_now(ahead: timedelta) -> None:
    assert read_date((NOW + ahead).isoformat(), NOW) == NOW


def test_read_date_forgets_a_zone_that_is_nowhere() -> None:
    assert read_date("2026-11-21T10:00:00+99:59", NOW) == utc("2026-11-21 10:00")


@given(
    st.text("0123456789-:/.年月日时 TZ+前天昨今aAgoNv,", max_size=60), st.sampled_from(["", "zh"])
)
def test_read_date_never_raises_and_never_leaves_its_range(text: str, language: str) -> None:
    moment = read_date(text, NOW, language)

    assert moment is None or EARLIEST <= moment <= NOW


@given(st.datetimes(datetime(1990, 1, 2), datetime(2026, 11, 21)))  # noqa: DTZ001 - UTC is added
def test_read_date_reads_back_what_programs_write(moment: datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)

    assert read_date(moment.isoformat(), NOW) == moment
    assert read_date(f"{moment:%a, %d %b %Y %H:%M:%S} +0000", NOW) == moment
