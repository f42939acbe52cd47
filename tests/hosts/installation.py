"""FocusWeb on several hosts: a database, sites to crawl, and machines with roles."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import psycopg

from tests.hosts import sites
from tests.hosts.network import SITES, SUBNET, Network

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")
#: The timer may just have begun a run by itself.
_BEGIN = """
from contextlib import suppress
from django.utils import timezone
from topics.errors import AlreadyRunning
from topics.models import Topic
from topics.runs.start_stop import start_now
with suppress(AlreadyRunning):
    start_now(Topic.objects.get(slug="{}"), timezone.now())
"""
KEY = "a secret key that all hosts of the tests share"


def wait_for(what: Callable[[], T], limit_s: float, why: Callable[[], str] = str) -> T:
    """The first true answer."""
    give_up = time.monotonic() + limit_s
    while not (answer := what()):
        assert time.monotonic() < give_up, f"nothing within {limit_s:.0f} s: {why()}"
        time.sleep(0.1)
    return answer


class Host:
    """A machine with FocusWeb on it."""

    def __init__(self, name: str, inside: Sequence[str], folder: Path, **environment: str) -> None:
        self.name = name
        self.folder = folder
        self._inside = list(inside)
        self._log = folder.with_suffix(".log")
        self.environment = environment | {"FOCUSWEB_DATA": str(folder)}
        self._up: subprocess.Popen[bytes] | None = None

    def start(self, *roles: str, first: Sequence[str] = (), **more: str) -> Self:
        """Start `manage.py up` with some roles; `first` are words that come before it."""
        words = [sys.executable, "manage.py", "up", *(f"--role={role}" for role in roles)]
        with self._log.open("ab") as log:
            self._up = subprocess.Popen(
                [*self._inside, *first, *words],
                cwd=ROOT,
                env=self.environment | more,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self

    def wait_until_ready(self) -> Self:
        """Wait until it says that it has started."""
        wait_for(lambda: "FocusWeb is ready" in self.log(), 120, self.log)
        return self

    def end(self, limit_s: float = 120) -> int:
        """Wait until it ended by itself. Return its exit code."""
        assert self._up is not None
        return self._up.wait(limit_s)

    def is_up(self) -> bool:
        """True if it has not ended."""
        return self._up is not None and self._up.poll() is None

    def log(self) -> str:
        """What it wrote so far."""
        return self._log.read_text("utf-8") if self._log.exists() else ""

    def forget_log(self) -> None:
        """Empty the log."""
        self._log.write_text("")

    def processes(self) -> list[int]:
        """Its living processes of FocusWeb."""
        mark = f"FOCUSWEB_DATA={self.folder}".encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            # Gone meanwhile.
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
        return found

    def kill(self) -> None:
        """End all its processes at once, as a power cut does."""
        while numbers := self.processes():
            for number in numbers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            if self._up is not None:
                self._up.wait(30)
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop it as a person does."""
        if self._up is not None and self._up.poll() is None:
            self._up.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._up.wait(60)
        self.kill()

    def manage(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of `manage.py` on it to its end."""
        return self.python("manage.py", *words)

    def python(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run Python on it to its end."""
        return subprocess.run(
            [*self._inside, sys.executable, *words],
            cwd=ROOT,
            env=self.environment | {"DJANGO_SETTINGS_MODULE": "focusweb.settings"},
            capture_output=True,
            text=True,
            timeout=300,
        )


class Hosts:
    """A network with a database, sites, and machines that are added to it.

    Parameters
    ----------
    folder : Path
    n_sites, n_pages : int
        Of each topic.
    delay_s : float
        Rest between two requests to one site.
    answer_s : float
        How long a site takes to answer.
    """

    def __init__(
        self, folder: Path, *, n_sites: int, n_pages: int, delay_s: float, answer_s: float = 0.0
    ) -> None:
        self.folder, self.delay_s, self._answer_s = folder, delay_s, answer_s
        self.n_sites, self.n_pages = n_sites, n_pages
        self.site_log = folder / "sites.log"
        self.network = Network()
        self.by_name: dict[str, Host] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.network)
            address = self.network.add("database")
            self._database = self._run("database", "tests.hosts.server", address, str(SUBNET))
            stack.callback(_finish, self._database)  # The end of its input ends it.
            self.url, self.socket_folder = self._database_says().split()
            self.network.add("sites")
            web = self._run(
                "sites",
                "tests.hosts.sites",
                *map(str, (self.site_log, self.n_sites, self.n_pages, self._answer_s)),
            )
            stack.callback(_finish, web)
            stack.callback(web.terminate)
            assert web.stdout is not None
            self._site_port = int(web.stdout.readline())
            stack.callback(self._stop_machines)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _run(self, host: str, module: str, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*self.network.inside(host), sys.executable, "-m", module, *words],
            cwd=ROOT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def _stop_machines(self) -> None:
        for host in self.by_name.values():
            host.stop()

    def _database_says(self) -> str:
        assert self._database.stdout is not None
        return self._database.stdout.readline()

    def tell_database(self, what: str) -> None:
        """Stop or start the server."""
        assert self._database.stdin is not None
        self._database.stdin.write(f"{what}\n")
        self._database.stdin.flush()
        assert self._database_says() == "done\n"

    def add(self, name: str, **more: str) -> Host:
        """Add a machine that is not started yet."""
        self.network.add(name)
        self.network.lead_to_sites(name, "sites")
        folder = self.folder / name
        folder.mkdir(mode=0o700)
        environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": self.url,
            "FOCUSWEB_SECRET_KEY": KEY,
            "FOCUSWEB_CONNECT_TO": f"*.crash.test={SITES}:{self._site_port}",
            "FOCUSWEB_MAPPED_SITE_DELAY": str(self.delay_s),
            "FOCUSWEB_WORKERS": "1",
            "FOCUSWEB_FETCH_THREADS": "4",
            "FOCUSWEB_PARSE_CHILDREN": "1",
            "PYTHONUNBUFFERED": "1",
        }
        host = Host(name, self.network.inside(name), folder, **environment | more)
        self.by_name[name] = host
        return host

    def database(self) -> "psycopg.Connection[tuple[Any, ...]]":
        """Connect on the host of the database: it answers when machines are cut off, too."""
        place = urlsplit(self.url)
        return psycopg.connect(
            host=self.socket_folder,
            port=place.port,
            user=place.username,
            password=place.password,
            dbname=place.path.strip("/"),
            autocommit=True,
        )

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """What a statement finds in the tables."""
        with self.database() as base:
            found = base.execute(statement.encode(), values or None)
            return found.fetchall() if found.description else []

    # -- a topic ------------------------------------------------------------------------------

    def start_crawl(self, web: Host, topic: str) -> None:
        """Make a topic whose sites are its own, and begin a run of it."""
        file = self.folder / f"{topic}.json"
        described = {
            "format": "focusweb-topic",
            "version": 1,
            "name": f"river valley {topic}",
            "slug": topic,
            "languages": ["en"],
            "schedule": {"kind": "hours", "every": 24},
            "settings": {"n_pages": 100_000, "max_depth_hops": 50, "threshold": 0.2},
            "seeds": [sites.url(topic, 0, self.n_sites)],
        }
        file.write_text(json.dumps(described), "utf-8")
        done = web.manage("topic_import", str(file))
        assert done.returncode == 0, done.stdout + done.stderr
        done = web.manage("shell", "-c", _BEGIN.format(topic))
        assert done.returncode == 0, done.stdout + done.stderr

    def run_of(self, topic: str) -> tuple[Any, ...] | None:
        """The latest run of a topic: number, fetched pages, whether it has ended."""
        rows = self.rows(
            "SELECT run.id, run.fetched, run.ended IS NOT NULL FROM crawler_run run"
            " JOIN topics_topic topic ON topic.crawl_id = run.crawl_id"
            " WHERE topic.slug = %s ORDER BY run.id DESC LIMIT 1",
            topic,
        )
        return rows[0] if rows else None

    def n_fetched(self, topic: str) -> int:
        """Pages that the latest run of a topic fetched."""
        run = self.run_of(topic)
        return int(run[1]) if run else 0

    def wait_for_end(self, topic: str, limit_s: float = 300) -> None:
        """Wait until the run of a topic has ended."""

        def has_ended() -> bool:
            run = self.run_of(topic)
            return bool(run and run[2])

        wait_for(has_ended, limit_s, lambda: f"{self.n_fetched(topic)} fetched; {self.logs()}")

    def logs(self) -> str:
        """The end of what all machines wrote."""
        return "\n".join(f"--- {name}\n{h.log()[-3000:]}" for name, h in self.by_name.items())

    def pages(self, topic: str) -> dict[str, int]:
        """How often each stored page of a topic was fetched."""
        rows = self.rows(
            "SELECT url, n_fetches FROM crawler_page JOIN crawler_url ON id = url_id"
            " WHERE url LIKE %s",
            f"http://%.{topic}.crash.test/%",
        )
        return dict(rows)

    def requests(self, topic: str) -> list[dict[str, Any]]:
        """The requests that the sites of a topic received, from their log."""
        rows = map(json.loads, self.site_log.read_text("utf-8").splitlines())
        return [row for row in rows if row["host"].endswith(f".{topic}.crash.test")]

    def holds(self, machine: str) -> bool:
        """True if a machine has an assignment in hand."""
        statement = "SELECT 1 FROM crawler_assignment WHERE closed IS NULL AND taken_by LIKE %s"
        return bool(self.rows(statement, f"{machine}/%"))

    def workers_of(self, topic: str) -> dict[str, int]:
        """How many assignments of a topic each machine took."""
        rows = self.rows(
            "SELECT split_part(taken_by, '/', 1), count(*) FROM crawler_assignment one"
            " JOIN crawler_run run ON run.id = one.run_id"
            " JOIN topics_topic topic ON topic.crawl_id = run.crawl_id"
            " WHERE topic.slug = %s AND taken_by <> '' GROUP BY 1",
            topic,
        )
        return dict(rows)


def _finish(process: "subprocess.Popen[str]") -> None:
    process.communicate(timeout=60)
