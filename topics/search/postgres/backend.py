"""PostgreSQL as a search engine."""

import json
import re
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import log
from pathlib import Path
from typing import ClassVar, Self

from django.db import DatabaseError

from focusweb import database
from topics.search import checksums
from topics.search.analysis import analysis_version, normalised_title, query_words
from topics.search.backend import Hit, SearchResult
from topics.search.document import Document
from topics.search.errors import IndexBusyError, IndexUnusableError, QueryTooSlowError
from topics.search.postgres import tables
from topics.search.postgres.query import Condition, conditions, named
from topics.search.postgres.rows import number_of, row_of
from topics.search.query import Query

#: Raise this when tables or columns change: indexes are rebuilt.
LAYOUT = 1
_FILE = "tables.json"
_TABLE = re.compile(r"focusweb_search_[0-9a-f]{12}")
#: The constants b and k1 of BM25F.
_B, _K1 = 0.75, 1.2
#: What it counts that a page is called what is looked for.
_NAME_BONUS = 30.0
#: Pages are found once, and counted while they are sorted.
_RANKED = """
WITH found (id, score) AS MATERIALIZED ({found})
SELECT id, score, (SELECT count(*) FROM found) FROM found ORDER BY score DESC, id LIMIT %s OFFSET %s
"""
_COUNTED = "SELECT count(*) FROM ({found}) AS found"


class PostgresBackend:
    """A `SearchBackend` in the database; its folder holds the name of its own tables."""

    name: ClassVar[str] = "postgres"
    version: ClassVar[str] = f"postgres layout {LAYOUT}, {analysis_version()}"
    #: Longest a search may take, in seconds.
    search_limit_s: ClassVar[float] = 2.0

    def __init__(self, folder: Path, table: str) -> None:
        self.folder = folder
        self.table = table

    @classmethod
    def create(cls, folder: Path) -> Self:
        backend = cls(folder, f"focusweb_search_{secrets.token_hex(6)}")
        # First the name: tables without one would stay for ever.
        (folder / _FILE).write_text(json.dumps({"table": backend.table}), encoding="utf-8")
        checksums.record(folder, [_FILE])
        with backend._guarded():
            tables.create(backend.table)
        return backend

    @classmethod
    def open(cls, folder: Path) -> Self:
        backend = cls(folder, _named_table(folder))
        if not backend.table:
            raise IndexUnusableError.of(folder, f"{_FILE} does not name its tables")
        checksums.refuse_altered(folder)
        with backend._reading():
            tables.held(backend.table, [0])
        return backend

    @classmethod
    def discard(cls, folder: Path) -> None:
        """Remove the tables of a folder that is about to be removed, if it names any."""
        if table := _named_table(folder):
            tables.drop(table)

    def index(self, documents: Sequence[Document]) -> None:
        latest = {document.id: document for document in documents}
        if not latest:
            return
        if any(page >= 2**63 for page in latest):
            raise OverflowError(f"an id must be below 2**63, got {max(latest)}")
        rows = [row_of(document) for document in latest.values()]
        with self._guarded():
            tables.replace(self.table, rows)

    def delete(self, ids: Collection[int]) -> None:
        if not ids:
            return
        with self._reading():
            held = tables.held(self.table, ids)
        if held:
            with self._guarded():
                tables.delete(self.table, held)

    def search(
        self,
        query: Query,
        *,
        topics: Collection[str] | None = None,
        limit: int | None = 20,
        offset: int = 0,
    ) -> SearchResult:
        if topics is not None and not topics:
            return SearchResult(0, ())
        with self._guarded(), database.reading_within(self.search_limit_s):
            found = self._found(query, topics)
            rows = database.select(_RANKED.format(found=found.sql), [*found.values, limit, offset])
            if rows:
                total = int(rows[0][2])
            else:
                total = int(database.select(_COUNTED.format(found=found.sql), found.values)[0][0])
        return SearchResult(total, tuple(Hit(int(page), float(score)) for page, score, _ in rows))

    def _found(self, query: Query, topics: Collection[str] | None) -> Condition:
        """Select the id and score of each page that is found."""
        selects, values = [], []
        for one in conditions(query.tree, self.table):
            selects.append(f"SELECT id, length, words, times FROM {self.table} WHERE {one.sql}")
            values += one.values
            if topics is not None:
                selects[-1] += " AND topics && %s::text[]"
                values.append(sorted(topics))
        weights = _weights(query)
        score = _score(weights, tables.numbers(self.table, map(number_of, weights)))
        if name := normalised_title(" ".join(clause.text for clause in query.typed)):
            called = named(name)
            pages = f"SELECT id FROM {self.table} WHERE {called.sql}"
            score += f" + CASE WHEN id IN ({pages}) THEN {_NAME_BONUS} ELSE 0 END"
            values = [*called.values, *values]
        return Condition(f"SELECT id, {score} FROM ({' UNION ALL '.join(selects)}) AS page", values)

    def count(self) -> int:
        with self._reading():
            return int(database.select(f"SELECT count(*) FROM {self.table}")[0][0])

    def ids(self) -> list[int]:
        with self._reading():
            return [int(page) for (page,) in database.select(f"SELECT id FROM {self.table}")]

    def check(self) -> None:
        """Count the pages and compare; the server checks its own files."""
        checksums.refuse_altered(self.folder, thorough=True)
        with self._reading():
            n_pages = self.count()
            n_noted = tables.numbers(self.table, ()).get(tables.N_PAGES, 0)
        if n_pages != n_noted:
            raise IndexUnusableError.of(self.folder, f"{n_pages} pages, {n_noted} were put in")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Read without harm to a transaction around it."""
        with self._guarded(), database.transaction_of_its_own():
            yield

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Raise what a search engine raises for what the server says."""
        try:
            yield
        except DatabaseError as error:
            match database.fault_code(error):
                case code if code in database.MISSING_OR_DAMAGED:
                    raise IndexUnusableError.of(self.folder, error) from error
                case database.LOCKED:
                    raise IndexBusyError(f"another process writes to {self.table}") from error
                case database.DISK_FULL:
                    raise OSError(str(error)) from error
                case database.STOPPED:
                    raise QueryTooSlowError(
                        f"the search took longer than {self.search_limit_s:g} s; use rarer words"
                    ) from error
                case _:
                    raise


def _named_table(folder: Path) -> str:
    """The table that a folder names; "" if it names none."""
    try:
        table = json.loads((folder / _FILE).read_text(encoding="utf-8"))["table"]
    except (OSError, ValueError, TypeError, LookupError):
        return ""
    return table if isinstance(table, str) and _TABLE.fullmatch(table) else ""


def _weights(query: Query) -> dict[str, float]:
    """The words that a page is scored by, and what each counts."""
    weights: dict[str, float] = {}
    for clause in query.wanted:
        for word in query_words(clause.text):
            weights[word] = max(clause.weight, weights.get(word, 0.0))
    return weights


def _score(weights: Mapping[str, float], numbers: Mapping[int, int]) -> str:
    """The expression of a row's score: BM25F of its words."""
    n_pages = max(numbers.get(tables.N_PAGES, 0), 1)
    mean = max(numbers.get(tables.N_WORDS, 0) / n_pages, 1.0)
    norm = f"({_K1 * (1 - _B)}::float8 + {_K1 * _B / mean!r}::float8 * length)"
    terms = ["0::float8"]
    for word, weight in weights.items():
        number = number_of(word)
        n = numbers.get(number, 0)
        if n:
            factor = weight * (_K1 + 1) * log(1 + (n_pages - n + 0.5) / (n + 0.5))
            times = f"times[array_position(words, {number})]"
            terms.append(f"coalesce({factor!r}::float8 / (1 + {norm} / {times}), 0)")
    return " + ".join(terms)
