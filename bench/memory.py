"""How much memory a crawl takes as it goes on: the collector's process and its children.

The crawl runs as `manage.py crawl` on the web of `make bench`, of as many pages. Twice a second the
memory of the process and all its children is added up: the proportional share (PSS), in which a
page of memory that several processes share counts once. The crawl has the memory settings that
`manage.py up` gives its parts, and no daily limit of a site. Linux only.

    python -m bench.memory [--pages 2500] [--json F]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.run import ROOT, prepare
from focusweb.runtime.processes import MEMORY_SETTINGS

#: The run is cut into so many parts; of each the largest memory is shown.
N_PARTS = 10
#: The web has so many times the pages that are crawled: some are not linked to.
SPARE = 1.25
MAX_MB = 300
#: All pages of a site may be fetched in one day.
LIMITS = {"FOCUSWEB_SITE_PAGES_PER_DAY": "1000000", "FOCUSWEB_SITE_MB_PER_DAY": "1000000"}
#: Later parts may take so many times the memory of the second, when all processes have started.
MAX_GROWTH = 1.2


def main() -> int:
    """Crawl and print the memory of each part; the exit code is 1 if it is over the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2500)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    command = [sys.executable, "-m", "bench.site", str(round(SPARE * options.pages))]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as site,
    ):
        assert site.stdin is not None and site.stdout is not None
        samples = crawl(options.pages, folder, site.stdout.readline().split())
        site.stdin.close()
    found = figures(samples)
    print(json.dumps(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    return 0 if found["most MB"] <= MAX_MB and found["growth"] <= MAX_GROWTH else 1


def crawl(n_pages: int, folder: str, ports: Sequence[str]) -> list[tuple[float, float]]:
    """Crawl so many pages; seconds since the start and MB, for each sample."""
    environment = prepare(folder, ports) | MEMORY_SETTINGS | LIMITS
    command = [sys.executable, "manage.py", "crawl", "bench", "--pages", str(n_pages)]
    started, samples = time.monotonic(), []
    with subprocess.Popen(
        [*command, "--json", "--no-index"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        while process.poll() is None:
            n_bytes = 1024 * sum(map(memory_kib, tree(process.pid)))
            samples.append((time.monotonic() - started, n_bytes / 1e6))
            time.sleep(0.5)
        assert process.stdout is not None
        said = process.stdout.read()
    if process.returncode:
        sys.exit(f"the crawl ended with {process.returncode}: {said[-2000:]}")
    fetched = json.loads(said.splitlines()[-1])["fetched"]
    print(f"{fetched} pages in {samples[-1][0]:.0f} s", flush=True)
    if fetched < n_pages:
        sys.exit(f"the crawl ended after {fetched} of {n_pages} pages")
    return samples


def tree(process_id: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield process_id
    tasks = Path(f"/proc/{process_id}/task")
    try:
        children = [
            int(number)
            for task in os.listdir(tasks)
            for number in (tasks / task / "children").read_text("utf-8").split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return  # It ended meanwhile.
    for child in children:
        yield from tree(child)


def memory_kib(process_id: int) -> int:
    """The proportional share of memory of a process, in KiB; 0 if it has ended."""
    try:
        rollup = Path(f"/proc/{process_id}/smaps_rollup").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))


def figures(samples: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """The largest memory of each part of the run, and how it grew since the second."""
    end = samples[-1][0]
    parts = [0.0] * N_PARTS
    for when, n_mb in samples:
        part = min(int(N_PARTS * when / end), N_PARTS - 1)
        parts[part] = max(parts[part], n_mb)
    return {
        "MB": [round(part) for part in parts],
        "most MB": round(max(parts)),
        "growth": round(max(parts[2:]) / parts[1], 3),
    }


if __name__ == "__main__":
    sys.exit(main())
