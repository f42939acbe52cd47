"""`manage.py crawl`: one process, or several that share a run."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from crawler.models import Run
from tests.crashes.installation import ROOT, SLUG, Installation
from tests.crashes.site import Web
from tests.topics.factories import Scene

N_PAGES = 60


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with Web(N_PAGES, 6, tmp_path / "server.log") as web:
        yield web


@pytest.fixture
def installation(tmp_path: Path, web: Web) -> Installation:
    return Installation(tmp_path / "data", web)


def start(installation: Installation, *words: str) -> "subprocess.Popen[str]":
    """Start a crawl in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "manage.py", "crawl", SLUG, "--no-index", *words],
        cwd=ROOT,
        env=installation.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_share_a_run(installation: Installation, web: Web) -> None:
    processes = [start(installation, "--processes", "2") for _ in range(2)]

    ends = [(process.communicate(timeout=120), process.returncode) for process in processes]

    assert [code for _, code in ends] == [0, 0], ends
    assert installation.rows("SELECT COUNT(*), MIN(fetched) FROM crawler_run") == [(1, N_PAGES)]
    assert installation.pages() == {web.url(number) for number in range(N_PAGES)}
    [(n_crawlers,)] = installation.rows(
        "SELECT COUNT(DISTINCT taken_by) FROM crawler_assignment WHERE taken_by <> ''"
    )
    assert n_crawlers == 2


def test_a_run_that_is_not_shared_is_refused_to_others(
    installation: Installation, web: Web
) -> None:
    second: list[subprocess.CompletedProcess[str]] = []
    command = [sys.executable, "manage.py", "crawl", SLUG, "--no-index"]

    def crawl_again(number: int) -> None:
        if not second:
            second.append(
                subprocess.run(
                    command, cwd=ROOT, env=installation.environment, capture_output=True, text=True
                )
            )

    web.on_page = crawl_again
    first = start(installation)
    output = first.communicate(timeout=120)

    assert first.returncode == 0, output
    assert second[0].returncode == 1
    assert "is being crawled already; stop that run first." in second[0].stderr


def test_no_process_is_not_a_number_of_processes(installation: Installation) -> None:
    process = start(installation, "--processes", "0")

    assert "--processes must be at least 1, got 0" in process.communicate(timeout=60)[1]
    assert process.returncode == 1


@pytest.mark.parametrize("name", ["CONTACT_URL", "CONNECT_TO", "SEARXNG_URL"])
def test_a_setting_that_cannot_be_read_is_named_before_a_run_begins(
    scene: Scene, settings: Settings, name: str
) -> None:
    setattr(settings, name, "nonsense")
    n_runs = Run.objects.count()

    with pytest.raises(CommandError, match=f"^FOCUSWEB_{name}: .*'nonsense'"):
        call_command("crawl", scene.topic.slug)

    assert Run.objects.count() == n_runs
