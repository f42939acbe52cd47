"""A whole installation under load: a web of many hosts, two topics, `manage.py up`, and deaths.

Shared by `bench.soak` and `bench.restart`. The web's server and this program are the only
processes that are never killed.
"""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from crawler.checks.server_log import (
    LoggedRequest,
    politeness_breaches,
    read_log,
    robots_breaches,
)
from focusweb.demo.loopback_server import LoopbackServer, Request, RequestLog, Response

ROOT = Path(__file__).resolve().parents[1]
DOMAIN = "soak.test"
N_COLLECTORS = 2
#: Delay between two requests to a host; every eighth host requests twice as much.
DELAY_S = 1.0
SLOW_HOSTS, SLOW_DELAY_S = 8, 2

THEMES = (
    "solar cell panel silicon wafer voltage light photon module inverter grid roof".split(),
    "river valley stone bridge mill wheel water meadow willow heron otter reed".split(),
)
_FILLER = "morning letter table window garden story market road summer winter people town".split()
_MAKE_OWNER = "from django.contrib.auth.models import User; User.objects.create_superuser('owner')"
_MAKE_DUE = (
    "from django.utils import timezone; from topics.models import Topic;"
    " Topic.objects.update(next_run=timezone.now(), active=True)"
)


class Web:
    """`n_pages` pages on `n_hosts` hosts, each page about one of two themes."""

    def __init__(self, n_pages: int, n_hosts: int, log: Path) -> None:
        self.n_pages, self.n_hosts, self.log = n_pages, n_hosts, log
        self._stream = log.open("a", encoding="utf-8", buffering=1)
        self._server = LoopbackServer(self._answer, log=RequestLog(self._stream))

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.__exit__(kind, error, trace)
        self._stream.close()

    @property
    def connect_to(self) -> str:
        """The value of FOCUSWEB_CONNECT_TO that leads here."""
        return f"*.{DOMAIN}=127.0.0.1:{self._server.port}"

    def url(self, number: int) -> str:
        """The address of a page."""
        return f"http://h{number % self.n_hosts}.{DOMAIN}/p/{number}"

    def n_requests(self) -> int:
        """Requests answered so far."""
        return len(self.log.read_bytes().splitlines())

    def requests(self, since: int = 0) -> list[LoggedRequest]:
        """The requests in order, but for the first ones."""
        return read_log(self.log)[since:]

    def breaches(self) -> list[str]:
        """Requests that came too soon, two at once, or against robots.txt."""
        slow = {f"h{host}.{DOMAIN}" for host in range(0, self.n_hosts, SLOW_HOSTS)}
        seen = self.requests()
        return [
            *politeness_breaches(seen, DELAY_S),
            *politeness_breaches((row for row in seen if row.host in slow), SLOW_DELAY_S),
            *robots_breaches(seen),
        ]

    def _answer(self, request: Request) -> Response:
        host = int(request.host.split(".")[0].removeprefix("h") or 0)
        if request.target == "/robots.txt":
            text = "User-agent: *\nDisallow: /secret/\n"
            if host % SLOW_HOSTS == 0:
                text += f"Crawl-delay: {SLOW_DELAY_S}\n"
            return Response(200, text.encode(), "text/plain")
        if not request.target.startswith("/p/"):
            return Response(404)
        return Response(200, self._page(int(request.target.removeprefix("/p/"))).encode())

    def _page(self, number: int) -> str:
        rng = Random(number)
        # Close pages are of one theme, so that links are worth following.
        words = THEMES[number // 16 % 2]
        share = rng.uniform(0.1, 0.6)
        text = " ".join(rng.choice(words if rng.random() < share else _FILLER) for _ in range(250))
        targets = [number * 8 + child for child in range(1, 9)]
        targets += [rng.randrange(self.n_pages) for _ in range(12)]
        links = [
            f'<li><a href="{self.url(to)}">{rng.choice(THEMES[to // 16 % 2])} {to}</a></li>'
            for to in targets
            if to < self.n_pages
        ]
        links.append(f'<li><a href="/secret/{number}">keep out</a></li>')
        title = f"{rng.choice(words)} {rng.choice(words)} {number}"
        return (
            f"<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>"
            f"<p>{text}</p><ul>{''.join(links)}</ul></html>"
        )


@dataclass(frozen=True, slots=True)
class Sample:
    """What was seen at one moment, in seconds since the start."""

    at_s: float
    n_queued: int
    tick_age_s: float
    index_age_s: float
    n_fetched: int
    n_open_runs: int
    #: Processor time of the living processes and their ended children, by command.
    cpu_s: dict[str, float]


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured, and what was promised of it."""

    name: str
    value: float
    promised: str
    holds: bool


def at_most(name: str, value: float, most: float) -> Figure:
    """A figure that must not be larger than `most`."""
    return Figure(name, value, f"at most {most:g}", value <= most)


def print_figures(figures: Iterable[Figure]) -> None:
    """Print a line for each."""
    for figure in figures:
        word = "ok    " if figure.holds else "BROKEN"
        print(f"{word} {figure.name:42} {figure.value:10.2f}   {figure.promised}")


class Installation:
    """FocusWeb on a data folder of its own, started as a user starts it."""

    def __init__(self, folder: Path, web: Web, *, n_pages: int) -> None:
        self.folder, self._web, self._n_pages = folder, web, n_pages
        self._process: subprocess.Popen[bytes] | None = None
        self.n_starts = 0
        self._began = time.monotonic()
        self._log = (folder.parent / f"{folder.name}.log").open("ab")
        self.environment = os.environ | {
            "FOCUSWEB_DATA": str(folder),
            "FOCUSWEB_PORT": str(_free_port()),
            "FOCUSWEB_DEMO": "0",
            "FOCUSWEB_WORKERS": str(N_COLLECTORS),
            "FOCUSWEB_CONNECT_TO": web.connect_to,
            "FOCUSWEB_MAPPED_SITE_DELAY": str(DELAY_S),
            "FOCUSWEB_SITE_PAGES_PER_DAY": "1000000",
            "DATABASE_URL": f"sqlite:///{folder / 'focusweb.sqlite3'}",
        }

    def make(self) -> None:
        """Make the tables, an owner and two topics that are due."""
        self.manage("migrate", "--verbosity", "0")
        self.manage("shell", "-c", _MAKE_OWNER)
        for number, words in enumerate(THEMES):
            topic = {
                "format": "focusweb-topic",
                "version": 1,
                "name": " ".join(words[:4]),
                "slug": f"soak-{number}",
                "languages": ["en"],
                "seeds": [self._web.url(16 * number + page) for page in range(4)],
                "schedule": {"kind": "hours", "every": 24},
                "settings": {"n_pages": self._n_pages, "max_depth_hops": 50, "threshold": 0.2},
            }
            file = self.folder.parent / f"topic-{number}.json"
            file.write_text(json.dumps(topic), "utf-8")
            self.manage("topic_import", str(file))
        self.manage("shell", "-c", _MAKE_DUE)

    def manage(self, *words: str) -> tuple[int, str]:
        """Run a command to its end; its exit code and output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def start(self) -> None:
        """Start `manage.py up`."""
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=self.environment,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        self.n_starts += 1

    def keep_up(self) -> None:
        """Start it again if it has ended, as a service manager would."""
        if self._process is None or self._process.poll() is not None:
            self.start()

    def stop(self) -> None:
        """Stop it as Ctrl-C does; kill it if that takes too long."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill_all()
        self.kill_all()

    def processes(self) -> list[int]:
        """Every living process of the installation."""
        return sorted(_living_with(f"FOCUSWEB_DATA={self.folder}"))

    def cpu_s(self) -> dict[str, float]:
        """Processor time used so far, by command, in seconds."""
        used: dict[str, float] = {}
        for pid in self.processes():
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            ticks = sum(int(field) for field in fields[11:15])
            name = _name_of(pid)
            used[name] = used.get(name, 0.0) + ticks / os.sysconf("SC_CLK_TCK")
        return used

    def kill_one(self, rng: Random) -> str:
        """Kill a random process; say which."""
        pid = rng.choice(self.processes() or [0])
        name = _name_of(pid)
        if pid:
            _kill(pid)
        return f"{pid} {name}"

    def kill_all(self) -> None:
        """Kill everything, as a power cut does."""
        while found := self.processes():
            for pid in found:
                _kill(pid)
            time.sleep(0.02)
        if self._process is not None:
            self._process.wait()
            self._process = None

    def look(self, *, with_cpu: bool = False) -> Sample:
        """See how it is doing; reading the processor time of each process costs 20 ms."""
        now = time.time()
        queued, oldest, fetched, open_runs = self._rows()
        try:
            ticked = (self.folder / "run" / "timer-tick").stat().st_mtime
        except FileNotFoundError:
            ticked = now - (time.monotonic() - self._began)
        return Sample(
            time.monotonic() - self._began,
            queued,
            now - ticked,
            oldest,
            fetched,
            open_runs,
            self.cpu_s() if with_cpu else {},
        )

    def _rows(self) -> tuple[int, float, int, int]:
        base = sqlite3.connect(self.folder / "focusweb.sqlite3", timeout=30)
        try:
            row = base.execute(
                "SELECT (SELECT count(*) FROM django_q_ormq),"
                " coalesce((SELECT (julianday('now') - julianday(min(queued))) * 86400"
                "  FROM crawler_indexoutbox), 0),"
                " (SELECT coalesce(sum(fetched), 0) FROM crawler_run),"
                " (SELECT count(*) FROM crawler_run WHERE ended IS NULL)"
            ).fetchone()
        finally:
            base.close()
        return int(row[0]), float(row[1]), int(row[2]), int(row[3])

    def begin_clock(self) -> None:
        """Count time from now."""
        self._began = time.monotonic()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _living_with(variable: str) -> Iterator[int]:
    """Living processes whose environment has a variable, and all they have started."""
    parents: dict[int, int] = {}
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if fields[0] == "Z":
            continue
        parents[int(entry.name)] = int(fields[1])
        if variable.encode() in environment:
            found.add(int(entry.name))
    for pid in parents:
        line, one = [], pid
        while one in parents and one not in found:
            line.append(one)
            one = parents[one]
        if one in found:
            found.update(line)
    yield from found


def _name_of(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "gone"
    return " ".join(Path(word.decode()).name for word in words[1:4])


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
