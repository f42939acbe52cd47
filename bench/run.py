"""`make bench`: CPU per page of a whole crawl, beside default Scrapy, in the same run.

Both crawl the same site in turn, at two sizes; the difference of the two divided by the
pages between them is what a page costs, free of start-up. CPU is user and system time of
the process and its children as the operating system accounts for it. Medians are quoted.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SMALL, LARGE = 200, 1200


def main() -> None:
    """Run the rounds and print a table and one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--scrapy",
        default=sys.executable if find_spec("scrapy") else None,
        help="Python that has Scrapy; without one ours runs alone",
    )
    options = parser.parse_args()
    site = subprocess.Popen(
        [sys.executable, "-m", "bench.site", str(LARGE)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert site.stdout is not None
    ports = site.stdout.readline().split()
    figures: dict[str, dict[int, list[float]]] = {}
    try:
        for _ in range(options.rounds):
            for size in (SMALL, LARGE):
                note(figures, "focusweb", size, crawl_ours(ports, size))
                if options.scrapy:
                    note(figures, "scrapy", size, crawl_scrapy(options.scrapy, ports, size))
    finally:
        assert site.stdin is not None
        site.stdin.close()
        site.wait()
    report(figures)


def note(figures: dict[str, dict[int, list[float]]], name: str, size: int, cpu_s: float) -> None:
    """Keep one measurement."""
    figures.setdefault(name, {}).setdefault(size, []).append(cpu_s)
    print(f"{name:10} {size:5} pages {cpu_s:7.2f} s CPU", flush=True)


def crawl_ours(ports: Sequence[str], n_pages: int) -> float:
    """One crawl of ours with a data folder of its own; CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        environment = prepare(folder, ports)
        command = [sys.executable, "manage.py", "crawl", "bench", "--pages", str(n_pages)]
        cpu_s, output = timed([*command, "--no-index", "--json"], environment)
        report = json.loads(output.splitlines()[-1])
        assert report["fetched"] >= n_pages, report
        return cpu_s


def prepare(
    folder: str, ports: Sequence[str], settings: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, str]:
    """Make a database with the benchmark's topic in a folder; the environment to use it in."""
    rules = [f"h{host}.bench.test=127.0.0.1:{port}" for host, port in enumerate(ports)]
    environment = os.environ | {"FOCUSWEB_DATA": folder, "FOCUSWEB_CONNECT_TO": ",".join(rules)}
    file = Path(folder) / "topic.json"
    topic = TOPIC | {"seeds": ["http://h0.bench.test/p/0"]}
    file.write_text(json.dumps(topic | {"settings": TOPIC["settings"] | dict(settings)}))
    for words in (
        ["migrate", "--verbosity", "0"],
        ["shell", "-c", MAKE_OWNER],
        ["topic_import", str(file)],
    ):
        subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return environment


def crawl_scrapy(python: str, ports: Sequence[str], n_pages: int) -> float:
    """One crawl of the yardstick; CPU seconds."""
    start = f"http://127.0.0.1:{ports[0]}/p/0"
    command = [python, str(ROOT / "bench" / "scrapy_spider.py"), start, str(n_pages)]
    return timed(command, dict(os.environ))[0]


def timed(command: Sequence[str], environment: dict[str, str]) -> tuple[float, str]:
    """CPU seconds of a command and all its children, and what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if child.returncode:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}: {text[-500:]}")
    return usage.ru_utime + usage.ru_stime, text


def report(figures: dict[str, dict[int, list[float]]]) -> None:
    """Print the cost of a page of each, and their ratio."""
    per_page: dict[str, float] = {}
    for name, sizes in figures.items():
        slopes = [
            1000 * (large - small) / (LARGE - SMALL)
            for small, large in zip(sizes[SMALL], sizes[LARGE], strict=True)
        ]
        per_page[name] = statistics.median(slopes)
        spread = f"{min(slopes):.2f} to {max(slopes):.2f}"
        print(f"{name:10} {per_page[name]:.2f} ms CPU a page, median of {len(slopes)} ({spread})")
    if "scrapy" in per_page:
        print(f"ratio      {per_page['focusweb'] / per_page['scrapy']:.2f}")
    print(json.dumps({"cpu_ms_per_page": per_page}))


TOPIC: dict[str, Any] = {
    "format": "focusweb-topic",
    "version": 1,
    "name": "ralo miten",
    "slug": "bench",
    "languages": [],
    "schedule": {"kind": "hours", "every": 24},
    "settings": {"strategy": "best_first", "judge": "cosine", "max_depth_hops": 50},
}
MAKE_OWNER = "from django.contrib.auth.models import User; User.objects.create_superuser('owner')"


if __name__ == "__main__":
    main()
