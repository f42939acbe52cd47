"""A source that fails is reported, and the other sources are still called."""

from dataclasses import replace

import pytest
from django.db import OperationalError

from crawler.crawl import worker
from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.models import Crawl, FrontierEntry, Run
from crawler.problems import MAX_DETAIL, Problem, ProblemKind
from crawler.sources.base import Found, Inquiry
from crawler.sources.pasted import PastedUrls
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS


class Failing:
    """Raises the exception of its test."""

    name = "failing"

    def __init__(self, error: Exception) -> None:
        self._error = error

    def find(self, inquiry: Inquiry) -> Found:
        raise self._error


class Misshapen:
    """Answers with something else."""

    name = "misshapen"

    def find(self, inquiry: Inquiry) -> Found:
        return ["http://a.test/"]  # type: ignore[return-value]


class Terse:
    """Says that something failed, and not what."""

    name = "terse"

    def find(self, inquiry: Inquiry) -> Found:
        return Found(problems=(Problem(ProblemKind.SOURCE_FAILED, ""),))


@pytest.fixture
def run(db: None) -> Run:
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, SETTINGS)
    crawl.save()
    return Run.objects.create(crawl=crawl, started=NOON, n_pages=50)


def begin(run: Run, *sources: Failing | Misshapen | Terse | PastedUrls) -> None:
    door = Door(FetchConfig(build_user_agent("http://us.test/")))
    try:
        worker.begin(run, door, {source.name: source for source in sources})
    finally:
        door.close()
    run.refresh_from_db()


def test_a_source_that_raises_keeps_no_run_from_beginning(run: Run) -> None:
    begin(run, Failing(ValueError("no such thing" * 99)), Misshapen(), PastedUrls())

    assert run.begun
    assert FrontierEntry.objects.get().url.url == SEED
    first, second = run.problems
    assert (first["trouble"], first["about"]) == ("source_failed", "failing")
    assert first["detail"].startswith("ValueError: no such thing")
    assert len(first["detail"]) == MAX_DETAIL
    said = "TypeError: ['http://a.test/'] is not a Found"
    assert (second["about"], second["detail"]) == ("misshapen", said)


def test_a_problem_about_nothing_keeps_no_run_from_beginning(run: Run) -> None:
    run.crawl.describe(PROFILE, replace(SETTINGS, judge="gone"))
    run.crawl.save()

    begin(run, Terse(), PastedUrls())

    assert run.begun
    assert [row["trouble"] for row in run.problems] == ["source_failed", "part_missing"]


def test_a_database_that_is_locked_is_no_fault_of_a_source(run: Run) -> None:
    """The run is begun again a minute later, with all its sources."""
    with pytest.raises(OperationalError):
        begin(run, Failing(OperationalError("database is locked")), PastedUrls())

    run.refresh_from_db()
    assert not run.begun
    assert run.problems == []
