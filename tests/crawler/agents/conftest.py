"""Both blackboards, each with a run that has not begun; and sites that answer as they like."""

from collections.abc import Callable, Iterator

import pytest
from pytest_django import Settings

from crawler.agents import invariants
from crawler.agents.blackboard import Blackboard
from crawler.agents.crew import utc_now
from crawler.agents.database import DatabaseBlackboard
from crawler.agents.memory import MemoryBlackboard
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, Run
from tests.crawler.agents.hostile_web import HostileWeb, serving
from tests.crawler.agents.web import NOON, PROFILE, SETTINGS

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

    `db` is asked for by name: tables are only made for tests that are seen to need them.
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
