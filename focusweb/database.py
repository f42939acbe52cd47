"""The database behind the tables: SQLite or PostgreSQL, and all that differs between them.

Every statement that is written out runs through here, so what suits only one of the two has
one home.
"""

import importlib.util
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper as SQLiteConnection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.expressions import RawSQL

from focusweb.database_faults import fault_of

SQLITE: Final = "django.db.backends.sqlite3"
POSTGRESQL: Final = "django.db.backends.postgresql"

#: Time for which background work waits for a lock, in seconds.
LOCK_WAIT_S: Final = 20
#: Time limit for an answer of the server, in seconds.
_CONNECT_WAIT_S: Final = 10
#: Numbers of PostgreSQL's advisory locks: for writers, and for changes of the tables.
WRITER_LOCK: Final = 5_075_384_661_167_269_218
MIGRATION_LOCK: Final = WRITER_LOCK + 1
#: Time without an answer after which a connection counts as cut. The server must notice as well: a
#: machine that is cut off while it writes would keep all others from writing.
_CUT_AFTER_S: Final = 30
_KEEPALIVES: Final = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4}

#: Codes of PostgreSQL's errors; these are of a table or column, or of what a table or index holds.
MISSING: Final = frozenset({"42P01", "42703"})
MISSING_OR_DAMAGED: Final = MISSING | {"XX001", "XX002"}
LOCKED: Final = "55P03"
DISK_FULL: Final = "53100"
#: A statement took longer than it may.
STOPPED: Final = "57014"

_MISSING_IN_SQLITE: Final = r"no such (table|column)|has no column named"

#: An escaped NUL, but not an escaped backslash before "u0000".
_NUL_IN_JSON: Final = re.compile(rb"((?<!\\)(?:\\\\)*)\\u0000")

Rows = list[tuple[Any, ...]]

#: Texts of the driver or Django when a connection fails, and our texts.
_TROUBLE: Final = (
    (
        r"(\S+) or later is required \(found ([\d.]+)\)",
        "{server} is version {1}, but FocusWeb needs {0} or newer. Update the server.",
    ),
    (
        r'authentication failed for user "(.*)"',
        '{server} refuses the user "{0}". Check the user and password in DATABASE_URL.',
    ),
    (
        r'database "(.*)" does not exist',
        '{server} has no database "{0}". Create it (createdb {0}), or check DATABASE_URL.',
    ),
    (
        r"connection failed|failed to resolve|timeout expired|connection timeout",
        "{server} does not answer. Start the server, or check DATABASE_URL.",
    ),
)


def has_driver() -> bool:
    """True if the driver of PostgreSQL is installed."""
    return importlib.util.find_spec("psycopg") is not None


def store_nul_as_replacement() -> None:
    """Let PostgreSQL take every text: for NUL, which it refuses, U+FFFD is stored."""
    from psycopg import adapters
    from psycopg.abc import Buffer
    from psycopg.types.json import Jsonb, JsonbDumper
    from psycopg.types.string import StrDumper

    class TextDumper(StrDumper):
        def dump(self, obj: str) -> Buffer | None:
            return super().dump(obj.replace("\0", "\ufffd"))

    class JsonDumper(JsonbDumper):
        def dump(self, obj: object) -> Buffer | None:
            said = super().dump(obj)
            return _NUL_IN_JSON.sub(rb"\1\\ufffd", said) if said else said

    adapters.register_dumper(str, TextDumper)
    adapters.register_dumper(Jsonb, JsonDumper)


def options(engine: str) -> dict[str, Any]:
    """Return the options of a connection; each value was measured."""
    if engine == SQLITE:
        # Only these together never give "database is locked".
        return {
            "timeout": LOCK_WAIT_S,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    if engine == POSTGRESQL:
        return {
            "connect_timeout": _CONNECT_WAIT_S,
            "tcp_user_timeout": 1000 * _CUT_AFTER_S,
            **_KEEPALIVES,
            "options": _session(LOCK_WAIT_S),
        }
    return {}


def shorten_waiting(databases: dict[str, Any], wait_s: int) -> None:
    """Let this process wait for a lock for at most `wait_s` seconds."""
    for database in databases.values():
        if database["ENGINE"] == SQLITE:
            database["OPTIONS"]["timeout"] = wait_s
        elif database["ENGINE"] == POSTGRESQL:
            database["OPTIONS"]["options"] = _session(wait_s)


def keep_connections(databases: dict[str, Any]) -> None:
    """Let each thread of this process keep its connection from one request to the next.

    To open SQLite and to read what tables there are took 6 to 8 ms a page. A connection that a
    server has cut is opened again.
    """
    for database in databases.values():
        database |= {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}


def _session(wait_s: int) -> str:
    """What the server keeps for a connection."""
    values = {
        "lock_timeout": f"{wait_s}s",
        "tcp_user_timeout": f"{_CUT_AFTER_S}s",
        **{f"tcp_{name}": value for name, value in _KEEPALIVES.items()},
    }
    return " ".join(f"-c {name}={value}" for name, value in values.items())


def is_sqlite() -> bool:
    """True if the tables are in SQLite."""
    return connection.vendor == "sqlite"


def server_name() -> str:
    """Return the database and its version."""
    version = select("SELECT sqlite_version()" if is_sqlite() else "SHOW server_version")[0][0]
    return f"{connection.display_name} {str(version).split()[0]}"


@contextmanager
def write_transaction() -> Iterator[None]:
    """Run a block as one transaction, in which no other process writes.

    What a block reads is then still so when it writes. SQLite lets one process write at a time
    by itself, as transactions begin with IMMEDIATE; in PostgreSQL all take turns at one lock.
    """
    with transaction.atomic():
        if not is_sqlite():
            execute("SELECT pg_advisory_xact_lock(%s)", [WRITER_LOCK])
        yield


def server_time() -> datetime:
    """Return the clock of the PostgreSQL server."""
    now: datetime = select("SELECT clock_timestamp()")[0][0]
    return now


@contextmanager
def migration_turn(on_wait: Callable[[], None]) -> Iterator[None]:
    """Allow one machine at a time to change the tables; call `on_wait` before a wait."""
    if is_sqlite():
        yield
        return
    if not _try_lock(MIGRATION_LOCK):
        on_wait()
        while not _try_lock(MIGRATION_LOCK):
            time.sleep(0.5)
    try:
        yield
    finally:
        execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])


def _try_lock(number: int) -> bool:
    return bool(select("SELECT pg_try_advisory_lock(%s)", [number])[0][0])


def n_missing_migrations() -> int:
    """Return how many changes of the tables are not made yet."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


@contextmanager
def transaction_of_its_own() -> Iterator[None]:
    """Run a block as one transaction, beside which others write.

    For tables that only one process writes.
    """
    with transaction.atomic():
        yield


def select(statement: str, values: Sequence[Any] = ()) -> Rows:
    """Run a statement once. Return all rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: Rows = cursor.fetchall()
        return rows


def select_parts(statement: str, values: Sequence[Any] = (), size: int = 1000) -> Iterator[Rows]:
    """Run a statement once. Yield its rows, at most `size` at a time.

    The caller must not write to the tables that are read before the last part has come.
    """
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        while rows := cursor.fetchmany(size):
            yield rows


@contextmanager
def reading_within(limit_s: float) -> Iterator[None]:
    """Let a block read from PostgreSQL by indexes, in one transaction that changes nothing.

    A statement that takes longer than `limit_s` raises OperationalError, with the code `STOPPED`.
    """
    with transaction.atomic():
        # The planner has no statistics of a table that has just been filled.
        execute(
            "SELECT set_config('statement_timeout', %s, true), "
            "set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)",
            [f"{max(round(1000 * limit_s), 1)}ms"],
        )
        yield
        # What was set must not outlive the block in a transaction around it.
        transaction.set_rollback(True)


def fault_code(error: Exception) -> str:
    """Return the code that PostgreSQL gives an error, such as `LOCKED`; empty if it gave none."""
    return str(getattr(error.__cause__, "sqlstate", None) or "")


def execute(statement: str, values: Sequence[Any] = ()) -> int:
    """Run a statement once. Return how many rows it changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        n_changed: int = cursor.rowcount
        return n_changed


def execute_many(statement: str, rows: Iterable[Sequence[Any]]) -> None:
    """Run one statement for each row of values."""
    values = list(rows)
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(statement, values)


def number_list(numbers: Iterable[int]) -> RawSQL:
    """Many numbers for a condition `__in`, as one parameter.

    With a list, Django and the driver take 3 µs for each number.
    """
    values = list(numbers)
    if is_sqlite():
        return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(values)])
    return RawSQL("SELECT unnest(%s::bigint[])", [values])


def among_texts(texts: Iterable[str]) -> RawSQL:
    """Many texts for a condition `__in`, as one parameter."""
    values = list(texts)
    if is_sqlite():
        return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(values)])
    return RawSQL("SELECT unnest(%s::text[])", [values])


def joined_numbers(value: str) -> str:
    """Return the aggregate that joins numbers, such as those of a column, with commas.

    One row for many numbers: SQLite and the driver take .5 µs for each row that is read.
    """
    return f"group_concat({value})" if is_sqlite() else f"string_agg(({value})::text, ',')"


def quoted(name: str) -> str:
    """Return the name of a table or column, quoted."""
    return connection.ops.quote_name(name)


def moment_parameter(value: datetime | None) -> object:
    """Return a moment as the database's own parameter."""
    return connection.ops.adapt_datetimefield_value(value)


def read_moment(value: object) -> datetime | None:
    """Return a moment as `select` returns it: SQLite gives text, or no time zone; None for none."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def json_value(value: object) -> object:
    """Return a value of a JSON field as the database's own parameter."""
    return connection.ops.adapt_json_value(value, None)


def journal_mode() -> str:
    """How SQLite keeps its log; empty for another database."""
    return str(select("PRAGMA journal_mode")[0][0]) if is_sqlite() else ""


def try_writing() -> None:
    """Write for real and leave nothing: a table that is rolled back."""
    with transaction.atomic():
        execute("CREATE TABLE focusweb_doctor (number integer)")
        transaction.set_rollback(True)


def connection_advice(error: Exception) -> str:
    """Return why a PostgreSQL server cannot be used, and what to do; empty for any other error."""
    place = connection.settings_dict
    if place["ENGINE"] != POSTGRESQL:
        return ""
    server = f"PostgreSQL at {place['HOST'] or 'this machine'}:{place['PORT'] or 5432}"
    for pattern, sentence in _TROUBLE:
        if found := re.search(pattern, str(error)):
            return sentence.format(*found.groups(), server=server)
    return ""


def fault_sentence(error: Exception) -> str:
    """Return why the database cannot be used, and what to do; empty for a fault of the program."""
    if advice := connection_advice(error):
        return advice
    if fault_code(error) in MISSING or re.search(_MISSING_IN_SQLITE, str(error)):
        n_missing = n_missing_migrations()
        changes = f"{n_missing} changes of the tables are not made yet. Run: manage.py migrate"
        return changes if n_missing else ""
    faults = {
        "full": "The disk is full. Free some space and try again.",
        "locked": "Another program holds the database. Try again in a minute.",
        "away": f"The database cannot be used: {str(error).strip()}. Check DATABASE_URL, the disk "
        "and the permissions of the data folder.",
    }
    return faults.get(fault_of(error), "")


def is_in_memory() -> bool:
    """True if only this process can see the tables."""
    own = connections[DEFAULT_DB_ALIAS]
    return isinstance(own, SQLiteConnection) and own.is_in_memory_db()
