"""SQLite and PostgreSQL: waiting, taking turns, and what is said when a server cannot be used."""

import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, OperationalError, connection
from django.test.utils import CaptureQueriesContext

from crawler.models import Crawl
from focusweb import database
from tests import databases
from tests.topics.management.commands.test_up import ROOT, free_port

N_THREADS, N_ROUNDS = 4, 10


def test_pages_wait_for_a_lock_for_less_time_than_crawls() -> None:
    engines = (database.SQLITE, database.POSTGRESQL)
    found: dict[str, Any] = {
        name: {"ENGINE": name, "OPTIONS": database.options(name)} for name in engines
    }

    database.shorten_waiting(found, 5)

    assert found[database.SQLITE]["OPTIONS"]["timeout"] == 5
    assert found[database.SQLITE]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "-c lock_timeout=5s " in found[database.POSTGRESQL]["OPTIONS"]["options"]


def test_pages_keep_their_connections() -> None:
    found: dict[str, Any] = {"default": {"ENGINE": database.SQLITE, "CONN_MAX_AGE": 0}}

    database.keep_connections(found)

    assert found["default"]["CONN_MAX_AGE"] is None
    assert found["default"]["CONN_HEALTH_CHECKS"]


@databases.postgres_only
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("setting", "value"),
    [("lock_timeout", "20s"), ("tcp_user_timeout", "30000"), ("tcp_keepalives_idle", "10")],
)
def test_the_server_notices_a_machine_that_is_cut_off(setting: str, value: str) -> None:
    """Or a machine that was writing would keep all others from writing, for two hours."""
    assert database.select(f"SHOW {setting}") == [(value,)]


@databases.postgres_only
@pytest.mark.django_db(transaction=True)
def test_of_two_machines_that_change_the_tables_the_second_waits() -> None:
    inside, waited, order = threading.Event(), threading.Event(), []

    def second() -> None:
        inside.wait(30)
        with database.migration_turn(waited.set):
            order.append("second")
        connection.close()

    thread = threading.Thread(target=second)
    thread.start()
    with database.migration_turn(lambda: None):
        inside.set()
        assert waited.wait(30)
        order.append("first")
    thread.join(30)

    assert order == ["first", "second"]


@pytest.mark.django_db
def test_the_database_says_what_it_is() -> None:
    name, version = database.server_name().split()

    assert name == ("PostgreSQL" if databases.SERVER else "SQLite")
    assert int(version.split(".")[0]) >= 3


@pytest.mark.django_db
@pytest.mark.parametrize("chosen", [[], [1], [2, 3, 99], range(1, 5000)])
def test_many_numbers_are_one_parameter(chosen: Sequence[int]) -> None:
    for number in (1, 2, 3):
        Crawl.objects.create(pk=number, key=str(number), first_seen=datetime.now(UTC))

    with CaptureQueriesContext(connection) as queries:
        found = Crawl.objects.filter(pk__in=database.number_list(chosen)).order_by("pk")
        numbers = list(found.values_list("pk", flat=True))

    assert numbers == [number for number in (1, 2, 3) if number in chosen]
    assert len(queries) == 1


@pytest.mark.django_db
def test_every_text_is_stored_with_nul_too() -> None:
    values = {"a\0b": ["\0\0", "\\u0000", "\\\0"]}

    crawl = Crawl.objects.create(key="a\0b\0", profile_json=values, first_seen=datetime.now(UTC))
    crawl.refresh_from_db()

    nul = "\ufffd" if databases.SERVER else "\0"
    assert crawl.key == f"a{nul}b{nul}"
    assert crawl.profile_json == {f"a{nul}b": [nul * 2, "\\u0000", f"\\{nul}"]}
    assert Crawl.objects.get(key="a\0b\0") == crawl


@databases.postgres_only
@pytest.mark.django_db(transaction=True)
def test_transactions_that_read_and_then_write_take_turns() -> None:
    User.objects.create(username="0")
    begin = threading.Barrier(N_THREADS)

    def count() -> None:
        begin.wait(30)
        for _ in range(N_ROUNDS):
            with database.write_transaction():
                user = User.objects.get()
                user.username = str(int(user.username) + 1)
                user.save()
        connection.close()

    threads = [threading.Thread(target=count) for _ in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert User.objects.get().username == str(N_THREADS * N_ROUNDS)


@contextmanager
def old_server() -> Iterator[str]:
    """A server that signs every user in and says that it is PostgreSQL 13.4; its URL."""

    def message(kind: bytes, body: bytes) -> bytes:
        return kind + struct.pack("!i", len(body) + 4) + body

    welcome = b"".join(
        [
            message(b"R", struct.pack("!i", 0)),
            message(b"S", b"server_version\0" + b"13.4\0"),
            message(b"S", b"client_encoding\0UTF8\0"),
            message(b"K", struct.pack("!ii", 1, 1)),
            message(b"Z", b"I"),
        ]
    )

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return  # It is closed.
            with client:
                while said := client.recv(4096):
                    if said[4:8] == struct.pack("!i", 80877103):
                        client.sendall(b"N")  # It has no TLS.
                    elif said[4:8] == struct.pack("!i", 196608):
                        client.sendall(welcome)
                    else:
                        break  # It answers no query.

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"postgres://ann@127.0.0.1:{listener.getsockname()[1]}/focusweb"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@contextmanager
def no_server() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    yield f"postgres://ann:secret@127.0.0.1:{port}/focusweb"


def said_by(folder: Path, command: str, url: str, first: str = "") -> str:
    """What a command that must fail says of a database."""
    folder.chmod(0o700)
    environment = {"PATH": os.environ["PATH"], "FOCUSWEB_DATA": str(folder), "DATABASE_URL": url}
    program = f"import sys; {first}from focusweb.command_line import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, command],
        cwd=ROOT,
        env=environment | {"FOCUSWEB_DEMO": "0", "FOCUSWEB_PORT": str(free_port())},
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "Traceback" not in said
    assert "secret" not in said
    return said


@pytest.mark.parametrize(
    ("server", "sentence"),
    [
        (old_server, "is version 13.4, but FocusWeb needs 14 or newer. Update the server."),
        (no_server, "does not answer. Start the server, or check DATABASE_URL."),
    ],
)
@pytest.mark.parametrize("command", ["up", "doctor"])
def test_a_server_that_cannot_be_used_is_named_in_a_sentence(
    tmp_path: Path, server: Callable[[], Any], sentence: str, command: str
) -> None:
    with server() as url:
        said = said_by(tmp_path, command, url)

    assert f"PostgreSQL at 127.0.0.1:{urlsplit(url).port} {sentence}" in said


@pytest.mark.parametrize("command", ["reindex", "check_invariants", "load_demo"])
def test_other_commands_name_a_server_that_does_not_answer(tmp_path: Path, command: str) -> None:
    with no_server() as url:
        said = said_by(tmp_path, command, url)

    assert said.startswith("PostgreSQL at 127.0.0.1:")
    assert said.endswith("does not answer. Start the server, or check DATABASE_URL.\n")


def url_of(folder: Path) -> str:
    """The address of the database of a folder."""
    return databases.environment(folder).get("DATABASE_URL", f"sqlite:///{folder / databases.FILE}")


def test_commands_name_tables_that_are_not_made_yet(tmp_path: Path) -> None:
    said = said_by(tmp_path, "check_invariants", url_of(tmp_path))
    databases.drop(tmp_path)

    assert said.endswith(" changes of the tables are not made yet. Run: manage.py migrate\n")
    assert said.count("\n") == 1


@databases.sqlite_only
def test_commands_name_a_database_that_is_damaged(tmp_path: Path) -> None:
    (tmp_path / databases.FILE).write_bytes(b"no database" * 400)

    said = said_by(tmp_path, "check_invariants", url_of(tmp_path))

    assert said.startswith("The database cannot be used: file is not a database. Check DATABASE_")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OperationalError("database is locked"), "Another program holds the database. Try again"),
        (OperationalError("database or disk is full"), "The disk is full. Free some space"),
        (OperationalError("no such column: x.y"), ""),
        (IntegrityError("UNIQUE constraint failed"), ""),
    ],
    ids=str,
)
def test_only_a_fault_of_the_database_gets_a_sentence(error: Exception, sentence: str) -> None:
    said = database.fault_sentence(error)

    assert said.startswith(sentence)
    assert bool(said) == bool(sentence)


@databases.postgres_only
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("/postgres", "/nothing"), 'has no database "nothing". Create it (createdb nothing)'),
        (("focusweb:", "ann:"), 'refuses the user "ann". Check the user and password'),
    ],
)
def test_a_wrong_name_is_named_in_a_sentence(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    server = urlsplit(databases.SERVER)._replace(path="/postgres").geturl()

    assert sentence in said_by(tmp_path, "up", server.replace(*change))


def test_the_search_engine_of_postgresql_needs_postgresql(tmp_path: Path) -> None:
    engine = "os.environ['FOCUSWEB_SEARCH'] = 'postgres'; "

    said = said_by(tmp_path, "doctor", f"sqlite:///{tmp_path / 'base'}", f"import os; {engine}")

    assert "FOCUSWEB_SEARCH is postgres, but DATABASE_URL does not name a PostgreSQL" in said


def test_a_missing_driver_is_named_in_a_sentence(tmp_path: Path) -> None:
    missing = "sys.modules['psycopg'] = None; "

    said = said_by(tmp_path, "doctor", "postgres://ann:secret@127.0.0.1/focusweb", missing)

    assert "whose driver is not installed. Run: .venv/bin/python -m pip install" in said
