"""What a restore refuses: each damage, each newer version, each place outside the folder."""

import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable, Iterable
from contextlib import closing
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from tests.topics.factories import NOON
from topics.errors import BackupError
from topics.installation.backup_archive import (
    DATABASE,
    MANIFEST,
    SETTINGS,
    Manifest,
    Member,
    new_archive,
)
from topics.installation.restore import restore

KNOWN = ["topics.0001_initial"]
Files = dict[str, bytes]


def database(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE note (text)")
        for statement in statements:
            base.execute(statement)
        base.commit()
        return base.serialize()


def whole() -> Files:
    return {
        DATABASE: database("INSERT INTO note VALUES ('kept')"),
        SETTINGS: b"",
        "files/mail/one.eml": b"first",
        "files/plugins/own.py": b"# mine",
    }


def archive(folder: Path, files: Files, migrations: Iterable[str] = KNOWN) -> Path:
    """A backup of these files, with a true manifest."""
    file = folder / "saved.focusweb"
    with new_archive(file) as writer:
        for name, content in files.items():
            writer.add(name, BytesIO(content))
        writer.finish(Manifest(NOON, "9.9.9", list(migrations), False, writer.members))
    return file


def rewritten(file: Path, change: Callable[[zipfile.ZipInfo, bytes], bytes]) -> Path:
    """The same archive with changed entries, and a manifest that does not know of it."""
    target = file.with_name("changed.focusweb")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            content = change(entry, old.read(entry))
            new.writestr(entry, content)
    return target


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    for part in ("run", "cache"):
        (folder / part).mkdir(parents=True)
    return folder


def restored(file: Path, folder: Path) -> Manifest:
    return restore(file, folder, folder / "focusweb.sqlite3")


def refused(file: Path, folder: Path, words: str) -> None:
    before = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    with pytest.raises(BackupError, match=words):
        restored(file, folder)
    assert sorted(path.relative_to(folder) for path in folder.rglob("*")) == before
    assert not list(folder.parent.glob("evil*"))


def test_files_and_database_are_put_in_place_for_the_owner_alone(
    tmp_path: Path, empty: Path
) -> None:
    file = archive(tmp_path, whole())

    assert restored(file, empty).program == "9.9.9"

    assert file.stat().st_mode & 0o777 == 0o600
    assert (empty / "mail" / "one.eml").read_bytes() == b"first"
    for path in (empty / "mail", empty / "mail" / "one.eml", empty / "focusweb.sqlite3"):
        assert path.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(empty / "focusweb.sqlite3")) as base:
        assert base.execute("SELECT text FROM note").fetchall() == [("kept",)]


@pytest.mark.parametrize("found", ["focusweb.sqlite3", "plugins", "notes.txt"])
def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path, empty: Path, found: str) -> None:
    (empty / found).write_text("there")

    refused(archive(tmp_path, whole()), empty, rf"is not empty: it holds {found}\. Name")


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_a_log_of_a_database_that_is_gone_is_not_applied_to_the_restored_one(
    tmp_path: Path, empty: Path, end: str
) -> None:
    file, elsewhere = archive(tmp_path, whole()), tmp_path / "base.sqlite3"
    log = tmp_path / f"base.sqlite3{end}"
    log.write_bytes(b"of another database")

    with pytest.raises(BackupError, match=f"is not empty: it holds .*base.sqlite3{end}"):
        restore(file, empty, elsewhere)

    assert log.read_bytes() == b"of another database"
    assert not elsewhere.exists()


@pytest.mark.parametrize("end", ["", "-wal"])
def test_a_file_with_the_name_of_the_database_does_not_take_its_place(
    tmp_path: Path, empty: Path, end: str
) -> None:
    files = whole() | {f"files/focusweb.sqlite3{end}": b"of another database"}

    restored(archive(tmp_path, files), empty)

    assert not (empty / "focusweb.sqlite3-wal").exists()
    with closing(sqlite3.connect(empty / "focusweb.sqlite3")) as base:
        assert base.execute("SELECT text FROM note").fetchall() == [("kept",)]


def test_a_database_in_a_folder_of_the_data_folder_is_put_beside_its_files(
    tmp_path: Path, empty: Path
) -> None:
    file = archive(tmp_path, whole() | {"files/db/note": b"beside"})

    restore(file, empty, empty / "db" / "base.sqlite3")

    assert sorted(path.name for path in (empty / "db").iterdir()) == ["base.sqlite3", "note"]
    with closing(sqlite3.connect(empty / "db" / "base.sqlite3")) as base:
        assert base.execute("SELECT text FROM note").fetchall() == [("kept",)]


def test_a_newer_program_is_refused_with_its_version(tmp_path: Path, empty: Path) -> None:
    file = archive(tmp_path, whole(), [*KNOWN, "topics.9999_tomorrow"])

    refused(file, empty, r"newer FocusWeb \(9.9.9; this is .*topics.9999_tomorrow")


def test_a_newer_format_is_refused(tmp_path: Path, empty: Path) -> None:
    def later(entry: zipfile.ZipInfo, content: bytes) -> bytes:
        return content.replace(b'"version":1', b'"version":2')

    refused(rewritten(archive(tmp_path, whole()), later), empty, "has format 2")


@pytest.mark.parametrize(
    "name",
    [
        "files/../evil",
        "files//tmp/evil",
        "/tmp/evil",
        "evil",
        "files/a/../../evil",
        "files/a\\..\\evil",
        "files/./evil",
        "files/",
        "files/run/lock",
        "files/index/current/_MAIN.toc",
        "files/secret_key",
        "files/.restoring/.names",
    ],
)
def test_a_place_outside_the_data_folder_is_refused(tmp_path: Path, empty: Path, name: str) -> None:
    refused(archive(tmp_path, whole() | {name: b"evil"}), empty, "place outside the data folder")


def test_a_link_is_refused(tmp_path: Path, empty: Path) -> None:
    def as_link(entry: zipfile.ZipInfo, content: bytes) -> bytes:
        if entry.filename == "files/mail/one.eml":
            entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        return content

    refused(rewritten(archive(tmp_path, whole()), as_link), empty, "not a plain file")


def test_a_file_larger_than_its_manifest_says_is_refused(tmp_path: Path, empty: Path) -> None:
    def grown(entry: zipfile.ZipInfo, content: bytes) -> bytes:
        return content + bytes(50_000_000) if entry.filename == "files/mail/one.eml" else content

    refused(rewritten(archive(tmp_path, whole()), grown), empty, "has another size")


def test_more_than_the_disk_holds_is_refused_before_it_is_unpacked(
    tmp_path: Path, empty: Path
) -> None:
    huge = shutil.disk_usage(empty).total * 2

    def lying(entry: zipfile.ZipInfo, content: bytes) -> bytes:
        if entry.filename != MANIFEST:
            return content
        found = msgspec.json.decode(content, type=Manifest)
        members = [Member(x.name, huge, x.sha256) for x in found.members]
        return msgspec.json.encode(msgspec.structs.replace(found, members=members))

    refused(rewritten(archive(tmp_path, whole()), lying), empty, "another size|MB free")


@pytest.mark.parametrize("name", [DATABASE, "files/plugins/own.py"])
def test_another_checksum_is_refused(tmp_path: Path, empty: Path, name: str) -> None:
    def changed(entry: zipfile.ZipInfo, content: bytes) -> bytes:
        return content[:-1] + b"!" if entry.filename == name else content

    refused(rewritten(archive(tmp_path, whole()), changed), empty, f"{name} has another checksum")


def test_a_damaged_database_is_refused(tmp_path: Path, empty: Path) -> None:
    damaged = bytearray(database("CREATE TABLE more (a, b)", "INSERT INTO more VALUES (1, 2)"))
    damaged[4096:8192] = bytes(4096)

    refused(
        archive(tmp_path, whole() | {DATABASE: bytes(damaged)}), empty, "database .* is damaged"
    )


def test_an_archive_cut_or_changed_anywhere_is_refused(tmp_path: Path, empty: Path) -> None:
    """Every 97th byte is changed, and every 97th length is tried."""
    file, broken = archive(tmp_path, whole()), tmp_path / "broken.focusweb"
    data = file.read_bytes()
    harmless = 0
    for place in range(0, len(data), 97):
        for content in (
            data[:place],
            data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :],
        ):
            broken.write_bytes(content)
            try:
                restored(broken, empty)
            except BackupError:
                assert {path.name for path in empty.iterdir()} == {"run", "cache"}
                continue
            # A byte that no reader uses, such as a time of change.
            harmless += 1
            assert (empty / "mail" / "one.eml").read_bytes() == b"first"
            shutil.rmtree(empty)
            (empty / "run").mkdir(parents=True)
            (empty / "cache").mkdir()
    assert harmless < len(data) / 97


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive", b"\x1f\x8b" + bytes(100)])
def test_what_is_no_archive_is_refused(tmp_path: Path, empty: Path, content: bytes) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)

    refused(file, empty, "not a backup of FocusWeb")


def test_another_zip_file_is_refused(tmp_path: Path, empty: Path) -> None:
    file = tmp_path / "photos.zip"
    with zipfile.ZipFile(file, "w") as photos:
        photos.writestr("cat.jpg", b"meow")

    refused(file, empty, "it has no manifest")


def test_an_archive_without_a_database_is_refused(tmp_path: Path, empty: Path) -> None:
    files = whole()
    del files[DATABASE]

    refused(archive(tmp_path, files), empty, "has no database")
