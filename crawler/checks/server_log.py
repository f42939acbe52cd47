"""What a server saw of us, held against what we promise (invariants I4 and I5).

A log line is a JSON object: `host`, `path`, `start` and `end` in seconds of one clock,
`status`, and for robots.txt its text as `robots`. `focusweb.demo.loopback_server`
writes such logs.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from crawler.fetch.robots import CACHE_S, RobotsRules, parse_robots

#: Two clocks of one machine, read one after the other, may be this far apart.
TOLERANCE_S = 0.0005


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request as the server saw it."""

    host: str
    path: str
    start: float
    end: float
    status: int
    robots: str = ""


def read_log(file: Path) -> list[LoggedRequest]:
    """Read a log, in the order in which the requests began.

    Raises
    ------
    ValueError
        If a line is not such an object; the message names it.
    """
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: not a server log: {error}") from error
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
            rows.append(
                LoggedRequest(
                    row["host"],
                    row["path"],
                    row["start"],
                    row["end"],
                    row["status"],
                    row.get("robots", ""),
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{file}, line {number}: no line of a server log: {error}") from error
    return sorted(rows, key=lambda row: row.start)


def _by_host(rows: Iterable[LoggedRequest]) -> dict[str, list[LoggedRequest]]:
    hosts: dict[str, list[LoggedRequest]] = defaultdict(list)
    for row in rows:
        hosts[row.host].append(row)
    return hosts


def politeness_breaches(rows: Iterable[LoggedRequest], delay_s: float) -> Iterator[str]:
    """I4: to one host one request at a time, and a rest of `delay_s` after each."""
    for host, seen in _by_host(rows).items():
        for before, after in pairwise(seen):
            rest_s = after.start - before.end
            if rest_s < -TOLERANCE_S:
                yield f"{host}: {after.path} was requested before {before.path} was answered"
            elif rest_s < delay_s - TOLERANCE_S:
                yield f"{host}: rested {rest_s:.4f} s before {after.path}, not {delay_s:g}"


def robots_breaches(rows: Iterable[LoggedRequest]) -> Iterator[str]:
    """I5: no request was forbidden by the robots.txt read last, and none came before reading it."""
    for host, seen in _by_host(rows).items():
        rules: RobotsRules | None = None
        read_at = 0.0
        for row in seen:
            if row.path == "/robots.txt":
                rules, read_at = _rules(row), row.end
            elif rules is None:
                yield f"{host}: {row.path} was requested before robots.txt"
            elif row.start - read_at > CACHE_S:
                yield f"{host}: {row.path} was requested by rules more than a day old"
            elif not rules.allows(f"http://{host}{row.path}"):
                yield f"{host}: {row.path} was requested, which robots.txt forbids"


def _rules(row: LoggedRequest) -> RobotsRules:
    if 200 <= row.status < 300:
        return parse_robots(row.robots.encode())
    missing = 400 <= row.status < 500 and row.status != 429
    return RobotsRules(verdict="allow_all" if missing else "forbid_all")
