"""Whose fault an error is."""

import errno
import sqlite3
from pathlib import Path

import pytest
from django.db import DatabaseError, IntegrityError, InterfaceError, OperationalError
from django.http import HttpResponse
from django.test import RequestFactory

from focusweb.database_faults import LastFault, fault_of, last_fault
from topics.middleware.limits_and_faults import ReportFaults, server_fault


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (OperationalError("database is locked"), "locked"),
        (OperationalError("database table is locked: x"), "locked"),
        (OperationalError("canceling statement due to lock timeout"), "locked"),
        (OperationalError("database or disk is full"), "full"),
        (OperationalError("attempt to write a readonly database"), "away"),
        (OperationalError("connection refused"), "away"),
        (InterfaceError("connection already closed"), "away"),
        (DatabaseError("database disk image is malformed"), "away"),
        (OSError(errno.ENOSPC, "No space left on device"), "full"),
        (OSError(errno.ENOENT, "No such file"), ""),
        (IntegrityError("UNIQUE constraint failed"), ""),
        (ValueError("database is locked"), ""),
    ],
    ids=str,
)
def test_a_fault_of_the_database_or_the_disk_is_known(error: Exception, fault: str) -> None:
    assert fault_of(error) == fault


def test_a_fault_is_reported_for_some_minutes() -> None:
    fault = LastFault()
    assert fault.recent() == ""
    fault.note("locked")
    assert fault.recent() == "locked"
    fault.at_s -= 301
    assert fault.recent() == ""


@pytest.mark.parametrize(
    ("error", "status"),
    [(OperationalError("database is locked"), 503), (RuntimeError("a fault of ours"), 500)],
)
def test_a_fault_that_a_middleware_meets_is_reported_too(error: Exception, status: int) -> None:
    try:
        raise error
    except Exception:  # noqa: BLE001
        answer = server_fault(RequestFactory().get("/"))
    last_fault.note("")

    assert answer.status_code == status


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "The disk is full, so nothing can be saved."), ("zh-hans", "磁盘已满")],
)
def test_f7_a_full_disk_is_reported_with_what_to_do(language: str, sentence: str) -> None:
    request = RequestFactory().get("/", headers={"accept-language": language})
    middleware = ReportFaults(lambda request: HttpResponse())

    answer = middleware.process_exception(request, OSError(errno.ENOSPC, "No space left on device"))
    last_fault.note("")

    assert answer is not None
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "10"
    assert sentence in answer.content.decode()


def test_other_exceptions_stay_faults_in_the_program() -> None:
    middleware = ReportFaults(lambda request: HttpResponse())

    assert middleware.process_exception(RequestFactory().get("/"), ValueError("ours")) is None


def test_sqlite_still_says_what_we_look_for(tmp_path: Path) -> None:
    first = sqlite3.connect(tmp_path / "x", timeout=0, isolation_level=None)
    second = sqlite3.connect(tmp_path / "x", timeout=0, isolation_level=None)
    first.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        second.execute("BEGIN IMMEDIATE")
    first.close()
    second.close()
