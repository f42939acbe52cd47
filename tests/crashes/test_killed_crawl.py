"""A crawl that is killed again and again ends where an undisturbed one does."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.crashes.site import Web, breaches

ROOT = Path(__file__).resolve().parents[2]
DELAY_S = 0.02
SLUG = "river"


class Installation:
    """A data folder of its own, with one topic, worked on by real processes."""

    def __init__(self, folder: Path, web: Web) -> None:
        self._folder = folder
        self._environment = os.environ | {
            "FOCUSWEB_DATA": str(folder),
            "FOCUSWEB_CONNECT_TO": web.connect_to,
            "FOCUSWEB_MAPPED_SITE_DELAY": str(DELAY_S),
            "FOCUSWEB_PARSE_CHILDREN": "1",
        }
        self.manage("migrate", "--verbosity", "0")
        self.manage("shell", "-c", _MAKE_OWNER)
        topic = folder / "topic.json"
        topic.write_text(json.dumps(_TOPIC | {"seeds": [web.url(0)]}), "utf-8")
        self.manage("topic_import", str(topic))

    def manage(self, *words: str) -> str:
        """Run a command to its end; its output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT, env=self._environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def crawl(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Crawl, and kill the whole process group once `is_over`; True if it ended before."""
        child = subprocess.Popen(
            [sys.executable, "manage.py", "crawl", SLUG, "--json"],
            cwd=ROOT, env=self._environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        give_up = time.monotonic() + 300
        while child.poll() is None and time.monotonic() < give_up:
            if is_over():
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return False
            time.sleep(0.005)
        assert child.returncode == 0, f"the crawl ended with {child.returncode}"
        return True

    def pages(self) -> set[str]:
        """The URLs of the pages it holds."""
        base = sqlite3.connect(self._folder / "focusweb.sqlite3")
        rows = base.execute("SELECT url FROM crawler_page JOIN crawler_url ON id = url_id")
        found = {url for (url,) in rows}
        base.close()
        return found


_MAKE_OWNER = "from django.contrib.auth.models import User; User.objects.create_superuser('owner')"
_TOPIC = {
    "format": "focusweb-topic",
    "version": 1,
    "name": "river valley",
    "slug": SLUG,
    "languages": ["en"],
    "schedule": {"kind": "hours", "every": 24},
    "settings": {"n_pages": 100_000, "max_depth_hops": 50, "threshold": 0.2},
}


def crawl_with_kills(folder: Path, *, n_pages: int, n_kills: int, seed: int) -> None:
    """Crawl a web with kills at random moments; every promise is checked at the end."""
    rng = random.Random(seed)
    with Web(n_pages, 8, folder / "server.log") as web:
        installation = Installation(folder / "data", web)
        for _ in range(n_kills):
            # Counted in requests, so that a slow machine is not killed in its imports only.
            enough = web.n_requests() + rng.randrange(n_pages // n_kills)
            pause_s = rng.uniform(0.0, 0.3)
            ended = installation.crawl(partial(_is_reached, web, enough, pause_s))
            assert not ended, "the web was too small for that many kills"
        assert installation.crawl()
        assert installation.manage("check_invariants") == ""
        assert installation.pages() == {web.url(number) for number in range(n_pages)}
        assert breaches(web.log, DELAY_S) == []


def _is_reached(web: Web, n_requests: int, pause_s: float) -> bool:
    if web.n_requests() < n_requests:
        return False
    time.sleep(pause_s)
    return True


def test_a_killed_crawl_loses_nothing_and_stays_polite(tmp_path: Path) -> None:
    crawl_with_kills(tmp_path, n_pages=200, n_kills=3, seed=7)


@pytest.mark.torture
def test_twenty_kills_of_a_thousand_pages(tmp_path: Path) -> None:
    crawl_with_kills(tmp_path, n_pages=1000, n_kills=20, seed=20)
