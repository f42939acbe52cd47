"""`make bench`: what a page costs, beside Scrapy and beside the obvious crawler.

All crawl the same web (`bench/site.py`) in turn, each at two sizes. The difference of the two
divided by the pages between them is what a page costs, free of start-up. CPU time is user and
system time of the program and its children, as the operating system counts it; the web server is
not counted. The median of the rounds is quoted, with the smallest and the largest.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: Pages of a crawl, and of the site.
SMALL, LARGE = 200, 800
N_PAGES = 5000
#: The obvious stack costs so much a page that fewer are enough.
FEW = 10, 40
ENGINES = "whoosh", "fts5", "tantivy"


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that one crawl took: of the processors, and by the clock."""

    cpu_s: float
    wall_s: float


@dataclass(frozen=True, slots=True)
class Web:
    """The web at the ports of its hosts, and a data folder of ours that is ready to crawl it."""

    ports: Sequence[str]
    data: Path
    environment: Mapping[str, str]

    @property
    def start(self) -> str:
        """Where a crawler without our map of hosts begins."""
        return f"http://127.0.0.1:{self.ports[0]}/p/0"


@dataclass(frozen=True, slots=True)
class Contestant:
    """What is compared: how to crawl so many pages of the web."""

    name: str
    crawl: Callable[[Web, int], Cost]
    sizes: tuple[int, int] = (SMALL, LARGE)
    #: Package it needs.
    needs: str = ""


def main() -> None:
    """Run the rounds and print a table and one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", help="names of contestants, with commas")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--plot", type=Path, help="draw the figures into this SVG file")
    options = parser.parse_args()
    named = options.only.split(",") if options.only else [one.name for one in CONTESTANTS]
    if unknown := set(named) - {one.name for one in CONTESTANTS}:
        parser.error(f"no such contestant: {', '.join(sorted(unknown))}")
    chosen = []
    for one in CONTESTANTS:
        if one.name in named and one.needs and find_spec(one.needs) is None:
            print(f"{one.name} is left out: {one.needs} is not installed")
        elif one.name in named:
            chosen.append(one)
    costs: dict[str, list[tuple[Cost, Cost]]] = {one.name: [] for one in chosen}
    with web() as made:
        for _ in range(options.rounds):
            for one in chosen:
                small, large = (one.crawl(made, size) for size in one.sizes)
                costs[one.name].append((small, large))
                print(f"{one.name:22} {large.cpu_s:7.2f} s CPU, {large.wall_s:6.1f} s", flush=True)
    figures = [figure(one, costs[one.name]) for one in chosen]
    report(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    if options.plot:
        draw(figures, options.plot)


@contextmanager
def web() -> Iterator[Web]:
    """Start the web."""
    command = [sys.executable, "-m", "bench.site", str(N_PAGES)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        ports = process.stdout.readline().split()
        with tempfile.TemporaryDirectory() as folder:
            yield Web(ports, Path(folder), prepare(folder, ports))
    finally:
        process.stdin.close()
        process.wait()


def crawl_ours(web: Web, n_pages: int, *, engine: str = "", n_crawls: int = 1) -> Cost:
    """Crawl with ours and a data folder of its own; with an engine pages are indexed as well.

    With `n_crawls` of 2 a second process takes part in the same run.
    """
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(web.data, folder, dirs_exist_ok=True)
        environment = {**web.environment, "FOCUSWEB_DATA": folder}
        command = [sys.executable, "manage.py", "crawl", "bench", "--pages", str(n_pages), "--json"]
        command += ["--processes", str(n_crawls)]
        if engine:
            environment |= {"FOCUSWEB_SEARCH": engine}
        else:
            command.append("--no-index")
        cost, outputs = timed([command] * n_crawls, environment)
        fetched = max(json.loads(output.splitlines()[-1])["fetched"] for output in outputs)
        assert fetched >= n_pages, outputs
        return cost


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


def crawl_scrapy(web: Web, n_pages: int) -> Cost:
    """Crawl with default Scrapy and its LinkExtractor."""
    file = str(ROOT / "bench" / "scrapy_spider.py")
    return timed([[sys.executable, file, web.start, str(n_pages)]], os.environ)[0]


def crawl_obvious(web: Web, n_pages: int) -> Cost:
    """Crawl with what one would write first."""
    file = str(ROOT / "bench" / "obvious_stack.py")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, file, folder, web.start, str(n_pages)]
        return timed([command], os.environ)[0]


def fetch_alone(web: Web, n_pages: int) -> Cost:
    """Fetch with our door and find the links."""
    command = [sys.executable, "-m", "bench.fetch_and_links", str(n_pages), *web.ports]
    return timed([command], os.environ)[0]


def timed(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str]
) -> tuple[Cost, list[str]]:
    """Run commands at the same time; what they and their children cost, and what they printed."""
    start, cpu_s, texts = time.perf_counter(), 0.0, []
    with ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in commands]
        errors = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in commands]
        children = [
            subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=error)
            for command, output, error in zip(commands, outputs, errors, strict=True)
        ]
        for command, child, output, error in zip(commands, children, outputs, errors, strict=True):
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            cpu_s += usage.ru_utime + usage.ru_stime
            output.seek(0)
            texts.append(output.read())
            if child.returncode:
                error.seek(0)
                said = (texts[-1] + error.read())[-2000:]
                sys.exit(f"{' '.join(command)} ended with {child.returncode}: {said}")
    return Cost(cpu_s, time.perf_counter() - start), texts


CONTESTANTS = (
    Contestant("scrapy", crawl_scrapy, needs="scrapy"),
    Contestant("obvious", crawl_obvious, FEW),
    Contestant("fetch-and-links", fetch_alone),
    Contestant("pipeline", crawl_ours),
    Contestant("pipeline-2-collectors", partial(crawl_ours, n_crawls=2)),
    *(
        Contestant(
            f"pipeline-{engine}",
            partial(crawl_ours, engine=engine),
            needs=engine if engine == "tantivy" else "",
        )
        for engine in ENGINES
    ),
)


def figure(one: Contestant, costs: Sequence[tuple[Cost, Cost]]) -> dict[str, Any]:
    """Milliseconds a page of one contestant: median, smallest and largest of the rounds."""
    n = one.sizes[1] - one.sizes[0]
    cpu = [1000 * (large.cpu_s - small.cpu_s) / n for small, large in costs]
    wall = [1000 * (large.wall_s - small.wall_s) / n for small, large in costs]
    return {"name": one.name, "cpu_ms": _spread(cpu), "wall_ms": _spread(wall)}


def _spread(values: Sequence[float]) -> list[float]:
    return [round(value, 3) for value in (statistics.median(values), min(values), max(values))]


def report(figures: Sequence[Mapping[str, Any]]) -> None:
    """Print the cost of a page of each, and its ratio to Scrapy's."""
    yardstick = next((one["cpu_ms"][0] for one in figures if one["name"] == "scrapy"), None)
    print("\nms a page               CPU (least to most)     by the clock            to Scrapy")
    for one in figures:
        cells = [
            f"{median:6.2f} ({low:.2f} to {high:.2f})".ljust(24)
            for median, low, high in (one["cpu_ms"], one["wall_ms"])
        ]
        ratio = f"{one['cpu_ms'][0] / yardstick:.2f}" if yardstick else ""
        print(f"{one['name']:22} {''.join(cells)}{ratio}")
    print(json.dumps({"cpu_ms_per_page": {one["name"]: one["cpu_ms"][0] for one in figures}}))


def draw(figures: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Draw the cost of a page of each as bars."""
    import pygal

    chart = pygal.HorizontalBar(title="ms of CPU and by the clock, a page", print_values=True)
    chart.x_labels = [one["name"] for one in figures]
    for key, name in (("cpu_ms", "CPU"), ("wall_ms", "clock")):
        chart.add(name, [one[key][0] for one in figures])
    chart.render_to_file(str(file))


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
