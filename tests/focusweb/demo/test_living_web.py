"""The demo web's clock: what appears, moves and changes, minute by minute."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from focusweb.demo.loopback_server import LoopbackServer
from focusweb.demo.server import demo_application
from focusweb.demo.web import MINUTES, DemoWeb, LivingWeb, read_demo_web
from tests.web_client import fetch

DEMO_WEB = Path(__file__).parents[3] / "fixtures" / "demo_web"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
CHIPS, DIARY = "chips.demo.test", "bench-diary.demo.test"


def web(minute: int) -> DemoWeb:
    return read_demo_web(DEMO_WEB, NOON, started=NOON, minute=minute)


def at(start: datetime, clock: Path) -> None:
    clock.touch()
    os.utime(clock, (start.timestamp(), start.timestamp()))


def test_the_clock_stands_until_it_is_started(tmp_path: Path) -> None:
    living = LivingWeb(DEMO_WEB, NOON, tmp_path / "clock")
    assert DIARY not in living.at(NOON + timedelta(days=9)).sites
    at(NOON, tmp_path / "clock")
    assert DIARY not in living.at(NOON + timedelta(seconds=59)).sites
    assert DIARY in living.at(NOON + timedelta(seconds=60)).sites


def test_the_clock_starts_once_for_all(tmp_path: Path) -> None:
    at(NOON, tmp_path / "clock")
    later = LivingWeb(DEMO_WEB, NOON + timedelta(days=2), tmp_path / "clock")
    page = later.at(NOON + timedelta(days=2)).pages[DIARY, "/prefetch-trap.html"]
    assert page.published == NOON + timedelta(minutes=1)


@pytest.mark.parametrize("minute", range(1, MINUTES + 1))
def test_something_new_happens_every_minute(minute: int) -> None:
    before, after = web(minute - 1).pages, web(minute).pages
    assert any(
        key not in before or page.html != before[key].html or page.moved_to != before[key].moved_to
        for key, page in after.items()
    )


def test_what_appears_is_listed_in_the_feed_of_its_site() -> None:
    assert b"prefetch-claim.html" not in web(0).files[CHIPS, "/feed.atom"].body
    assert b"prefetch-claim.html" in web(1).files[CHIPS, "/feed.atom"].body


def test_a_page_moves_and_another_changes() -> None:
    old, new = web(5).pages, web(7).pages
    assert not old[CHIPS, "/news/stacked-memory.html"].moved_to
    with LoopbackServer(demo_application(lambda: web(7))) as server:
        answer = fetch(server.port, CHIPS, "/news/stacked-memory.html")
        shown = fetch(server.port, "127.0.0.1", f"/{CHIPS}/news/stacked-memory.html")
    assert answer.status == 301
    assert answer.headers["location"] == f"http://{CHIPS}/archive/stacked-memory.html"
    assert shown.status == 200
    wall = ("silicon-notes.demo.test", "/memory-wall.html")
    assert b"Update: a new memory controller" not in old[wall].html
    assert b"Update: a new memory controller" in new[wall].html


def test_a_seed_of_a_sample_topic_changes_so_that_its_change_is_news() -> None:
    guide = "/guides/what-a-cpu-does.html"
    topic = json.loads((DEMO_WEB.parent / "demo_topics" / "computing.json").read_text("utf-8"))
    assert f"http://{CHIPS}{guide}" in topic["seeds"]
    assert b"New in this edition" not in web(6).pages[CHIPS, guide].html
    assert b"New in this edition" in web(7).pages[CHIPS, guide].html


def test_every_link_of_the_last_minute_leads_somewhere() -> None:
    found = web(MINUTES)
    for (host, _path), page in found.pages.items():
        if page.minute and not page.moved_to:
            for link in page.html.decode().split('href="')[1:]:
                target = link.split('"')[0]
                if target.startswith("/"):
                    assert (host, target) in found.pages or (host, target) in found.files
                elif target.startswith("http://"):
                    other, _slash, rest = target.removeprefix("http://").partition("/")
                    assert (other, f"/{rest}") in found.pages
