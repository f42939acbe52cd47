"""A data folder of its own, with one topic, worked on by real processes that may be killed."""

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Self

from tests import databases
from tests.crashes.site import Web

ROOT = Path(__file__).resolve().parents[2]
DELAY_S = 0.02
SLUG = "river"

_MAKE_ROWS = """
from django.contrib.auth.models import User
from django.core.management import call_command

User.objects.create_superuser("owner")
call_command("topic_import", {!r})
"""
_TOPIC = {
    "format": "focusweb-topic",
    "version": 1,
    "name": "river valley",
    "slug": SLUG,
    "languages": ["en"],
    "schedule": {"kind": "hours", "every": 24},
    "settings": {"n_pages": 100_000, "max_depth_hops": 50, "threshold": 0.2},
}


def _run(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@cache
def _made_once(first_url: str) -> Path:
    """A data folder with tables, owner and topic; copied for each test."""
    parent = Path(mkdtemp(prefix="focusweb-crash-"))
    atexit.register(shutil.rmtree, parent, ignore_errors=True)
    folder = parent / "data"
    databases.make_tables(folder)
    environment = os.environ | {"FOCUSWEB_DATA": str(folder)} | databases.environment(folder)
    topic = folder / "topic.json"
    topic.write_text(json.dumps(_TOPIC | {"seeds": [first_url]}), "utf-8")
    _run(environment, "shell", "--no-imports", "-c", _MAKE_ROWS.format(str(topic)))
    return folder


class Installation:
    """FocusWeb on a folder of its own, crawling a web on loopback."""

    def __init__(
        self, folder: Path, web: Web, *, started_by: Sequence[str] = (), **variables: str
    ) -> None:
        self._started_by = started_by
        self.folder = folder
        self.log_file = folder / "worker.log"
        self._web = web
        if not folder.exists():
            self._make()
        self.environment = os.environ | {
            **databases.environment(folder),
            "FOCUSWEB_DATA": str(folder),
            "FOCUSWEB_CONNECT_TO": web.connect_to,
            "FOCUSWEB_MAPPED_SITE_DELAY": str(DELAY_S),
            "FOCUSWEB_PARSE_CHILDREN": "1",
            "FOCUSWEB_LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "focusweb.settings",
            **variables,
        }

    def _make(self) -> None:
        made = _made_once(self._web.url(0))
        shutil.copytree(made, self.folder)
        self.folder.chmod(0o700)
        databases.copy(made, self.folder)

    def start_over(self) -> None:
        """Put a new installation in the place of this one, for the same worker."""
        shutil.rmtree(self.folder)
        databases.drop(self.folder)
        self._make()

    def __enter__(self) -> Self:
        self._worker = subprocess.Popen(
            [*self._started_by, sys.executable, "-m", "tests.crashes.worker", str(self.log_file)],
            cwd=ROOT,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._worker.communicate(timeout=60)

    def manage(self, *words: str) -> str:
        """Run a command to its end; its output."""
        return _run(self.environment, *words)

    def work(
        self,
        job: str,
        *arguments: str,
        kill_at: str = "",
        is_over: Callable[[], bool] | None = None,
    ) -> int:
        """Have a job done by a fork, killed with its children once `is_over`; its exit code."""
        child = self.start(job, *arguments, kill_at=kill_at)
        if is_over is not None:
            _kill_once(child, is_over)
        return self.end()

    def start(self, job: str, *arguments: str, kill_at: str = "") -> int:
        """Have a job begun by a fork; its process id."""
        assert self._worker.stdin is not None
        self._worker.stdin.write(json.dumps([job, kill_at, *arguments]) + "\n")
        self._worker.stdin.flush()
        return self._answer()

    def start_and_stop(self, job: str, *arguments: str, at: str) -> int:
        """Have a job begun by a fork that stands still at a place; its process id."""
        child = self.start(job, *arguments, kill_at=f"{at}:1:stop")
        give_up = time.monotonic() + 120
        while Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            assert time.monotonic() < give_up, f"it never came to {at}: {self.log()}"
            time.sleep(0.005)
        return child

    def end(self) -> int:
        """Wait for the fork's end; its exit code."""
        return self._answer()

    def _answer(self) -> int:
        assert self._worker.stdout is not None
        return int(self._worker.stdout.readline())

    def log(self) -> str:
        """What the forks wrote."""
        return self.log_file.read_text("utf-8")

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """What a query finds in the tables."""
        with databases.connected(self.folder) as base:
            found: list[tuple[object, ...]] = base.execute(statement).fetchall()
            return found

    def change(self, statement: str) -> None:
        """Change the tables behind the program's back."""
        with databases.connected(self.folder) as base:
            base.execute(statement)

    def pages(self) -> set[object]:
        """The URLs of the pages it holds."""
        rows = self.rows("SELECT url FROM crawler_page JOIN crawler_url ON id = url_id")
        return {url for (url,) in rows}

    def not_fetched(self) -> list[tuple[object, ...]]:
        """Pages of the web it knows but does not hold: URL, state, reason, detail, crashes."""
        return self.rows(
            "SELECT url, state, reason, detail, crashes, not_before FROM crawler_frontierentry"
            " JOIN crawler_url ON crawler_url.id = url_id"
            " WHERE url LIKE '%/p/%' AND url_id NOT IN (SELECT url_id FROM crawler_page)"
        )

    def check(self) -> str:
        """Breaches of all invariants, by tables, index and server log."""
        n_chars = len(self.log())
        code = self.work("check", str(self._web.log), str(DELAY_S))
        new_lines = self.log()[n_chars:]
        assert (code == 0) is (new_lines == ""), f"{code}: {new_lines}"
        return new_lines


def assert_whole(installation: Installation, web: Web) -> None:
    """Every page is there, and no invariant is broken."""
    assert installation.work("crawl", SLUG) == 0, installation.log()
    assert installation.check() == ""
    assert installation.pages() == {web.url(number) for number in range(web.n_pages)}


def _kill_once(child: int, is_over: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 120
    while time.monotonic() < give_up:
        if is_over():
            try:
                os.killpg(child, signal.SIGKILL)
            except ProcessLookupError:
                return  # It ended by itself just before.
            return
        if not Path(f"/proc/{child}").exists():
            return
        time.sleep(0.002)
    raise AssertionError(f"process {child} never came to the moment of its death")
