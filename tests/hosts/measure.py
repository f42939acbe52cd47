"""Measure how much faster a crawl is on more machines: `python -m tests.hosts.measure`.

The sites answer slowly enough that neither the processors of this computer nor politeness is the
limit, but what one machine has in hand at a time: its fetch threads. So the figures say what
working together costs. Needs root; see `tests.hosts.network`.
"""

import json
import sys
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psycopg

from tests.hosts.installation import Host, Hosts
from tests.hosts.network import why_not

N_SITES, N_PAGES, N_THREADS = 64, 1500, 4
ANSWER_S, DELAY_S = 0.2, 0.2
SAMPLE_EVERY_S = 0.05
#: Of the requests of a crawl, in the order of time: its beginning has too few URLs for all.
COUNTED = (0.1, 0.9)


@dataclass
class Samples:
    """How many connections of machines that crawl were waiting, at many moments."""

    executing: list[int] = field(default_factory=list)
    for_turn: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Measured:
    """A crawl. Shares are of the workers' time; the processors' that of this whole computer."""

    n_machines: int
    pages_per_s: float
    executing: float
    for_turn: float
    processors: float
    by_machine: dict[str, int]


def main() -> int:
    """Measure, and print a table."""
    parser = ArgumentParser(prog="python -m tests.hosts.measure")
    parser.add_argument("--machines", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if refusal := why_not():
        sys.stderr.write(f"{refusal}\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        found = list(_measure_all(Path(folder), options.machines))
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=1))
    return 0


def _measure_all(folder: Path, numbers: list[int]) -> Iterator[Measured]:
    settings = {"FOCUSWEB_FETCH_THREADS": str(N_THREADS)}
    _show("machines", "pages a second", "executing", "for its turn", "processors", "assignments")
    with Hosts(
        folder, n_sites=N_SITES, n_pages=N_PAGES, delay_s=DELAY_S, answer_s=ANSWER_S
    ) as hosts:
        web = hosts.add("web1").start("web", "index").wait_until_ready()
        machines = [hosts.add(f"crawl{i + 1}", **settings) for i in range(max(numbers))]
        for n in numbers:
            for i, machine in enumerate(machines):
                _switch(machine, is_wanted=i < n)
            found = _measure(hosts, web, n)
            _show(
                str(n),
                f"{found.pages_per_s:.1f}",
                *(f"{share:.1%}" for share in (found.executing, found.for_turn, found.processors)),
                str(found.by_machine),
            )
            yield found


def _switch(machine: Host, *, is_wanted: bool) -> None:
    if is_wanted and not machine.is_up():
        machine.start("crawl").wait_until_ready()
    if not is_wanted and machine.is_up():
        machine.stop()


def _measure(hosts: Hosts, web: Host, n: int) -> Measured:
    topic = f"m{n}-{int(time.time())}"
    before = _busy_and_all()
    with _sampled(hosts) as samples:
        hosts.start_crawl(web, topic)
        hosts.wait_for_end(topic, 600)
    busy, ticks = (now - then for now, then in zip(_busy_and_all(), before, strict=True))
    assert len(hosts.pages(topic)) == N_PAGES
    ends = sorted(row["end"] for row in hosts.requests(topic) if "/p/" in row["path"])
    first, last = (ends[int(share * len(ends))] for share in COUNTED)
    n_samples = n * len(samples.executing)
    return Measured(
        n_machines=n,
        pages_per_s=(COUNTED[1] - COUNTED[0]) * len(ends) / (last - first),
        executing=sum(samples.executing) / n_samples,
        for_turn=sum(samples.for_turn) / n_samples,
        processors=busy / ticks,
        by_machine=hosts.workers_of(topic),
    )


@contextmanager
def _sampled(hosts: Hosts) -> Iterator[Samples]:
    """Count the connections of the machines that crawl until the block ends."""
    samples, over = Samples(), threading.Event()
    addresses = [hosts.network.address(name) for name in hosts.by_name if "crawl" in name]

    def sample(base: "psycopg.Connection[tuple[int, int]]") -> None:
        while not over.wait(SAMPLE_EVERY_S):
            [(executing, for_turn)] = base.execute(
                "SELECT count(*) FILTER (WHERE wait_event_type IS DISTINCT FROM 'Lock'),"
                " count(*) FILTER (WHERE wait_event_type = 'Lock') FROM pg_stat_activity"
                " WHERE state = 'active' AND host(client_addr) = ANY(%s)",
                [addresses],
            ).fetchall()
            samples.executing.append(executing)
            samples.for_turn.append(for_turn)

    with hosts.database() as base:
        thread = threading.Thread(target=sample, args=(base,))
        thread.start()
        try:
            yield samples
        finally:
            over.set()
            thread.join()


def _busy_and_all() -> tuple[int, int]:
    """Ticks of all processors of this computer: in use, and all."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)


def _show(*words: str) -> None:
    sys.stdout.write("".join(f"{word:16}" for word in words).rstrip() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
