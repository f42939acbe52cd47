"""Put a backup into an empty data folder."""

import os
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path, PurePath, PurePosixPath
from typing import Final

from django.db.migrations.loader import MigrationLoader

from focusweb import __version__
from focusweb.failpoints import pass_point
from topics.errors import BackupError
from topics.installation.backup_archive import (
    DATABASE,
    FILES,
    KEY,
    STAGED_NAMES,
    STAGING,
    Archive,
    Manifest,
    database_parts,
    open_archive,
)

#: What each start makes; it holds nothing of a person.
_MADE_AT_START: Final = frozenset({"run", "cache", "static", KEY})


def restore(file: Path, folder: Path, database: Path) -> Manifest:
    """Restore a backup into a data folder that holds nothing yet; return its manifest.

    The database comes last: a folder without one was not restored to the end, and can be
    restored again.

    Raises
    ------
    BackupError
        If the folder is not empty, or the archive is damaged or newer than this program.
    OSError
        If something cannot be read or written.
    """
    with open_archive(file) as archive:
        left_over = _left_over(folder)
        _require_empty(folder, database, left_over)
        _require_known(archive.manifest)
        _require_room(archive, folder)
        staging = folder / STAGING
        staged_base = _staged_database(folder, database)
        _empty_staging(staging, staged_base)
        try:
            taken = _places_inside(folder, database)
            _unpack(archive, staging, staged_base, left_over, taken=taken)
            _require_sound(staged_base)
        except BaseException:
            _empty_staging(staging, staged_base)
            if not left_over:
                shutil.rmtree(staging)
            raise
        for name in sorted(set(os.listdir(staging)) - {STAGED_NAMES}):
            _put(staging / name, folder / name)
            pass_point("restore.half")
        database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.replace(staged_base, database)
        shutil.rmtree(staging)
    return archive.manifest


def _places_inside(folder: Path, database: Path) -> list[Path]:
    """Return where the database and its logs are in the data folder; empty if they are not."""
    parts, top = [part.resolve() for part in database_parts(database)], folder.resolve()
    return [part.relative_to(top) for part in parts if part.is_relative_to(top)]


def _staged_database(folder: Path, database: Path) -> Path:
    """Where the database is unpacked: on its disk, and in no folder that files are put into."""
    is_inside = bool(_places_inside(folder, database))
    return (folder if is_inside else database.parent) / f"{database.name}{STAGING}"


def _require_empty(folder: Path, database: Path, left_over: Iterable[str]) -> None:
    allowed = {*_MADE_AT_START, STAGING, f"{database.name}{STAGING}", *left_over}
    found = {entry.name for entry in folder.iterdir()} - allowed
    # A log without its database would be applied to the restored one, and replace its tables.
    is_inside = database.parent.resolve() == folder.resolve()
    parts = [part for part in database_parts(database) if part.exists()]
    found |= {part.name if is_inside else str(part) for part in parts}
    if found:
        names = ", ".join(sorted(found)[:3])
        raise BackupError(
            f"The data folder {folder} is not empty: it holds {names}. Name an empty one with "
            "FOCUSWEB_DATA."
        )


def _left_over(folder: Path) -> list[str]:
    """What a restore that was interrupted has put in place already."""
    note = folder / STAGING / STAGED_NAMES
    return note.read_text("utf-8").splitlines() if note.is_file() else []


def _require_known(manifest: Manifest) -> None:
    known = {".".join(key) for key in MigrationLoader(None).disk_migrations}
    ahead = [name for name in manifest.migrations if name not in known]
    if ahead:
        raise BackupError(
            f"The backup was made by a newer FocusWeb ({manifest.program}; this is {__version__}): "
            f"its tables have the change {ahead[-1]}. Update this one first."
        )


def _require_room(archive: Archive, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if archive.size > free:
        raise BackupError(
            f"The backup needs {archive.size / 1e6:.0f} MB, but the disk of {folder} has "
            f"{free / 1e6:.0f} MB free. Free some space and try again."
        )


def _unpack(
    archive: Archive,
    staging: Path,
    staged_base: Path,
    left_over: Iterable[str],
    *,
    taken: Sequence[PurePath],
) -> None:
    """Unpack all but what has a place in `taken`: it would count as the database or its log."""
    members = {member.name: member for member in archive.manifest.members}
    if DATABASE not in members:
        raise BackupError("The backup is damaged: it has no database.")
    base = members.pop(DATABASE)
    places = {name: PurePosixPath(name.removeprefix(FILES)) for name in members}
    targets = {name: path for name, path in places.items() if path not in taken}
    tops = sorted({path.parts[0] for path in (*targets.values(), *taken)} | set(left_over))
    (staging / STAGED_NAMES).write_text("".join(f"{name}\n" for name in tops), "utf-8")
    archive.extract(base, staged_base)
    for name, path in targets.items():
        archive.extract(members[name], staging / path)


def _require_sound(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as base:
            trouble = [str(row[0]) for row in base.execute("PRAGMA integrity_check(1)")]
            n_loose = len(base.execute("PRAGMA foreign_key_check").fetchall())
    except sqlite3.Error as error:
        raise BackupError(f"The database of the backup is damaged ({error}).") from error
    if trouble != ["ok"] or n_loose:
        raise BackupError(f"The database of the backup is damaged ({trouble[0]}, {n_loose} rows).")


def _put(source: Path, target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)  # of a restore that was interrupted
    os.replace(source, target)


def _empty_staging(staging: Path, staged_base: Path) -> None:
    """Remove what an earlier attempt unpacked, but not its list of names."""
    staging.mkdir(mode=0o700, exist_ok=True)
    for entry in staging.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != STAGED_NAMES:
            entry.unlink()
    for part in database_parts(staged_base):
        part.unlink(missing_ok=True)
