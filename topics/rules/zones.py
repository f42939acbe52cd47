"""The names of time zones: their names, and the one that a user means."""

from functools import cache
from typing import Final
from zoneinfo import available_timezones

#: Where places are; other names (`US/Pacific`, `Etc/GMT+8`) are of old, or mean the reverse.
REGIONS: Final = frozenset(
    (
        *("Africa", "America", "Antarctica", "Arctic", "Asia"),
        *("Atlantic", "Australia", "Europe", "Indian", "Pacific"),
    )
)
UTC_NAME: Final = "UTC"


@cache
def zone_names() -> tuple[str, ...]:
    """Return the IANA zones that are offered, UTC first; others are accepted, too."""
    named = {name for name in available_timezones() if name.partition("/")[0] in REGIONS}
    return (UTC_NAME, *sorted(named))


def zone_meant(text: str) -> str:
    """Return the IANA name of a zone that was written in other letters, or by its place alone.

    `asia/shanghai`, `America/New York` and `Shanghai` are understood; what is not comes
    back as it is.
    """
    return _by_spelling().get("_".join(text.split()).lower(), text.strip())


@cache
def _by_spelling() -> dict[str, str]:
    places: dict[str, set[str]] = {}
    for name in zone_names():
        places.setdefault(name.rpartition("/")[2].lower(), set()).add(name)
    alone = {place: names.pop() for place, names in places.items() if len(names) == 1}
    return alone | {name.lower(): name for name in available_timezones()}
