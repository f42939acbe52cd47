"""A backup is whole or not there, while a crawl writes; restored, it is the same installation."""

import json
import sqlite3
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from tests import databases
from tests.crashes.installation import SLUG, Installation
from tests.crashes.site import Web

N_PAGES = 12
#: Written by the restore itself, or left out of each backup.
OTHERWISE = {"crawler_indexoutbox", "django_q_ormq", "sqlite_sequence"}
pytestmark = databases.sqlite_only

#: Left out of a backup without keys.
SIGN_INS = {"django_session", "topics_signin"}


@pytest.fixture
def going_on() -> Event:
    """Set when the web may answer for more than its first page."""
    return Event()


@pytest.fixture
def web(tmp_path: Path, going_on: Event) -> Iterator[Web]:
    def wait(number: int) -> None:
        if number:
            assert going_on.wait(60)

    with Web(N_PAGES, 4, tmp_path / "server.log", wait) as web:
        yield web
        going_on.set()


def tables(base: Path, without: set[str] = OTHERWISE) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    with closing(sqlite3.connect(base)) as found:
        names = found.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: sorted(found.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for (name,) in names
            if name not in without
        }


def empty_installation(folder: Path, web: Web) -> Installation:
    folder.mkdir(mode=0o700)
    installation = Installation(folder, web)
    installation.log_file = folder.with_suffix(".log")
    return installation


def wait_for_pages(installation: Installation, count: int) -> None:
    give_up = time.monotonic() + 60
    while len(installation.pages()) < count:
        assert time.monotonic() < give_up, installation.log()
        time.sleep(0.01)


def found_by(installation: Installation, query: str) -> list[dict[str, object]]:
    out = installation.folder.with_suffix(".found")
    assert installation.work("search", query, str(out)) == 0, installation.log()
    hits: list[dict[str, object]] = json.loads(out.read_text("utf-8"))["hits"]
    return hits


def test_a_backup_during_a_crawl_is_restored_and_crawls_on(
    tmp_path: Path, web: Web, going_on: Event
) -> None:
    file = tmp_path / "during.focusweb"
    with (
        Installation(tmp_path / "data", web) as crawling,
        Installation(tmp_path / "data", web) as beside,
        empty_installation(tmp_path / "copy", web) as copy,
    ):
        crawling.start("crawl", SLUG)
        wait_for_pages(beside, 1)
        beside.start("backup", str(file))
        going_on.set()
        assert beside.end() == 0, beside.log()
        assert crawling.end() == 0, crawling.log()

        assert copy.work("restore", str(file)) == 0, copy.log()
        with zipfile.ZipFile(file) as archive:
            archive.extract("database.sqlite3", tmp_path)
        assert tables(tmp_path / "database.sqlite3") == tables(copy.folder / "focusweb.sqlite3")
        assert 1 <= len(copy.pages()) <= N_PAGES
        assert copy.work("crawl", SLUG) == 0, copy.log()
        assert copy.pages() == crawling.pages() == {web.url(number) for number in range(N_PAGES)}
        assert not (tmp_path / "copy" / ".restoring").exists()


def test_a_restored_installation_has_the_same_rows_files_and_searches(
    tmp_path: Path, web: Web, going_on: Event
) -> None:
    going_on.set()
    file = tmp_path / "quiet.focusweb"
    with (
        Installation(tmp_path / "data", web) as installation,
        empty_installation(tmp_path / "copy", web) as copy,
    ):
        assert installation.work("crawl", SLUG) == 0, installation.log()
        (installation.folder / "mail").mkdir(mode=0o700)
        (installation.folder / "mail" / "issue 1.eml").write_bytes(b"To: someone\r\n")
        installation.change("INSERT INTO django_session VALUES ('thief', 'x', '2099-01-01')")
        installation.work("queue")

        # F19 and a full disk: the file appears when it is complete, or not at all.
        assert installation.work("backup", str(file), kill_at="backup.half:1") == -9
        assert not file.exists()
        assert installation.work("backup", str(file), kill_at="backup.half:1:enospc") == 1
        assert "is full. Nothing was kept" in installation.log()
        assert list(tmp_path.glob("quiet*")) == []
        assert installation.work("backup", str(file)) == 0, installation.log()
        assert installation.work("backup", str(file)) == 1
        assert "quiet.focusweb exists. Choose another name" in installation.log()
        assert list(tmp_path.glob("quiet*")) == [file]
        assert file.stat().st_mode & 0o777 == 0o600
        assert b"thief" not in zipfile.ZipFile(file).read("database.sqlite3")
        assert "secret_key" not in zipfile.ZipFile(file).namelist()

        assert copy.work("restore", str(file), kill_at="restore.half:1") == -9
        assert copy.work("restore", str(file)) == 0, copy.log()
        assert copy.work("restore", str(file)) == 1
        assert "is not empty: it holds" in copy.log()

        rows = [
            tables(one.folder / "focusweb.sqlite3", OTHERWISE | SIGN_INS)
            for one in (installation, copy)
        ]
        assert rows[0] == rows[1]
        assert rows[0]["crawler_page"] != []
        assert (
            copy.rows("SELECT session_key FROM django_session UNION SELECT key FROM django_q_ormq")
            == []
        )
        assert (copy.folder / "mail" / "issue 1.eml").read_bytes() == b"To: someone\r\n"
        assert copy.check() == ""
        for query in ("river meadow", '"stone bridge"', "mill -zeppelin"):
            assert found_by(copy, query) == found_by(installation, query) != []


def test_keys_are_in_the_archive_only_when_they_are_named(
    tmp_path: Path, web: Web, going_on: Event
) -> None:
    going_on.set()
    file = tmp_path / "keys.focusweb"
    variables = {"FOCUSWEB_SMTP_URL": "smtps://me:pass@mail.test", "FOCUSWEB_MAIL_FROM": "a@b.test"}
    with Installation(tmp_path / "data", web, **variables) as installation:
        installation.change("INSERT INTO django_session VALUES ('mine', 'x', '2099-01-01')")
        assert installation.work("backup", str(file), "--with-keys") == 0, installation.log()
        with zipfile.ZipFile(file) as archive:
            key = (installation.folder / "secret_key").read_bytes()
            assert archive.read("secret_key") == key
            assert b"smtps://me:pass@mail.test" in archive.read("settings.env")
        assert installation.work("backup", str(file), "--overwrite") == 0, installation.log()
        with zipfile.ZipFile(file) as archive:
            given = archive.read("settings.env").decode()
            assert b"mine" not in archive.read("database.sqlite3")
        assert "FOCUSWEB_MAIL_FROM=a@b.test\n" in given
        assert "pass" not in given
        assert "FOCUSWEB_DATA" not in given
        inside = installation.folder / "copy.focusweb"
        assert installation.work("backup", str(inside)) == 1
        assert "outside the data folder" in installation.log()
