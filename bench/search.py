"""Measure a search engine: python bench/search.py ENGINE [N_PAGES] (CPU seconds, one process).

Pages are random, half Chinese (jieba's words by their frequency), half English
(made-up words after Zipf's law), 1 to 3 KB each. Run it on a quiet machine.

    python tools/postgres.py bench/search.py postgres

measures the engine `postgres`; its figures contain the CPU time of the server's process.
"""

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")

import django
import jieba

from focusweb import database
from topics.search.backend import SearchBackend
from topics.search.document import Document
from topics.search.fts5.backend import Fts5Backend
from topics.search.postgres.backend import PostgresBackend
from topics.search.query import Query, parse_query
from topics.search.whoosh.backend import WhooshBackend

N_QUERIES = 200
N_TOPICS = 5
N_COMMITS = 300


def engines() -> dict[str, type[SearchBackend]]:
    """Every engine that is installed."""
    found: list[type[SearchBackend]] = [WhooshBackend, Fts5Backend]
    if not database.is_sqlite():
        found.append(PostgresBackend)
    try:
        from topics.search.tantivy.backend import TantivyBackend
    except ImportError:
        pass
    else:
        found.append(TantivyBackend)
    return {engine.name: engine for engine in found}


class Writer:
    """Writes random pages, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        with jieba.get_dict_file() as file:
            rows = [line.decode().split() for line in file]
        self._chinese = [row[0] for row in rows]
        self._often = list(accumulate(int(row[1]) for row in rows))
        syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er")]
        self._english = ["".join(self._rng.choices(syllables, k=3)) for _ in range(40_000)]
        self._zipf = list(accumulate(1 / rank for rank in range(1, len(self._english) + 1)))

    def page(self, number: int) -> Document:
        """One page."""
        rng, topics = self._rng, (f"t{number % N_TOPICS}",)
        if number % 2:
            words = rng.choices(self._chinese, cum_weights=self._often, k=rng.randrange(200, 600))
            title, body = "".join(words[:5]), _in_lines(words, "", "，", "。\n")
        else:
            words = rng.choices(self._english, cum_weights=self._zipf, k=rng.randrange(150, 450))
            title, body = " ".join(words[:6]), _in_lines(words, " ", ", ", ".\n")
        return Document(number, title, body, topics)

    def queries(self, pages: list[Document]) -> list[Query]:
        """One to three words of a page, or two words side by side, all of which find something."""
        made = []
        for page in self._rng.sample(pages, N_QUERIES):
            line = self._rng.choice([line for line in page.body.split("\n") if len(line) > 8])
            parts = [part for part in line.strip(".。").replace(",", "，").split("，") if part]
            part = self._rng.choice(parts).strip()
            if page.id % 2:
                start = self._rng.randrange(max(len(part) - 4, 1))
                text = part[start : start + self._rng.randrange(2, 5)]
            else:
                text = " ".join(part.split()[: self._rng.randrange(1, 4)])
            made.append(f'"{text}"' if self._rng.random() < 0.3 else text)
        return [parse_query(text) for text in made]


def _in_lines(words: list[str], between: str, comma: str, end: str) -> str:
    lines = []
    for start in range(0, len(words), 24):
        parts = [words[i : i + 8] for i in range(start, min(start + 24, len(words)), 8)]
        lines.append(comma.join(between.join(part) for part in parts))
    return end.join(lines)


def cpu_s(work: Callable[..., object], *arguments: object, **named: object) -> float:
    """CPU seconds of this process, and of the server's process that works for it."""
    started = process_time() + _server_s()
    work(*arguments, **named)
    return process_time() + _server_s() - started


@cache
def _server_file() -> Path | None:
    """Where Linux notes how long the server's process has run."""
    if database.is_sqlite():
        return None
    return Path(f"/proc/{database.select('SELECT pg_backend_pid()')[0][0]}/schedstat")


def _server_s() -> float:
    file = _server_file()
    return int(file.read_text().split()[0]) / 1e9 if file else 0.0


def _disk_mb(backend: SearchBackend, folder: Path) -> float:
    if isinstance(backend, PostgresBackend):
        sizes = "SELECT pg_total_relation_size(%s) + pg_total_relation_size(%s)"
        names = [backend.table, f"{backend.table}_words"]
        return float(database.select(sizes, names)[0][0]) / 2**20
    return sum(file.stat().st_size for file in folder.iterdir()) / 2**20


def measure(engine: type[SearchBackend], folder: Path, n_pages: int) -> dict[str, float]:
    """Every figure of one engine; times are CPU time."""
    writer = Writer(seed=1)
    pages = [writer.page(number) for number in range(n_pages)]
    backend = engine.create(folder)
    rss_before = _rss_mb()
    build = sum(
        cpu_s(backend.index, pages[start : start + 500]) for start in range(0, n_pages, 500)
    )
    hundreds = [[writer.page(n) for n in range(at, at + 100)] for at in (0, 1000, 2000)]
    hundred = [cpu_s(backend.index, part) for part in hundreds]
    tens = [[writer.page(n) for n in range(at, at + 10)] for at in range(0, 10 * N_COMMITS, 10)]
    few = [cpu_s(backend.index, part) for part in tens]
    rss_writing = _rss_mb() - rss_before
    backend = engine.open(folder)
    # A busy machine may take longer than a person would wait.
    backend.search_limit_s = 60.0  # type: ignore[attr-defined]
    queries = writer.queries(pages)
    keys = [f"t{n}" for n in range(N_TOPICS)]
    for query in queries[:20]:
        backend.search(query, topics=keys)
    best = partial(backend.search, topics=keys)
    times = sorted(1000 * cpu_s(best, query) for query in queries)
    everything = partial(backend.search, topics=keys, limit=None)
    whole = sorted(1000 * cpu_s(everything, query) for query in queries)
    return {
        "pages": n_pages,
        "pages_per_cpu_s": n_pages / build,
        "rebuild_cpu_s": build,
        "commit_100_ms": 1000 * statistics.median(hundred),
        "commit_10_median_ms": 1000 * statistics.median(few),
        "commit_10_worst_ms": 1000 * max(few),
        "query_p50_ms": statistics.median(times),
        "query_p95_ms": times[int(0.95 * len(times))],
        "all_hits_p95_ms": whole[int(0.95 * len(whole))],
        "open_ms": 1000 * statistics.median(cpu_s(engine.open, folder) for _ in range(9)),
        "memory_mb": rss_writing,
        "disk_mb": _disk_mb(backend, folder),
        "n_hits": sum(backend.search(query).total for query in queries),
    }


def _rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure one engine and print one JSON object."""
    django.setup()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=sorted(engines()))
    parser.add_argument("n_pages", type=int, nargs="?", default=20_000)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="focusweb-bench-"))
    try:
        figures = measure(engines()[arguments.engine], folder, arguments.n_pages)
    finally:
        shutil.rmtree(folder)
    rounded = {name: round(value, 2) for name, value in figures.items()}
    print(json.dumps({"engine": arguments.engine, **rounded}))


if __name__ == "__main__":
    main()
