"""The tables of an index: making, filling and reading them."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from focusweb import database
from focusweb.failpoints import pass_point
from topics.search.postgres.rows import SEPARATOR, IndexRow

#: Rows of the table of words that stand for no word: how many pages there are, and words in all.
N_PAGES, N_WORDS = -1, -2
_SCHEMA = (
    """
    CREATE TABLE {table} (
        id bigint PRIMARY KEY,
        topics text[] NOT NULL,
        length integer NOT NULL,
        words integer[] NOT NULL,
        times smallint[] NOT NULL,
        exact text NOT NULL,
        lexemes tsvector NOT NULL,
        long text[] NOT NULL
    )
    """,
    # Read for each page that is found: in the row itself, unlike the texts.
    "ALTER TABLE {table} ALTER COLUMN words SET STORAGE MAIN, ALTER COLUMN times SET STORAGE MAIN",
    # Pages that are not yet in the index are read by each search, and put in by a commit: with the
    # usual 4 MB the slowest of 60 commits of 10 pages took 559 ms, with 512 kB 139.
    "CREATE INDEX {table}_lexemes ON {table} USING gin (lexemes)"
    " WITH (gin_pending_list_limit = 512)",
    "CREATE TABLE {table}_words (word integer PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor=60)",
)
_ADD = """
INSERT INTO {table} (id, topics, length, words, times, exact, lexemes, long)
SELECT id, topics, length, words::integer[], times::smallint[], exact,
       array_to_tsvector(CASE WHEN is_long THEN ARRAY['o'] ELSE lexemes END),
       CASE WHEN is_long THEN lexemes ELSE '{{}}' END
FROM (SELECT %s::bigint, %s::text[], %s::integer, %s, %s, %s, string_to_array(%s, %s), %s::boolean)
    AS row (id, topics, length, words, times, exact, lexemes, is_long)
"""
_COUNT = """
WITH chosen AS MATERIALIZED (SELECT length, words FROM {table} WHERE id = ANY (%s::bigint[])),
counted (word, n) AS (
    SELECT word, count(*) FROM chosen, unnest(words) AS word GROUP BY word
    UNION ALL SELECT {n_pages}, count(*) FROM chosen
    UNION ALL SELECT {n_words}, coalesce(sum(length), 0) FROM chosen
)
INSERT INTO {table}_words (word, n) SELECT word, %s * n FROM counted
ON CONFLICT (word) DO UPDATE SET n = {table}_words.n + excluded.n
"""


def create(table: str) -> None:
    """Make empty tables."""
    with database.transaction_of_its_own():
        for statement in _SCHEMA:
            database.execute(statement.format(table=table))


def drop(table: str) -> None:
    """Remove the tables, if they are there."""
    database.execute(f"DROP TABLE IF EXISTS {table}, {table}_words")


def replace(table: str, rows: Sequence[IndexRow]) -> None:
    """Put rows in, in one transaction, in place of those with their ids."""
    with database.transaction_of_its_own():
        ids = [row.id for row in rows]
        _lock(table)
        _delete(table, held(table, ids))
        database.execute_many(_ADD.format(table=table), map(_values, rows))
        _count(table, ids, 1)
        pass_point("index.added")
        pass_point("index.segment")
    pass_point("index.toc")


def delete(table: str, ids: Collection[int]) -> None:
    """Remove rows, in one transaction."""
    with database.transaction_of_its_own():
        _lock(table)
        _delete(table, held(table, ids))


def held(table: str, ids: Collection[int]) -> list[int]:
    """Return those of some ids that are in the table."""
    found = database.select(f"SELECT id FROM {table} WHERE id = ANY (%s::bigint[])", [list(ids)])
    return [int(page) for (page,) in found]


def numbers(table: str, words: Iterable[int]) -> Mapping[int, int]:
    """In how many pages each of some words is, with `N_PAGES` and `N_WORDS`."""
    rows = database.select(
        f"SELECT word, n FROM {table}_words WHERE word = ANY (%s::integer[])",
        [[N_PAGES, N_WORDS, *words]],
    )
    return {int(word): int(n) for word, n in rows}


def _lock(table: str) -> None:
    # Reading goes on.
    database.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")


def _delete(table: str, ids: Sequence[int]) -> None:
    if ids:
        _count(table, ids, -1)
        database.execute(f"DELETE FROM {table} WHERE id = ANY (%s::bigint[])", [list(ids)])


def _count(table: str, ids: Sequence[int], times: int) -> None:
    """Add the words of some rows to the table of words, so many times."""
    statement = _COUNT.format(table=table, n_pages=N_PAGES, n_words=N_WORDS)
    database.execute(statement, [list(ids), times])


def _values(row: IndexRow) -> list[object]:
    # As text: the driver takes longer over a list of numbers than all the rest.
    words, times = (f"{{{','.join(map(str, some))}}}" for some in (row.words, row.times))
    strings = (words, times, row.exact, row.lexemes, SEPARATOR)
    return [row.id, row.topics, row.length, *strings, row.is_long]
