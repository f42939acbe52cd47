"""How good the order of results is: nDCG@10 of each engine, against pages judged by hand.

    python bench/search_quality.py DIR [DIR ...] [--cache FOLDER] [--json FILE]
    python bench/search_quality.py DIR --pool

The queries are in `search_queries.tsv`, the judgements in `search_judgements.tsv`: 2 is a page
that a person who types this wants, 1 one that helps, 0 neither. For each query the first ten
pages of every engine were judged, from their titles and extracts. Every second query was used
to tune; the others were held out, and their figures are the ones to trust. Pages without a
judgement count as 0, and their number is printed. `--pool` prints those pages, to be judged. The
times are CPU milliseconds of a search that gives every page found. For the engine `postgres`,
write `python tools/postgres.py bench/search_quality.py DIR`.
"""

import argparse
import csv
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from math import log2
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from topics.search.backend import SearchBackend
    from topics.search.document import Document

QUERIES = Path(__file__).with_name("search_queries.tsv")
JUDGEMENTS = Path(__file__).with_name("search_judgements.tsv")
DEPTH = 10
HALVES = ("tuned", "held out")

#: Address -> grade, by query.
Grades = dict[str, dict[str, int]]


def main() -> None:
    """Index each web with each engine; print a line for each, or the pages to judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=Path, dest="json_file")
    parser.add_argument("--pool", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()
    measured: dict[str, object] = {}
    for folder in options.folders:
        web = Web(folder, options.cache)
        if options.pool:
            web.print_pool()
            continue
        measured[folder.name] = figures = web.figures()
        for engine, row in figures.items():
            cells = ", ".join(f"{name} {value:.3f}" for name, value in row.items())
            print(f"{folder.name} {engine}: {cells}", flush=True)
    if options.json_file:
        options.json_file.write_text(json.dumps(measured, indent=1), encoding="utf-8")


class Web:
    """The pages of one web, its queries, and what each engine finds for them."""

    def __init__(self, folder: Path, cache: Path) -> None:
        from bench.search_texts import read_documents

        self._documents, self._urls = read_documents(folder, cache)
        self._queries = [row["query"] for row in _rows(QUERIES) if row["web"] == folder.name]
        self._grades: Grades = {}
        for row in _rows(JUDGEMENTS):
            if row["web"] == folder.name:
                self._grades.setdefault(row["query"], {})[row["url"]] = int(row["grade"])
        self._times: dict[str, list[float]] = {}
        self._found = {name: self._run(engine) for name, engine in _engines().items()}

    def _run(self, engine: "type[SearchBackend]") -> dict[str, list[int]]:
        from bench.search import cpu_s
        from topics.search.query import parse_query

        with tempfile.TemporaryDirectory() as folder:
            backend = engine.create(Path(folder))
            for start in range(0, len(self._documents), 1000):
                backend.index(self._documents[start : start + 1000])
            self._times[engine.name] = sorted(
                1000 * cpu_s(backend.search, parse_query(query), limit=None)
                for query in self._queries
            )
            return {
                query: [hit.id for hit in backend.search(parse_query(query), limit=DEPTH).hits]
                for query in self._queries
            }

    def figures(self) -> dict[str, dict[str, float]]:
        """Mean nDCG of each engine, by half, and how many of its first pages have no judgement."""
        return {name: dict(self._figures_of(name)) for name in self._found}

    def _figures_of(self, engine: str) -> Iterator[tuple[str, float]]:
        found = self._found[engine]
        values = [ndcg(self._judged(query, found[query]), self._ideal(query)) for query in found]
        for number, half in enumerate(HALVES):
            yield half, fmean(values[number::2])
        shown = [(query, page) for query, pages in found.items() for page in pages]
        times = self._times[engine]
        yield "p50 ms", times[len(times) // 2]
        yield "p95 ms", times[int(0.95 * len(times))]
        yield "not judged", float(sum(not self._is_judged(*pair) for pair in shown))

    def _judged(self, query: str, pages: Sequence[int]) -> list[int]:
        grades = self._grades.get(query, {})
        return [grades.get(self._urls[page], 0) for page in pages]

    def _ideal(self, query: str) -> list[int]:
        return sorted(self._grades.get(query, {}).values(), reverse=True)

    def _is_judged(self, query: str, page: int) -> bool:
        return self._urls[page] in self._grades.get(query, {})

    def print_pool(self) -> None:
        """Print pages without a judgement, with extracts, sorted by their numbers."""
        from topics.search.query import parse_query
        from topics.search.snippet import cut_fragments

        for number, query in enumerate(self._queries):
            pages = {page for found in self._found.values() for page in found[query]}
            print(f"## {number} {query}")
            for page in sorted(page for page in pages if not self._is_judged(query, page)):
                document: Document = self._documents[page]
                extracts = map(str, cut_fragments(document.body, parse_query(query)))
                lead = " ".join(document.body.split())[:90]
                print(f"{page} {document.title} | {lead} | {' / '.join(extracts)}")


def ndcg(grades: Sequence[int], ideal: Sequence[int]) -> float:
    """Return how near an order is to the ideal one, in [0, 1]; 1 if nothing is worth finding."""
    best = _gain(ideal)
    return _gain(grades) / best if best else 1.0


def _gain(grades: Sequence[int]) -> float:
    gains = (float(2**grade - 1) / log2(place + 2) for place, grade in enumerate(grades[:DEPTH]))
    return sum(gains)


def _rows(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def _engines() -> "dict[str, type[SearchBackend]]":
    from bench.search import engines

    return engines()


if __name__ == "__main__":
    main()
