"""What a backup refuses before it writes anything."""

import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from pytest_django import Settings

from tests import databases
from tests.topics.factories import NOON
from topics.errors import BackupError
from topics.installation.backup import make_backup
from topics.installation.backup_archive import data_files, database_parts

ROOT = Path(__file__).resolve().parents[3]


def saved(folder: Path, target: Path, *tables: str) -> tuple[int, str]:
    """Back up a database that has these tables, and the one of the migrations."""
    data = folder / "data"
    data.mkdir(mode=0o700)
    with closing(sqlite3.connect(data / databases.FILE)) as base:
        base.execute("CREATE TABLE django_migrations (id, app, name)")
        for table in tables:
            base.execute(f"CREATE TABLE {table} (id)")
    done = subprocess.run(
        [sys.executable, "manage.py", "backup", "--overwrite", str(target)],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "FOCUSWEB_DATA": str(data)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("named", ["data", "link"])
@pytest.mark.parametrize("below", ["", "run"])
def test_a_file_in_the_data_folder_is_refused_by_whatever_path(
    tmp_path: Path, settings: Settings, named: str, below: str
) -> None:
    (tmp_path / "data" / "run").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "data")
    for folder in ("data", "link"):
        settings.DATA_DIR = tmp_path / folder
        with pytest.raises(BackupError, match="Choose a file outside the data folder"):
            make_backup(tmp_path / named / below / "x", NOON, with_keys=False, overwrite=False)


@pytest.mark.parametrize(
    "name", [b"a\\b.txt", b"a\nb.txt", b"a\rb.txt", b"\xff.txt", "\u2028.txt".encode()]
)
def test_a_name_that_cannot_be_restored_is_refused(tmp_path: Path, name: bytes) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / os.fsdecode(name)).write_text("x")

    with pytest.raises(BackupError, match=r"'plugins/.*\.txt', a name that cannot be restored"):
        list(data_files(tmp_path, []))


@pytest.mark.parametrize("below", ["", "db"])
def test_the_database_and_its_logs_are_no_files_wherever_they_lie(
    tmp_path: Path, below: str
) -> None:
    (tmp_path / "data" / "db").mkdir(parents=True)
    (tmp_path / "link").symlink_to("data")
    base = tmp_path / "link" / below / databases.FILE
    parts = database_parts(base)
    for file in (*parts, base.with_name("note")):
        file.write_text("x")

    assert [file.name for file in data_files(tmp_path / "data", parts)] == ["note"]


@pytest.mark.parametrize("named", ["pipe", "link"])
def test_a_pipe_or_a_device_is_not_replaced(tmp_path: Path, settings: Settings, named: str) -> None:
    settings.DATA_DIR = tmp_path / "data"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")

    with pytest.raises(BackupError, match="is a device or a pipe"):
        make_backup(tmp_path / named, NOON, with_keys=False, overwrite=True)

    assert (tmp_path / "pipe").is_fifo()


def test_a_link_goes_on_naming_the_file_that_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "newest").write_text("older")
    (tmp_path / "link").symlink_to("newest")

    code, _ = saved(tmp_path, tmp_path / "link", "topics_topic", "crawler_page")

    assert code == 0
    assert (tmp_path / "link").is_symlink()
    assert zipfile.is_zipfile(tmp_path / "newest")


def test_a_database_of_an_older_version_is_saved_though_it_lacks_tables(tmp_path: Path) -> None:
    code, said = saved(tmp_path, tmp_path / "x", "topics_topic", "crawler_page", "django_session")

    assert (code, "0 topics, 0 pages" in said) == (0, True), said


def test_a_database_without_tables_is_nothing_to_save(tmp_path: Path) -> None:
    code, said = saved(tmp_path, tmp_path / "x")

    assert (code, "has no tables yet, so there is nothing to save." in said) == (1, True), said
    assert list(tmp_path.iterdir()) == [tmp_path / "data"]
