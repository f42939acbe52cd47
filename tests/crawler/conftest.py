"""Both blackboards, each with an open run; hostile sites; a snapshot to read and to serve."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from crawler.checks import invariants
from crawler.crawl.blackboard import Blackboard
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, Run
from crawler.replay.memory_blackboard import MemoryBlackboard
from focusweb.clock import utc_now
from tests.crawler.hostile_web import HostileWeb, serving
from tests.crawler.small_snapshot import write_snapshot
from tests.crawler.web import NOON, PROFILE, SETTINGS

MakeBoard = Callable[[CrawlSettings], Blackboard]


def make_run(settings: CrawlSettings = SETTINGS) -> Run:
    """A run of a crawl for solar cells."""
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, settings)
    crawl.save()
    return Run.objects.create(crawl=crawl, started=NOON, n_pages=settings.n_pages)


@pytest.fixture(params=["memory", "database"])
def make_board(request: pytest.FixtureRequest, db: None) -> MakeBoard:
    """Makes an empty blackboard, in memory and in tables.

    `db` is requested by name: tables are only made for tests that need them.
    """
    if request.param == "memory":
        return lambda settings: MemoryBlackboard(PROFILE, settings)
    return lambda settings: DatabaseBlackboard(make_run(settings))


@pytest.fixture
def run(db: None) -> Run:
    return make_run()


@pytest.fixture
def web(settings: Settings) -> Iterator[HostileWeb]:
    """Sites that answer as a test says; whatever they do, what must hold of a crawl holds."""
    with serving(HostileWeb(), settings) as web:
        yield web
    assert list(invariants.frontier_breaches(utc_now())) == []
    assert list(invariants.silent_ends()) == []


@pytest.fixture
def snapshot_folder(tmp_path: Path) -> Path:
    """A sound snapshot of two pages."""
    folder = tmp_path / "snapshot"
    folder.mkdir()
    write_snapshot(folder)
    return folder
