"""The system page: each part in words, with what to do; less for those who are not staff."""

import os
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from crawler.models import IndexOutbox, Machine, Source
from crawler.revisit.rate import ANY_SOURCE
from focusweb.mail_server import MailServer
from tests.topics.factories import NOON, Scene, person
from tests.topics.views.conftest import write_status
from topics.installation.system_state import (
    INDEX_LATE,
    Level,
    SystemPart,
    failing_topics,
    system_parts,
)
from topics.models import ResetRequest
from topics.sources.lines import source_lines


def part(user: User, name: str) -> SystemPart:
    found = {one.name: one for one in system_parts(user, timezone.now())}
    return found[name]


@pytest.fixture
def staff(db: None) -> User:
    return person("staff", is_staff=True)


@pytest.mark.parametrize(
    ("state", "age_s", "level", "word"),
    [
        ("up", 0.0, Level.OK, "working"),
        ("down", 0.0, Level.BROKEN, "not working"),
        ("up", 90.0, Level.BROKEN, "not working"),
    ],
)
def test_the_worker_is_up_down_or_silent(
    ann: User, data_folder: Path, state: str, age_s: float, level: Level, word: str
) -> None:
    write_status(data_folder, state, age_s)
    worker = part(ann, "Background worker")
    assert (worker.level, worker.word) == (level, word)
    assert bool(worker.advice) is (level != Level.OK)


def test_a_scheduler_that_is_silent_is_named(ann: User, data_folder: Path) -> None:
    write_status(data_folder)
    assert part(ann, "Scheduler").level == Level.CHECK
    tick = data_folder / "timer-tick"
    tick.touch()
    assert part(ann, "Scheduler").level == Level.OK
    os.utime(tick, (time.time() - 600,) * 2)
    assert part(ann, "Scheduler").level == Level.BROKEN


def test_an_index_that_lags_is_named(ann: User) -> None:
    now = timezone.now()
    IndexOutbox.objects.create(page_id=1, queued=now)
    assert part(ann, "Search index").says.endswith("1 page waits to be indexed.")
    assert part(ann, "Search index").level == Level.OK
    IndexOutbox.objects.create(page_id=2, queued=now - 2 * INDEX_LATE)
    assert part(ann, "Search index").level == Level.CHECK


def test_an_engine_that_is_not_there_breaks_search_not_the_page(
    ann: User, settings: Settings
) -> None:
    settings.SEARCH_ENGINE = "none"
    assert part(ann, "Search index").level == Level.BROKEN


def test_mail_that_failed_is_counted_for_staff(staff: User, settings: Settings) -> None:
    settings.MAIL_SERVER = MailServer("mail.test", 2525)
    assert part(staff, "E-mail").level == Level.OK
    ResetRequest.objects.create(
        user=staff, address_hash="x", place="here", asked=timezone.now(), problem="550 no"
    )
    mail = part(staff, "E-mail")
    assert mail.level == Level.CHECK
    assert mail.says == "mail.test, port 2525; 1 mail failed in the last 7 days."


def test_who_is_not_staff_learns_nothing_of_the_machine(
    ann: User, staff: User, settings: Settings
) -> None:
    settings.MAIL_SERVER = MailServer("mail.test", 2525)
    now = timezone.now()
    seen = " ".join(one.says for one in system_parts(ann, now))
    assert "mail.test" not in seen and "GB" not in seen
    assert "Plugins" not in {one.name for one in system_parts(ann, now)}
    assert "GB" in part(staff, "Disk").says


def test_staff_see_which_machine_is_not_connected(staff: User) -> None:
    now = timezone.now()
    for name, roles, age_s in (("web1", "web,index", 0), ("crawl1", "crawl", 10)):
        seen = now - timedelta(seconds=age_s)
        Machine.objects.create(name=name, roles=roles, n_workers=1, seen_at=seen)
    both = part(staff, "Machines")

    Machine.objects.filter(name="crawl1").update(seen_at=now - timedelta(minutes=2))
    one = part(staff, "Machines")

    assert (both.level, both.says) == (Level.OK, "crawl1: crawl; web1: web, index")
    assert one.level == Level.CHECK
    assert one.advice.startswith("Not connected: crawl1.")


def test_one_machine_alone_is_not_listed(staff: User) -> None:
    Machine.objects.create(name="web1", roles="web", n_workers=1, seen_at=timezone.now())

    assert "Machines" not in {one.name for one in system_parts(staff, timezone.now())}


def test_failing_sources_are_those_of_ones_own_topics(scene: Scene, ann: User, bob: User) -> None:
    for number in range(2):
        Source.objects.create(
            crawl=scene.crawl,
            kind="feeds",
            address=f"https://portal.test/{number}",
            since=NOON,
            rate=msgspec.to_builtins(ANY_SOURCE),
            failing_since=NOON - timedelta(hours=1),
        )
    [line] = failing_topics(ann, NOON)
    assert (line.topic, line.n_failing) == (scene.topic, 2)
    assert failing_topics(bob, NOON) == []


def test_a_seed_that_was_removed_fails_no_more(scene: Scene, ann: User) -> None:
    """Its row stays until the next run; the page of sources does not list it."""
    Source.objects.create(
        crawl=scene.crawl,
        kind="pasted",
        address="https://gone.test/",
        since=NOON,
        rate=msgspec.to_builtins(ANY_SOURCE),
        failing_since=NOON - timedelta(hours=1),
    )

    assert all(line.key != "https://gone.test/" for line in source_lines(scene.topic, NOON))
    assert failing_topics(ann, NOON) == []


def test_the_page_says_how_many_parts_need_attention(as_ann: Client, data_folder: Path) -> None:
    html = as_ann.get("/system/").content.decode()
    assert "parts need attention" in html and "not working" in html
    assert "<html" not in as_ann.get("/system/live").content.decode()


def test_the_page_needs_few_queries(client: Client, staff: User) -> None:
    client.force_login(staff)
    client.get("/system/")
    with CaptureQueriesContext(connection) as queries:
        client.get("/system/")
    assert len(queries) <= 12


def test_the_manifest_names_icons_that_exist(client: Client, db: None) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer.headers["Content-Type"] == "application/manifest+json"
    described = answer.json()
    assert described["start_url"] == "/"
    static = Path(__file__).resolve().parents[3] / "static"
    for icon in described["icons"]:
        assert (static / urlsplit(icon["src"]).path.rpartition("/")[2]).is_file()
    assert {icon["sizes"] for icon in described["icons"]} >= {"192x192", "512x512"}
