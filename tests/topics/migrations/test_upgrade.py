"""A database of an older version, with data, becomes one of this version and loses nothing."""

import gzip
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests import databases

ROOT = Path(__file__).resolve().parents[3]
STORED = Path(__file__).parent / "stored.sql.gz"
#: Django's own lists of what exists, which grow.
GROWING = {"auth_permission", "django_content_type", "django_migrations", "sqlite_sequence"}
#: The weights and the scale of links that a topic has by default: before, and of this version.
#: Two migrations change them.
DEFAULTS = {
    "link_weight": (0.3, 0.25),
    "content_weight": (0.7, 0.75),
    "link_scale": (3.0, 1.0),
}


def rows(base: sqlite3.Connection) -> dict[str, list[dict[str, object]]]:
    """Every row of every table, by name of the column."""
    names = [
        name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    found = {}
    for name in set(names) - GROWING:
        cursor = base.execute(f"SELECT * FROM {name} ORDER BY 1")
        columns = [column[0] for column in cursor.description]
        found[name] = [dict(zip(columns, row, strict=True)) for row in cursor]
    return found


def manage(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=os.environ | {"FOCUSWEB_DATA": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def upgraded(table: str, row: dict[str, object]) -> dict[str, object]:
    """Return a stored row as it has to be afterwards: the former defaults are the new ones."""
    if table == "topics_topic":
        assert all(row[name] == former for name, (former, _) in DEFAULTS.items())
        return row | {name: now for name, (_, now) in DEFAULTS.items()}
    if table == "crawler_crawl":
        settings, version = str(row["settings_json"]), int(str(row["version"]))
        for name, (former, now) in DEFAULTS.items():
            assert f'"{name}": {former}' in settings
            settings = settings.replace(f'"{name}": {former}', f'"{name}": {now}')
        return row | {"settings_json": settings, "version": version + 2}
    return row


@databases.sqlite_only
def test_a_stored_database_is_upgraded_with_all_its_rows(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    with closing(sqlite3.connect(folder / "focusweb.sqlite3")) as base:
        base.executescript(gzip.decompress(STORED.read_bytes()).decode())
        before = rows(base)
    assert len(before["crawler_page"]) == 7
    assert len(before["crawler_concept"]) > 20

    manage(folder, "migrate", "--verbosity", "0")

    with closing(sqlite3.connect(folder / "focusweb.sqlite3")) as base:
        after = rows(base)
        assert base.execute("PRAGMA foreign_key_check").fetchall() == []
    assert before.keys() <= after.keys(), "no table is dropped"
    for table, old in before.items():
        assert len(after[table]) == len(old), table
        for one, new in zip(old, after[table], strict=True):
            shared = one.keys() & new.keys()
            expected = upgraded(table, one)
            assert {key: new[key] for key in shared} == {key: expected[key] for key in shared}, (
                table
            )
    assert "The search index holds 1 pages" in manage(folder, "reindex")
    assert '"name": "river valley"' in manage(folder, "topic_export", "river", "--bundle")
