"""The database behind the tables: SQLite or PostgreSQL, and all that differs between them.

Every statement that is written out runs through here, so what suits only one of the two has
one home.
"""

import importlib.util
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper as SQLiteConnection
from django.db.models.expressions import RawSQL

SQLITE: Final = "django.db.backends.sqlite3"
POSTGRESQL: Final = "django.db.backends.postgresql"

#: So long background work waits for a lock, in seconds.
LOCK_WAIT_S: Final = 20
#: So long a server may take to answer, in seconds.
_CONNECT_WAIT_S: Final = 10
#: The number of the lock that PostgreSQL keeps for whoever writes.
WRITER_LOCK: Final = 5_075_384_661_167_269_218

#: An escaped NUL, but not an escaped backslash before "u0000".
_NUL_IN_JSON: Final = re.compile(rb"((?<!\\)(?:\\\\)*)\\u0000")

Rows = list[tuple[Any, ...]]

#: What the driver or Django says when a connection fails, and what we say.
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
    """The options of a connection; each value was measured."""
    if engine == SQLITE:
        # Only these together never give "database is locked".
        return {
            "timeout": LOCK_WAIT_S,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    if engine == POSTGRESQL:
        return {"connect_timeout": _CONNECT_WAIT_S, "options": _lock_timeout(LOCK_WAIT_S)}
    return {}


def shorten_waiting(databases: dict[str, Any], wait_s: int) -> None:
    """Let this process wait for a lock for at most `wait_s` seconds."""
    for database in databases.values():
        if database["ENGINE"] == SQLITE:
            database["OPTIONS"]["timeout"] = wait_s
        elif database["ENGINE"] == POSTGRESQL:
            database["OPTIONS"]["options"] = _lock_timeout(wait_s)


def _lock_timeout(wait_s: int) -> str:
    return f"-c lock_timeout={wait_s}s"


def is_sqlite() -> bool:
    """True if the tables are in SQLite."""
    return connection.vendor == "sqlite"


def server_name() -> str:
    """The database and its version."""
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


def select(statement: str, values: Sequence[Any] = ()) -> Rows:
    """Run a statement once. Return all rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: Rows = cursor.fetchall()
        return rows


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


def among(numbers: Iterable[int]) -> RawSQL:
    """Many numbers for a condition `__in`, as one parameter.

    With a list, Django and the driver take 3 µs for each number.
    """
    values = list(numbers)
    if is_sqlite():
        return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(values)])
    return RawSQL("SELECT unnest(%s::bigint[])", [values])


def quoted(name: str) -> str:
    """The name of a table or column, quoted."""
    return connection.ops.quote_name(name)


def moment(value: datetime | None) -> object:
    """A moment as the database's own parameter."""
    return connection.ops.adapt_datetimefield_value(value)


def json_value(value: object) -> object:
    """A value of a JSON field as the database's own parameter."""
    return connection.ops.adapt_json_value(value, None)


def journal_mode() -> str:
    """How SQLite keeps its log; empty for another database."""
    return str(select("PRAGMA journal_mode")[0][0]) if is_sqlite() else ""


def try_writing() -> None:
    """Write for real and leave nothing: a table that is rolled back."""
    with transaction.atomic():
        execute("CREATE TABLE focusweb_doctor (number integer)")
        transaction.set_rollback(True)


def explain(error: Exception) -> str:
    """Say why a PostgreSQL server cannot be used, and what to do; empty for any other error."""
    place = connection.settings_dict
    if place["ENGINE"] != POSTGRESQL:
        return ""
    server = f"PostgreSQL at {place['HOST'] or 'this machine'}:{place['PORT'] or 5432}"
    for pattern, sentence in _TROUBLE:
        if found := re.search(pattern, str(error)):
            return sentence.format(*found.groups(), server=server)
    return ""


def is_in_memory() -> bool:
    """True if only this process can see the tables."""
    own = connections[DEFAULT_DB_ALIAS]
    return isinstance(own, SQLiteConnection) and own.is_in_memory_db()
