"""How soon a crawl goes on after everything was killed, and how much of it is left under kills.

`python -m bench.restart`: kills all processes of an installation at work and starts it again,
a few times; then crawls undisturbed for a while, and as long again with a random process killed
every four seconds. Prints what was seen beside what is promised; exit code 1 if it is broken.
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

from bench.living import Figure, Installation, Web, at_most, print_figures

N_HOSTS, N_WEB_PAGES, N_PAGES = 48, 20_000, 6000
KILL_EVERY_S = 4.0
MAX_RESTART_S, LEAST_PROGRESS = 10.0, 0.3
#: So much work is in hand before everything is killed.
REQUESTS_BEFORE, PATIENCE_S = 100, 120.0


def main(arguments: Sequence[str]) -> int:
    """Measure both; print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--restarts", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=6.0, help="length of each crawl")
    parser.add_argument("--seed", type=int, default=1, help="draws the victims")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args(arguments)
    figures = restarts(options.restarts)
    if options.minutes > 0:
        figures += progress(options.minutes * 60, Random(options.seed))
    print_figures(figures)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in figures], indent=1), "utf-8")
    return 0 if all(figure.holds for figure in figures) else 1


def restarts(n: int) -> list[Figure]:
    """Kill everything n times; the seconds until the next request."""
    if not n:
        return []
    waits = []
    with (
        tempfile.TemporaryDirectory(prefix="focusweb-restart-") as folder,
        Web(N_WEB_PAGES, N_HOSTS, Path(folder) / "server.log") as web,
    ):
        installation = Installation(Path(folder) / "data", web, n_pages=N_PAGES)
        installation.make()
        try:
            installation.start()
            for _ in range(n):
                _wait_for(web, web.n_requests() + REQUESTS_BEFORE)
                installation.kill_all()
                n_before, began = web.n_requests(), time.monotonic()
                installation.start()
                _wait_for(web, n_before + 1)
                waits.append(time.monotonic() - began)
        finally:
            installation.stop()
        breaches = web.breaches()
    return [
        *(
            at_most(f"first request after restart {i}, s", wait, MAX_RESTART_S)
            for i, wait in enumerate(waits, 1)
        ),
        at_most("breaches by the server's log", len(breaches), 0),
    ]


def _wait_for(web: Web, n_requests: int) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while web.n_requests() < n_requests:
        if time.monotonic() > give_up:
            raise SystemExit(f"not {n_requests} requests within {PATIENCE_S:.0f} s")
        time.sleep(0.05)


def progress(length_s: float, rng: Random) -> list[Figure]:
    """Crawl twice, the second time under kills; the share of pages that is left."""
    fetched, breaches, wrong = [], 0, 0
    for kill_every_s in (0.0, KILL_EVERY_S):
        with (
            tempfile.TemporaryDirectory(prefix="focusweb-restart-") as folder,
            Web(N_WEB_PAGES, N_HOSTS, Path(folder) / "server.log") as web,
        ):
            installation = Installation(Path(folder) / "data", web, n_pages=N_PAGES)
            installation.make()
            try:
                installation.start()
                end = time.monotonic() + length_s
                while time.monotonic() < end:
                    time.sleep(kill_every_s or 4.0)
                    if kill_every_s:
                        installation.kill_one(rng)
                        installation.keep_up()
                fetched.append(installation.look().n_fetched)
            finally:
                installation.stop()
            breaches += len(web.breaches())
            code, said = installation.manage("check_invariants")
            wrong += len(said.splitlines()) if code else 0
    share = fetched[1] / fetched[0] if fetched[0] else 0.0
    return [
        Figure("pages undisturbed", fetched[0], "some", fetched[0] > 0),
        Figure("pages under kills", fetched[1], "some", fetched[1] > 0),
        Figure("share left", share, f"at least {LEAST_PROGRESS:g}", share >= LEAST_PROGRESS),
        at_most("breaches by the server's log", breaches, 0),
        at_most("breaches of invariants", wrong, 0),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
