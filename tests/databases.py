"""The database of an installation that a test starts, in a folder of its own.

In SQLite that is a file of the folder. Where the tests run on PostgreSQL, each folder has a
database of its own on the same server.
"""

import atexit
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection

from focusweb.database import WRITER_LOCK

#: The server that the tests were started beside; empty for SQLite.
SERVER = os.environ.get("DATABASE_URL", "")
FILE = "focusweb.sqlite3"
_ROOT = Path(__file__).resolve().parents[1]

#: For what SQLite alone does: its file is damaged, copied or locked.
sqlite_only = pytest.mark.skipif(bool(SERVER), reason="SQLite only: it is about the database file")
no_limits = pytest.mark.skipif(
    bool(SERVER), reason="SQLite only: PostgreSQL refuses a text longer than its column"
)
postgres_only = pytest.mark.skipif(not SERVER, reason="PostgreSQL only: run make test-postgres")


def environment(folder: Path) -> dict[str, str]:
    """What leads a program to the database of a folder; creates an empty one if need be."""
    if not SERVER:
        return {}
    if not _server(f"SELECT 1 FROM pg_database WHERE datname = '{_name(folder)}'"):
        _server(f"CREATE DATABASE {_name(folder)}")
    return {"DATABASE_URL": _url(folder)}


def own_environment() -> dict[str, str]:
    """What leads a program to the database of this test process."""
    if not SERVER:
        return {}
    name = connection.settings_dict["NAME"]
    return {"DATABASE_URL": urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))}


def copy(source: Path, target: Path) -> None:
    """Copy the database of a folder that was itself copied; no process may use it meanwhile."""
    if SERVER:
        _server(f"CREATE DATABASE {_name(target)} TEMPLATE {_name(source)}")


def make_tables(folder: Path) -> None:
    """Give a new folder a database as `manage.py migrate` makes it; it does so once."""
    made = _with_tables()
    folder.mkdir(mode=0o700)
    if not SERVER:
        shutil.copy(made / FILE, folder)
    copy(made, folder)


@cache
def _with_tables() -> Path:
    folder = Path(mkdtemp(prefix="focusweb-tables-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=_ROOT,
        env=os.environ | {"FOCUSWEB_DATA": str(folder)} | environment(folder),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def drop(folder: Path) -> None:
    """Remove the database of a folder; the file of SQLite goes with the folder."""
    if SERVER:
        _server(f"DROP DATABASE IF EXISTS {_name(folder)} WITH (FORCE)")


@contextmanager
def connected(folder: Path) -> Iterator[Any]:
    """A connection to the database of a folder; what it changes is committed at the end."""
    if SERVER:
        import psycopg

        with psycopg.connect(_url(folder)) as base:
            yield base
        return
    with closing(sqlite3.connect(folder / FILE, timeout=20)) as file, file:
        yield file


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from writing into the database of a folder."""
    with connected(folder) as base:
        if SERVER:
            base.execute("SELECT pg_advisory_xact_lock(%s)", [WRITER_LOCK])
            tables = base.execute(
                "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'"
            )
            # Reading goes on, and no row can be written.
            names = ", ".join(name for (name,) in tables.fetchall())
            base.execute(f"LOCK TABLE {names} IN SHARE MODE")
        else:
            base.execute("BEGIN IMMEDIATE")
        yield
        base.rollback()


def plan_of(statement: str) -> str:
    """How SQLite would answer a statement. Its planner goes by the indexes, whatever the sizes."""
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + statement.replace("%", "%%"))
        return "\n".join(row[3] for row in cursor.fetchall())


def _name(folder: Path) -> str:
    return f"focusweb_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"


def _url(folder: Path) -> str:
    return urlunsplit(urlsplit(SERVER)._replace(path=f"/{_name(folder)}"))


def _server(statement: str) -> list[tuple[Any, ...]]:
    import psycopg

    with psycopg.connect(SERVER, autocommit=True) as server:
        found = server.execute(statement.encode())
        return found.fetchall() if found.description else []
