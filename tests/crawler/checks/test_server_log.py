"""What a server's log proves: overlaps, short rests, forbidden and unasked-for requests."""

import json
from pathlib import Path

import pytest

from crawler.checks.server_log import LoggedRequest, politeness_breaches, read_log, robots_breaches

ROBOTS = LoggedRequest("a.test", "/robots.txt", 0.0, 0.1, 200, "User-agent: *\nDisallow: /no")


def page(path: str, start: float, end: float, host: str = "a.test") -> LoggedRequest:
    return LoggedRequest(host, path, start, end, 200)


def test_i4_rests_that_are_kept_are_no_breach() -> None:
    seen = [ROBOTS, page("/a", 2.1, 2.5), page("/b", 4.5, 4.6), page("/b", 0.0, 9.0, "b.test")]

    assert list(politeness_breaches(seen, 2.0)) == []


@pytest.mark.parametrize(
    ("start", "finding"),
    [(2.3, "a.test: /b was requested before /a was answered"), (3.0, "rested 0.5000 s before /b")],
)
def test_i4_overlaps_and_short_rests_are_named(start: float, finding: str) -> None:
    found = list(politeness_breaches([page("/a", 2.1, 2.5), page("/b", start, 9.0)], 2.0))

    assert len(found) == 1
    assert finding in found[0]


def test_i5_what_robots_allows_is_no_breach() -> None:
    assert list(robots_breaches([ROBOTS, page("/yes", 1.0, 1.1)])) == []


@pytest.mark.parametrize(
    ("seen", "finding"),
    [
        ([page("/a", 1.0, 1.1)], "before robots.txt"),
        ([ROBOTS, page("/no/1", 1.0, 1.1)], "which robots.txt forbids"),
        ([ROBOTS, page("/yes", 86_401.0, 86_402.0)], "more than a day old"),
        (
            [LoggedRequest("a.test", "/robots.txt", 0.0, 0.1, 503), page("/yes", 1.0, 1.1)],
            "which robots.txt forbids",
        ),
        (
            [ROBOTS, LoggedRequest("a.test", "/robots.txt", 2.0, 2.1, 429), page("/yes", 3.0, 3.1)],
            "which robots.txt forbids",
        ),
    ],
)
def test_i5_requests_against_the_rules_are_named(seen: list[LoggedRequest], finding: str) -> None:
    found = list(robots_breaches(seen))

    assert len(found) == 1
    assert finding in found[0]


def test_i5_a_missing_file_allows_all() -> None:
    missing = LoggedRequest("a.test", "/robots.txt", 0.0, 0.1, 404)

    assert list(robots_breaches([missing, page("/no/1", 1.0, 1.1)])) == []


def test_a_log_is_read_in_order(tmp_path: Path) -> None:
    rows = [
        {"host": "a.test", "path": path, "start": start, "end": start + 1, "status": 200}
        for path, start in (("/b", 5.0), ("/a", 1.0))
    ]
    file = tmp_path / "log"
    file.write_text("\n".join(map(json.dumps, rows)))

    assert [seen.path for seen in read_log(file)] == ["/a", "/b"]


@pytest.mark.parametrize("line", ["", "[]", '{"host": "a"}', "no json"])
def test_a_line_that_is_no_log_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "log"
    file.write_text(f"{line}\n")

    with pytest.raises(ValueError, match="line 1: no line of a server log"):
        read_log(file)
