"""Names of time zones: which are offered, and which one somebody means."""

from zoneinfo import ZoneInfo

import pytest

from topics.rules.zones import zone_meant, zone_names


def test_zones_of_places_are_offered_utc_first() -> None:
    names = zone_names()

    assert names[0] == "UTC"
    assert {"Asia/Shanghai", "America/New_York", "America/Argentina/Ushuaia"} <= set(names)
    assert not {"Etc/GMT+8", "US/Pacific", "posixrules", "localtime"} & set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Asia/Shanghai", "Asia/Shanghai"),
        (" asia/shanghai ", "Asia/Shanghai"),
        ("shanghai", "Asia/Shanghai"),
        ("America/New York", "America/New_York"),
        ("new  york", "America/New_York"),
        ("utc", "UTC"),
        ("etc/gmt+8", "Etc/GMT+8"),  # not offered, but a zone
        ("Mars/Base", "Mars/Base"),
        ("北京", "北京"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("", ""),
    ],
)
def test_a_zone_is_known_however_it_is_written(written: str, meant: str) -> None:
    assert zone_meant(written) == meant


def test_every_zone_that_is_offered_is_one() -> None:
    assert all(ZoneInfo(name).key == name for name in zone_names())
