"""Both blackboards, each with a run that has not begun."""

from collections.abc import Callable

import pytest

from crawler.agents.blackboard import Blackboard
from crawler.agents.database import DatabaseBlackboard
from crawler.agents.memory import MemoryBlackboard
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, Run
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
