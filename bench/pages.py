"""How fast the pages are that people open.

    python -m bench.pages fill DIR
    python -m bench.pages measure DIR

`fill` writes a data folder with 50,000 pages, 20 topics, 1,000,000 links and a search index; the
text is random, as in `bench/search.py`. `measure` starts `manage.py serve` on it, and a
process that stores pages as a crawl does, and opens home, topic, search and article in turn. For
each it prints the processor time of the server, the wall time, and the size as sent. Then 50
browsers open them at once, twice: with the first crowd, the server's second process makes its first
pages. Exit code 1 if a limit is broken.
"""

import argparse
import gzip
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path

from bench.pages_data import N_LINKS, N_PAGES, N_TOPICS, fill, start_django
from bench.pages_writer import ROOT, write, writing

N_BROWSERS = 50
#: Limits: milliseconds at the median and the 95th of 100, KB as sent, seconds of 50 browsers.
P50_MS, P95_MS, KB, CROWD_S = 40.0, 120.0, 60.0, 1.5


@dataclass(frozen=True, slots=True)
class Server:
    """A running web server, and the cookie of a signed-in person."""

    port: int
    pid: int
    cookie: str


@contextmanager
def serving(folder: Path, cookie: str) -> Iterator[Server]:
    """Serve the data folder."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = os.environ | {"FOCUSWEB_DATA": str(folder), "FOCUSWEB_PORT": str(port)}
    command = [sys.executable, str(ROOT / "manage.py"), "serve"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        for _ in range(120):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.25)
        yield Server(port, process.pid, cookie)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def session_of(folder: Path) -> str:
    """Return the cookie of a new session."""
    start_django(folder)
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import User
    from django.contrib.sessions.backends.db import SessionStore

    ann = User.objects.get()
    session = SessionStore()
    session[SESSION_KEY] = str(ann.pk)
    session[BACKEND_SESSION_KEY] = "focusweb.login.LimitedBackend"
    session[HASH_SESSION_KEY] = ann.get_session_auth_hash()
    session.create()
    return f"sessionid={session.session_key}"


def cpu_s(pid: int) -> float:
    """Return the seconds of processor time that a process has used, by its own clock."""
    return time.clock_gettime((~pid << 3) | 2)  # as clock_getcpuclockid(3) names it


def _cpu_of_all_s(pid: int) -> float:
    """Return the processor time of a process and of those that its first thread has started."""
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return cpu_s(pid) + sum(cpu_s(int(child)) for child in started)


@dataclass(frozen=True, slots=True)
class Opened:
    """What one request cost: seconds until the page was there, of the server, and bytes."""

    wall_s: float
    cpu_s: float
    sent: int
    size: int


def open_page(server: Server, path: str) -> Opened:
    """Request a page and read it to its end."""
    start, before = time.perf_counter(), cpu_s(server.pid)
    line = HTTPConnection("127.0.0.1", server.port, timeout=300)
    line.request("GET", path, headers={"Cookie": server.cookie, "Accept-Encoding": "gzip"})
    answer = line.getresponse()
    body = answer.read()
    line.close()
    took_s = time.perf_counter() - start
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}")
    is_packed = answer.getheader("Content-Encoding") == "gzip"
    size = len(gzip.decompress(body)) if is_packed else len(body)
    return Opened(took_s, cpu_s(server.pid) - before, len(body), size)


def addresses(rng: random.Random) -> Iterator[dict[str, str]]:
    """Yield the addresses of the four pages, of another topic and article each time."""
    from crawler.models import Harvest

    while True:
        n = rng.randrange(N_TOPICS)
        kept = Harvest.objects.kept().filter(crawl__key=f"topic-{n}")
        article = rng.choice(kept.values_list("pk", flat=True)[:500])
        yield {
            "home": "/",
            "topic": f"/topics/topic-{n}/",
            "search": f"/search/?q={rng.choice(('cache', 'grid', 'solar'))}{n}",
            "article": f"/topics/topic-{n}/pages/{article}/read",
        }


def measure(folder: Path, n_rounds: int) -> int:
    """Print the figures. Return how many limits are broken."""
    cookie = session_of(folder)
    from django.utils import timezone

    from topics.home.figures import renew_due

    renew_due(timezone.now())  # as the timer does every quarter of an hour
    rounds = list(islice(addresses(random.Random(2)), n_rounds))
    with serving(folder, cookie) as server, writing(folder):
        for path in rounds[0].values():
            open_page(server, path)  # opens the index and loads templates
        costs: dict[str, list[Opened]] = {name: [] for name in rounds[0]}
        for paths in rounds:
            for name, path in paths.items():
                costs[name].append(open_page(server, path))
        print("page     cpu p50 ms  p95 ms  wall p50 ms  p95 ms  KB sent    KB")
        n_broken = sum(_report(name, opened) for name, opened in costs.items())
        n_broken += _open_at_once(server, rounds, f"{N_BROWSERS} browsers at once")
        return n_broken + _open_at_once(server, rounds, "again")


def _report(name: str, opened: Sequence[Opened]) -> int:
    """Print the costs of one page. Return how many limits it breaks."""
    cpu_50, cpu_95 = _percentiles_ms([one.cpu_s for one in opened])
    wall_50, wall_95 = _percentiles_ms([one.wall_s for one in opened])
    sent, size = (max(one.sent for one in opened) / 1000, max(one.size for one in opened) / 1000)
    n_broken = sum((cpu_50 > P50_MS, cpu_95 > P95_MS, sent > KB))
    cells = f"{cpu_50:10.1f} {cpu_95:7.1f} {wall_50:12.1f} {wall_95:7.1f} {sent:8.1f} {size:5.0f}"
    print(f"{name:8} {cells}{'  BROKEN' if n_broken else ''}", flush=True)
    return n_broken


def _percentiles_ms(times_s: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(1000 * time_s for time_s in times_s)
    return statistics.median(ordered), ordered[int(0.95 * len(ordered))]


def _open_at_once(server: Server, rounds: Sequence[dict[str, str]], name: str) -> int:
    """Open four pages in each of 50 browsers. Return 1 if that takes too long."""
    paths = [path for one in rounds for path in one.values()]
    paths = list(islice(cycle(paths), 4 * N_BROWSERS))
    before = _cpu_of_all_s(server.pid)
    with ThreadPoolExecutor(N_BROWSERS) as pool:
        opened = list(pool.map(partial(open_page, server), paths))
    median, p95 = _percentiles_ms([one.wall_s for one in opened])
    cpu_ms = 1000 * (_cpu_of_all_s(server.pid) - before) / len(paths)
    times = f"p50 {median / 1000:.2f} s, p95 {p95 / 1000:.2f} s"
    print(f"{name}: {times}, {cpu_ms:.0f} ms of CPU a page", flush=True)
    return int(p95 / 1000 > CROWD_S)


def main() -> int:
    """Fill, write or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("fill", "write", "measure"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=N_PAGES)
    parser.add_argument("--links", type=int, default=N_LINKS)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    folder = options.folder.absolute()
    if options.step == "fill":
        fill(folder, options.pages, options.links)
        return 0
    if options.step == "write":
        write(folder)
        return 0
    return 1 if measure(folder, options.rounds) else 0


if __name__ == "__main__":
    sys.exit(main())
