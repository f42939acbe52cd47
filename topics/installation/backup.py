"""Write a backup of the installation to one file while the program runs."""

import fcntl
import io
import os
import shlex
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from focusweb import __version__
from focusweb.failpoints import pass_point
from focusweb.runtime.data_folder import sync
from topics.errors import BackupError
from topics.installation.backup_archive import (
    DATABASE,
    FILES,
    KEY,
    SETTINGS,
    Manifest,
    data_files,
    database_parts,
    new_archive,
)

#: Settings that hold a password or a key.
SECRET_SETTINGS: Final = frozenset(
    {"FOCUSWEB_SECRET_KEY", "FOCUSWEB_SECRET_KEY_FALLBACKS", "FOCUSWEB_SMTP_URL", "DATABASE_URL"}
)
#: Of this one start or place only.
_LOCAL_SETTINGS: Final = frozenset({"FOCUSWEB_DATA", "FOCUSWEB_KILL_AT"})
#: Wake-ups of the queue are sent again; they are signed programs, so no archive holds any.
_NEVER_KEPT: Final = ("django_q_ormq",)
#: The key of a session is all that a thief needs to be signed in.
_KEPT_WITH_KEYS: Final = ("django_session", "topics_signin")
#: Without these, the tables were never made to the end.
_NEEDED: Final = frozenset({"django_migrations", "topics_topic", "crawler_page"})


@dataclass(frozen=True, slots=True)
class BackupResult:
    """What a backup holds."""

    n_topics: int
    n_pages: int
    n_files: int
    n_bytes: int


def database_file() -> Path:
    """Return the file of the SQLite database.

    Raises
    ------
    BackupError
        If the installation uses another database.
    """
    base: dict[str, Any] = settings.DATABASES["default"]
    if base["ENGINE"] != "django.db.backends.sqlite3":
        raise BackupError(
            "The database is not SQLite. Save it with its own program (pg_dump for PostgreSQL), "
            "and the data folder with a copy of its files."
        )
    return Path(base["NAME"])


def make_backup(target: Path, now: datetime, *, with_keys: bool, overwrite: bool) -> BackupResult:
    """Write a backup; the file appears when it is complete.

    Raises
    ------
    BackupError
        If the place does not suit.
    OSError
        If it cannot be written; what was written so far is removed.
    """
    _check_target(target.absolute(), settings.DATA_DIR, overwrite=overwrite)
    target = target.resolve()  # What a link names is replaced, not the link.
    part = target.with_name(f"{target.name}.part")
    copy = target.with_name(f"{target.name}.part-database")
    with _one_at_a_time(settings.RUN_DIR / "backup.lock"):
        try:
            _remove(part, copy)  # of a backup that was killed
            result = _write(part, copy, now, with_keys=with_keys)
            os.replace(part, target)
            sync(target.parent)
        finally:
            _remove(part, copy)
    return result


def _check_target(target: Path, folder: Path, *, overwrite: bool) -> None:
    if target.is_dir():
        raise BackupError(f"{target} is a folder. Name the file to write.")
    # It would be replaced by the archive, for all programs of this machine.
    if target.exists() and not target.is_file():
        raise BackupError(f"{target} is a device or a pipe. Name the file to write.")
    if not target.parent.is_dir():
        raise BackupError(f"There is no folder {target.parent}. Create it first.")
    # There the backup would read what it writes, and never end. A link to the folder is the folder.
    if target.resolve().parent.is_relative_to(folder.resolve()):
        raise BackupError(f"Choose a file outside the data folder {folder}.")
    if target.exists() and not overwrite:
        raise BackupError(f"{target} exists. Choose another name, or add --overwrite.")


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    with lock.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupError("Another backup is being made. Wait for its end.") from error
        yield


def _write(part: Path, copy: Path, now: datetime, *, with_keys: bool) -> BackupResult:
    source, folder = database_file(), settings.DATA_DIR
    if not source.is_file():
        raise BackupError(f"There is no database {source} yet, so there is nothing to save.")
    dropped = _NEVER_KEPT if with_keys else (*_NEVER_KEPT, *_KEPT_WITH_KEYS)
    _copy_database(source, copy, dropped)
    with new_archive(part) as archive:
        with copy.open("rb") as stream:
            archive.add(DATABASE, stream)
        pass_point("backup.half")
        given = _settings_text(settings.GIVEN, with_keys=with_keys)
        archive.add(SETTINGS, io.BytesIO(given.encode()))
        if with_keys:
            archive.add(KEY, io.BytesIO(str(settings.SECRET_KEY).encode()))
        for file in data_files(folder, database_parts(source)):
            try:
                with file.open("rb") as stream:
                    archive.add(f"{FILES}{file.relative_to(folder).as_posix()}", stream)
            except FileNotFoundError:
                continue  # removed since the folder was listed
        with closing(sqlite3.connect(copy)) as base:
            found = base.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
            manifest = Manifest(
                made=now,
                program=__version__,
                migrations=[f"{app}.{name}" for app, name in found],
                with_keys=with_keys,
                members=archive.members,
            )
            [(n_topics,)] = base.execute("SELECT count(*) FROM topics_topic").fetchall()
            [(n_pages,)] = base.execute("SELECT count(*) FROM crawler_page").fetchall()
        archive.finish(manifest)
    return BackupResult(n_topics, n_pages, len(archive.members), part.stat().st_size)


def _copy_database(source: Path, copy: Path, dropped: tuple[str, ...]) -> None:
    """Copy the database as it is at one moment; others go on writing meanwhile."""
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    try:
        with (
            closing(sqlite3.connect(source, timeout=20)) as reading,
            closing(sqlite3.connect(copy, isolation_level=None)) as writing,
        ):
            # In one step: with several, each write of another process starts it over.
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode = DELETE")
            writing.execute("PRAGMA secure_delete = ON")
            found = writing.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {name for (name,) in found.fetchall()}
            if not tables >= _NEEDED:
                raise BackupError(f"{source} has no tables yet, so there is nothing to save.")
            # An older version, whose tables are not up to date yet, may lack some.
            for table in tables.intersection(dropped):
                writing.execute(f"DELETE FROM {table}")  # noqa: S608  a constant above
    except sqlite3.Error as error:
        raise BackupError(
            f"The database could not be copied ({error}). If the disk of {copy.parent} is full, "
            "free some space and try again."
        ) from error


def _settings_text(given: Mapping[str, str], *, with_keys: bool) -> str:
    """The settings as lines that systemd and a shell read."""
    left_out = _LOCAL_SETTINGS if with_keys else _LOCAL_SETTINGS | SECRET_SETTINGS
    kept = {name: value for name, value in given.items() if name not in left_out}
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in kept.items())


def _remove(*files: Path) -> None:
    for file in files:
        for one in database_parts(file):
            one.unlink(missing_ok=True)
