"""`make soak`: a whole installation under load for a while, then the same with random kills.

48 hosts on this machine, two topics of 6,000 pages, two collectors, started by `manage.py up`.
Every second it reads the queue, the timer and the index; at the end the server's log and the
tables. Prints the measured values beside the limits; exit code 1 if a limit is broken.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from bench.living import (
    N_COLLECTORS,
    Figure,
    Installation,
    Sample,
    Web,
    at_most,
    print_figures,
)

N_HOSTS, N_WEB_PAGES, N_PAGES = 48, 20_000, 6000
KILL_EVERY_S = 20.0
MAX_QUEUE = 3 * N_COLLECTORS + 5
MAX_TICK_S, MAX_TICK_KILLED_S = 90.0, 150.0
MAX_INDEX_S = 60.0
#: The speed at the end beside that at the start, each over at most so many seconds.
WINDOW_S, LEAST_SPEED = 300.0, 0.9
#: Samples from one reading of the processor time to the next.
CPU_EVERY = 15


def main(arguments: Sequence[str]) -> int:
    """Run the phases; print a table of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0, help="length of each phase")
    parser.add_argument(
        "--kills",
        action=argparse.BooleanOptionalAction,
        help="only the phase with kills, or only the one without",
    )
    parser.add_argument("--seed", type=int, default=1, help="draws the victims")
    parser.add_argument("--json", type=Path, help="write all figures and samples here")
    options = parser.parse_args(arguments)
    phases = [False, True] if options.kills is None else [options.kills]
    report: dict[str, Any] = {}
    for kills in phases:
        name = "with kills" if kills else "undisturbed"
        figures, details = run_phase(options.minutes * 60, kills, Random(options.seed))
        print(f"\n{name}, {options.minutes:g} minutes")
        print_figures(figures)
        for line in details.pop("breaches")[:20]:
            print(f"       {line}")
        sys.stdout.flush()
        report[name] = {"figures": [asdict(figure) for figure in figures], **details}
    if options.json:
        options.json.write_text(json.dumps(report, indent=1), "utf-8")
    held = all(figure["holds"] for phase in report.values() for figure in phase["figures"])
    return 0 if held else 1


def run_phase(length_s: float, kills: bool, rng: Random) -> tuple[list[Figure], dict[str, Any]]:
    """Let an installation live for a while; what was measured."""
    with tempfile.TemporaryDirectory(prefix="focusweb-soak-") as folder:
        with Web(N_WEB_PAGES, N_HOSTS, Path(folder) / "server.log") as web:
            installation = Installation(Path(folder) / "data", web, n_pages=N_PAGES)
            installation.make()
            killed: list[str] = []
            try:
                samples = _live(installation, length_s, KILL_EVERY_S if kills else 0, rng, killed)
            finally:
                installation.stop()
            breaches = web.breaches()
            code, said = installation.manage("check_invariants")
            wrong = said.splitlines() if code else []
        log = (Path(folder) / "data.log").read_text("utf-8", "replace")
    max_tick_s = MAX_TICK_KILLED_S if kills else MAX_TICK_S
    first, last = speeds(samples)
    figures = [
        at_most("longest queue", max(one.n_queued for one in samples), MAX_QUEUE),
        at_most("oldest tick, s", max(one.tick_age_s for one in samples), max_tick_s),
        at_most("index behind by, s", max(one.index_age_s for one in samples), MAX_INDEX_S),
        at_most("breaches by the server's log", len(breaches), 0),
        at_most("breaches of invariants", len(wrong), 0),
        Figure("pages", samples[-1].n_fetched, "some", samples[-1].n_fetched > 0),
        Figure("pages a second, first minutes", first, "", True),
    ]
    early_ms, late_ms = costs_ms(samples)
    figures += [
        Figure("CPU ms a page, first minutes", early_ms, "", True),
        Figure("CPU ms a page, last minutes", late_ms, "", True),
    ]
    promised = "" if kills else f"at least {LEAST_SPEED:.0%} of the first"
    is_steady = kills or last >= LEAST_SPEED * first
    figures.append(Figure("pages a second, last minutes", last, promised, is_steady))
    details = {
        "samples": [asdict(one) for one in samples],
        "killed": killed,
        "starts": installation.n_starts,
        "breaches": [*breaches, *wrong],
        "log_tail": log.splitlines()[-40:],
    }
    return figures, details


def _live(
    installation: Installation, length_s: float, kill_every_s: float, rng: Random, killed: list[str]
) -> list[Sample]:
    """Start it, check it every second, kill something now and then."""
    installation.begin_clock()
    installation.start()
    end = time.monotonic() + length_s
    next_kill = time.monotonic() + (kill_every_s or length_s + 60)
    samples: list[Sample] = []
    while time.monotonic() < end:
        samples.append(installation.look(with_cpu=len(samples) % CPU_EVERY == 0))
        if time.monotonic() >= next_kill:
            killed.append(f"{samples[-1].at_s:.0f} s: {installation.kill_one(rng)}")
            next_kill += kill_every_s
        installation.keep_up()
        if not samples[-1].n_open_runs and samples[-1].n_fetched:
            break  # Both topics have had all their pages.
        time.sleep(1.0)
    return samples


def speeds(samples: Sequence[Sample]) -> tuple[float, float]:
    """Pages a second at the start, from the first page on, and at the end."""
    at_work = [one for one in samples if one.n_fetched]
    if len(at_work) < 2:
        return 0.0, 0.0
    begin, end = at_work[0], at_work[-1]
    window_s = min(WINDOW_S, (end.at_s - begin.at_s) / 3)
    early = next(one for one in at_work if one.at_s >= begin.at_s + window_s)
    late = next(one for one in at_work if one.at_s >= end.at_s - window_s)
    return _speed(begin, early), _speed(late, end)


def costs_ms(samples: Sequence[Sample]) -> tuple[float, float]:
    """Processor milliseconds of the whole installation per page, at the start and at the end."""
    read = [one for one in samples if one.cpu_s and one.n_fetched]
    if len(read) < 2:
        return 0.0, 0.0
    begin, end = read[0], read[-1]
    window_s = min(WINDOW_S, (end.at_s - begin.at_s) / 3)
    early = next(one for one in read if one.at_s >= begin.at_s + window_s)
    late = next(one for one in read if one.at_s >= end.at_s - window_s)
    return _cost_ms(begin, early), _cost_ms(late, end)


def _cost_ms(before: Sample, after: Sample) -> float:
    n_pages = after.n_fetched - before.n_fetched
    used_s = sum(after.cpu_s.values()) - sum(before.cpu_s.values())
    return 1000 * used_s / n_pages if n_pages > 0 else 0.0


def _speed(before: Sample, after: Sample) -> float:
    seconds = after.at_s - before.at_s
    return (after.n_fetched - before.n_fetched) / seconds if seconds > 0 else 0.0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
