"""The timer's jobs: each goes on by itself, whatever the others do."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

from focusweb.runtime.run_folder import RunFolder, StartError
from tests.databases import postgres_only
from topics import builtin, tasks, timer
from topics.timer import PeriodicJob


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


class Running:
    """A timer in a thread of its own."""

    def __init__(self, folder: RunFolder, *jobs: PeriodicJob) -> None:
        self.stop = threading.Event()
        self._thread = threading.Thread(
            target=timer.run, args=(folder, list(jobs), self.stop), daemon=True
        )
        self._thread.start()

    def end(self) -> None:
        """Stop it."""
        self.stop.set()
        self._thread.join(10)
        assert not self._thread.is_alive()


@pytest.fixture
def start(folder: RunFolder) -> Iterator[Callable[..., Running]]:
    """Start a timer; it is stopped at the end."""
    started: list[Running] = []

    def start_one(*jobs: PeriodicJob) -> Running:
        started.append(Running(folder, *jobs))
        return started[-1]

    yield start_one
    for running in started:
        running.end()


def wait_for(what: Callable[[], object]) -> None:
    give_up = time.monotonic() + 10
    while not what():
        assert time.monotonic() < give_up, "nothing happened within 10 s"
        time.sleep(0.01)


@pytest.mark.django_db
def test_a_job_that_hangs_or_fails_keeps_none_of_the_others_waiting(
    folder: RunFolder, start: Callable[..., Running], caplog: pytest.LogCaptureFixture
) -> None:
    rounds, release = [], threading.Event()

    def fail(on: object) -> None:
        raise RuntimeError("the disk is on fire")

    start(
        PeriodicJob("slow", 0.01, lambda on: release.wait(10)),
        PeriodicJob("bad", 0.01, fail),
        PeriodicJob("good", 0.01, lambda on: rounds.append(1)),
    )
    wait_for(lambda: len(rounds) >= 3)
    release.set()

    assert folder.job("good").exists()
    assert not folder.job("bad").exists(), "a round that failed was not finished"
    assert "a round of bad failed" in caplog.text
    assert "the disk is on fire" in caplog.text


@pytest.mark.django_db
def test_a_wrong_setting_is_one_sentence_in_the_log(
    settings: Settings, start: Callable[..., Running], caplog: pytest.LogCaptureFixture
) -> None:
    settings.SEARCH_ENGINE = "paper"

    start(PeriodicJob("index", 0.01, lambda on: tasks.index()))
    wait_for(lambda: "a round of index failed" in caplog.text)

    assert "the search engine 'paper' of FOCUSWEB_SEARCH could not be loaded" in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.django_db
def test_a_job_says_that_it_has_come_on_before_its_round_is_over(
    folder: RunFolder, start: Callable[..., Running]
) -> None:
    release = threading.Event()

    def send_many(on_issue: Callable[[], None]) -> None:
        on_issue()
        release.wait(10)

    start(PeriodicJob("mail", 60.0, send_many))
    wait_for(folder.job("mail").exists)
    release.set()


@pytest.mark.django_db
def test_a_job_begins_at_once_when_it_is_wanted(
    folder: RunFolder, start: Callable[..., Running]
) -> None:
    rounds: list[int] = []
    start(PeriodicJob("index", 60.0, lambda on: rounds.append(1), timer.Change(folder.posted)))
    wait_for(lambda: rounds)

    folder.posted.touch()

    wait_for(lambda: len(rounds) == 2)


@pytest.mark.parametrize("job", ["tick", "index"])
def test_the_end_of_a_run_begins_a_round_at_once(
    tmp_path: Path, settings: Settings, job: str
) -> None:
    settings.RUN_DIR = tmp_path
    [wanted] = [one for one in timer.jobs(RunFolder(tmp_path)) if one.name == job]
    assert not wanted.is_wanted()

    builtin.run_ended(run_id=1)

    assert wanted.is_wanted()
    assert not wanted.is_wanted(), "once for each end"


@pytest.mark.django_db
def test_there_is_one_timer_of_a_folder_at_a_time(
    folder: RunFolder, start: Callable[..., Running]
) -> None:
    first = start(PeriodicJob("tick", 60.0, lambda on: None))
    wait_for(folder.job("tick").exists)

    with pytest.raises(StartError, match="runs already"):
        timer.run(folder, [], threading.Event())

    first.end()
    stopped = threading.Event()
    stopped.set()
    timer.run(folder, [], stopped)


@postgres_only
@pytest.mark.django_db
def test_a_job_of_a_timer_that_stopped_keeps_no_connection_open(
    folder: RunFolder, start: Callable[..., Running]
) -> None:
    opened: list[BaseDatabaseWrapper] = []
    running = start(PeriodicJob("tick", 60.0, lambda on: opened.append(connections["default"])))
    wait_for(lambda: opened)

    running.end()

    wait_for(lambda: opened[0].connection is None)
