"""F14: tables are made and changed by one process at a time."""

import os
import subprocess
import sys
from pathlib import Path

from focusweb.runtime.run_folder import RunFolder
from tests import databases

ROOT = Path(__file__).resolve().parents[4]
WAITING = "Waiting for another process that is changing the tables ..."


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env=os.environ | {"FOCUSWEB_DATA": str(folder)} | databases.environment(folder),
        stderr=subprocess.PIPE,
        text=True,
    )


def n_migrations(folder: Path) -> int:
    # Each once: what ran twice is written down twice.
    statement = "SELECT count(*), count(DISTINCT app || name) FROM django_migrations"
    with databases.connected(folder) as base:
        [(n_rows, n_names)] = base.execute(statement).fetchall()
    assert n_rows == n_names
    return int(n_rows)


def test_f14_two_migrations_at_once_both_end_well(tmp_path: Path) -> None:
    pair = [start(tmp_path), start(tmp_path)]

    said = [process.communicate(timeout=120)[1] for process in pair]

    assert [process.returncode for process in pair] == [0, 0], said
    assert {line for text in said for line in text.splitlines()} <= {WAITING}
    assert n_migrations(tmp_path) > 20


def test_f14_a_migration_that_must_wait_says_so_and_then_works(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with RunFolder(tmp_path / "run").migrating(lambda: None):
        process = start(tmp_path)
        assert process.stderr is not None
        assert process.stderr.readline().strip() == WAITING
        assert not (tmp_path / "focusweb.sqlite3").exists(), "not even asked of the database"

    assert process.communicate(timeout=120)[1] == ""
    assert process.returncode == 0
    assert n_migrations(tmp_path) > 20
