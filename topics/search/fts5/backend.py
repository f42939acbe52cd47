"""SQLite's full-text index FTS5 as a search engine: fast, and nothing to install."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import ClassVar, Self

from focusweb.failpoints import pass_point
from topics.search import checksums
from topics.search.analysis import GAP, analyse, analysis_version, title_names
from topics.search.backend import Hit, SearchResult
from topics.search.document import Document
from topics.search.errors import IndexBusyError, IndexUnusableError, QueryTooSlowError
from topics.search.fts5.query import encode, make_statement, named
from topics.search.query import Query

#: Raise this when tables, columns or the spelling of tokens change: indexes are rebuilt.
LAYOUT = 3
_FILE = "index.sqlite3"
_COLUMNS = ("title", "body", "title_exact", "body_exact", "name")
#: What a find counts by the column; a name is counted apart.
_WEIGHTS = "10.0, 1.0, 1.0, 0.1, 0.0"
#: What it counts that a page is called what is looked for.
_NAME_BONUS = 30.0
_SCORE = f"{_NAME_BONUS} * (rowid IN (SELECT value FROM json_each(?))) - bm25(text, {_WEIGHTS})"
#: Stands for the topic of a page that has none.
_NO_TOPIC = ""
#: The first topic that is not among some; each step looks up the next one in the table.
_OTHER_TOPIC = """
WITH RECURSIVE topics (name) AS (
    SELECT min(topic) FROM kept
    UNION ALL
    SELECT (SELECT min(topic) FROM kept WHERE topic > name) FROM topics WHERE name IS NOT NULL
)
SELECT name FROM topics WHERE name NOT IN (SELECT value FROM json_each(?)) LIMIT 1
"""
_STEPS_BETWEEN_LOOKS = 20_000
_SCHEMA = f"""
CREATE TABLE pages (id INTEGER PRIMARY KEY);
CREATE TABLE kept (topic TEXT, page INTEGER, PRIMARY KEY (topic, page)) WITHOUT ROWID;
CREATE INDEX kept_by_page ON kept (page);
CREATE VIRTUAL TABLE text USING fts5(
    {", ".join(_COLUMNS)}, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
"""


class Fts5Backend:
    """A `SearchBackend`: an FTS5 index in one SQLite file; a connection lasts one call."""

    name: ClassVar[str] = "fts5"
    version: ClassVar[str] = f"fts5 layout {LAYOUT}, {analysis_version()}"
    #: Longest a search may take, in seconds.
    search_limit_s: ClassVar[float] = 2.0
    #: How long to wait for another process, in seconds.
    lock_wait_s: ClassVar[float] = 15.0

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path) -> Self:
        backend = cls(folder)
        with closing(sqlite3.connect(folder / _FILE)) as connection:
            connection.executescript(_SCHEMA)
        checksums.record(folder, [_FILE], changing=[_FILE])
        return backend

    @classmethod
    def open(cls, folder: Path) -> Self:
        backend = cls(folder)
        checksums.refuse_altered(folder)
        with backend._reading() as connection:
            connection.execute("SELECT 1 FROM pages LIMIT 1").fetchone()
        return backend

    def index(self, documents: Sequence[Document]) -> None:
        latest = {document.id: document for document in documents}
        if not latest:
            return
        with self._writing() as connection:
            _delete(connection, latest)
            for document in latest.values():
                _add(connection, document)
            pass_point("index.added")

    def delete(self, ids: Collection[int]) -> None:
        if not ids:
            return
        with self._reading() as connection:
            held = connection.execute(
                "SELECT 1 FROM pages WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1",
                [json.dumps(list(ids))],
            ).fetchone()
        if held:
            with self._writing() as connection:
                _delete(connection, ids)

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
        deadline = monotonic() + self.search_limit_s
        try:
            with self._reading(deadline) as connection:
                return _search(connection, query, topics, limit, offset)
        except sqlite3.OperationalError as error:
            raise QueryTooSlowError(
                f"the search took longer than {self.search_limit_s:g} s; use rarer words"
            ) from error

    def count(self) -> int:
        with self._reading() as connection:
            return int(connection.execute("SELECT count(*) FROM pages").fetchone()[0])

    def ids(self) -> list[int]:
        with self._reading() as connection:
            return [int(page) for (page,) in connection.execute("SELECT id FROM pages")]

    def check(self) -> None:
        """Read every byte of the file to notice damage; raise `IndexUnusableError`."""
        checksums.refuse_altered(self.folder, thorough=True)
        if checksums.is_unfinished(self.folder):
            # A process died while it wrote: SQLite has gone back to the last commit by now.
            with self._reading() as connection:
                (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise IndexUnusableError.of(self.folder, verdict)
            checksums.record(self.folder, [_FILE], changing=[_FILE])
        with self._reading() as connection:
            n_pages = connection.execute("SELECT count(*) FROM pages").fetchone()
            n_texts = connection.execute("SELECT count(*) FROM text_docsize").fetchone()
        if n_pages != n_texts:
            raise IndexUnusableError.of(self.folder, f"{n_pages[0]} pages, {n_texts[0]} texts")

    @contextmanager
    def _reading(self, deadline: float | None = None) -> Iterator[sqlite3.Connection]:
        """Give a connection; whatever a damaged file makes SQLite raise is `IndexUnusableError`."""
        try:
            address = f"file:{self.folder / _FILE}?mode=rw"
            with closing(
                sqlite3.connect(address, uri=True, timeout=self.lock_wait_s)
            ) as connection:
                if deadline is not None:
                    connection.set_progress_handler(
                        lambda: monotonic() > deadline, _STEPS_BETWEEN_LOOKS
                    )
                    if monotonic() > deadline:
                        raise sqlite3.OperationalError("interrupted")
                yield connection
        except sqlite3.Error as error:
            if deadline is not None and str(error) == "interrupted":
                raise
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise IndexBusyError(f"another process writes to {self.folder.name}") from error
            raise IndexUnusableError.of(self.folder, f"{type(error).__name__}: {error}") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Give a connection; commit, or on any error leave the index as it was."""
        with self._reading() as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                checksums.mark_writing(self.folder)
                yield connection
                pass_point("index.segment")
                connection.commit()
                pass_point("index.toc")
            except sqlite3.OperationalError as error:
                if "full" in str(error) or "disk I/O" in str(error):
                    raise OSError(str(error)) from error
                raise
            finally:
                connection.rollback()
        checksums.record(self.folder, [_FILE], changing=[_FILE])


def _search(
    connection: sqlite3.Connection,
    query: Query,
    topics: Collection[str] | None,
    limit: int | None,
    offset: int,
) -> SearchResult:
    if topics is not None and not _other_topic(connection, topics):
        # No page is ruled out: to look for the topics of each took a third of the time.
        topics = None
    statement = make_statement(query, topics)
    score, values = "0.0", list(statement.values)
    if statement.match:
        score = _SCORE
        values.insert(0, _called(connection, named(query)))
    # Pages are found once, and counted while they are sorted.
    found = (
        f"WITH found (page, score) AS MATERIALIZED (SELECT rowid, {score} "
        f"FROM {statement.source} WHERE {' AND '.join(statement.conditions)})"
    )
    rows = connection.execute(
        f"{found} SELECT page, score, (SELECT count(*) FROM found) FROM found "
        "ORDER BY 2 DESC, 1 LIMIT ? OFFSET ?",
        [*values, -1 if limit is None else limit, offset],
    ).fetchall()
    if rows:
        total = rows[0][2]
    else:
        (total,) = connection.execute(f"{found} SELECT count(*) FROM found", values).fetchone()
    return SearchResult(total, tuple(Hit(int(page), float(score)) for page, score, _ in rows))


def _other_topic(connection: sqlite3.Connection, topics: Collection[str]) -> bool:
    """Whether a page may be in none of some topics."""
    names = json.dumps(sorted(topics))
    return connection.execute(_OTHER_TOPIC, [names]).fetchone() is not None


def _called(connection: sqlite3.Connection, name: str) -> str:
    """The pages that are called what is looked for, as JSON."""
    found = connection.execute(
        "SELECT json_group_array(rowid) FROM text WHERE text MATCH ?", [name]
    )
    return str(found.fetchone()[0])


def _delete(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    rows = [(page,) for page in ids]
    connection.executemany("DELETE FROM text WHERE rowid = ?", rows)
    connection.executemany("DELETE FROM kept WHERE page = ?", rows)
    connection.executemany("DELETE FROM pages WHERE id = ?", rows)


def _add(connection: sqlite3.Connection, document: Document) -> None:
    connection.execute("INSERT INTO pages VALUES (?)", [document.id])
    connection.executemany(
        "INSERT INTO kept VALUES (?, ?)",
        [(topic, document.id) for topic in dict.fromkeys(document.topics or (_NO_TOPIC,))],
    )
    title, body = analyse(document.title), analyse(document.body)
    names = sorted(title_names(document.title))
    columns = (title.words, body.words, title.stream, body.stream, names)
    connection.execute(
        f"INSERT INTO text (rowid, {', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
        [document.id, *(" ".join(map(_encoded, column)) for column in columns)],
    )


@lru_cache(maxsize=50_000)
def _encoded(token: str) -> str:
    return token if token == GAP else encode(token)
