"""The file of a backup: a ZIP archive with a manifest of versions and checksums."""

import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Final

import msgspec

from topics.errors import BackupError

FORMAT: Final = "focusweb-backup"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
DATABASE: Final = "database.sqlite3"
KEY: Final = "secret_key"
SETTINGS: Final = "settings.env"
#: Where a restore unpacks files before it puts them in place, and its list of them.
STAGING: Final = ".restoring"
STAGED_NAMES: Final = ".names"
#: Before the path of a file of the data folder.
FILES: Final = "files/"
#: Parts of the data folder that are made again, or have a place of their own in the archive.
NOT_FILES: Final = frozenset(
    {"run", "cache", "index", "static", KEY, SETTINGS, STAGING, STAGED_NAMES}
)
_MAX_MANIFEST_BYTES: Final = 32_000_000
_CHUNK: Final = 1 << 20
#: What zipfile raises for a file that is not as it was written.
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
_HAS_PASSWORD: Final = 0x1


class Member(msgspec.Struct, frozen=True):
    """One file of the archive."""

    name: str
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What the archive holds, and which program wrote it."""

    made: datetime
    program: str
    #: Changes of the tables that the database has, as "app.name".
    migrations: list[str]
    with_keys: bool
    members: list[Member]
    format: str = FORMAT
    version: int = VERSION


class ArchiveWriter:
    """Adds files to a new archive and keeps their checksums."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.members: list[Member] = []

    def add(self, name: str, source: IO[bytes]) -> None:
        """Add what a stream holds; its size is what was read."""
        digest, size = hashlib.sha256(), 0
        with self._archive.open(_entry(name), "w", force_zip64=True) as target:
            while part := source.read(_CHUNK):
                target.write(part)
                digest.update(part)
                size += len(part)
        self.members.append(Member(name, size, digest.hexdigest()))

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest, which is the last file."""
        self._archive.writestr(_entry(MANIFEST), msgspec.json.encode(manifest))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | 0o600) << 16
    return entry


@contextmanager
def new_archive(file: Path) -> Iterator[ArchiveWriter]:
    """Write an archive that only its owner can read; on the disk when the block ends."""
    handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w+b") as stream:
        with zipfile.ZipFile(stream, "w", allowZip64=True) as archive:
            yield ArchiveWriter(archive)
        stream.flush()
        os.fsync(stream.fileno())


class Archive:
    """An archive whose list of files was checked; `extract` checks their contents."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Read the manifest and compare it with the files.

        Raises
        ------
        BackupError
            If it is not a backup, is damaged, or names a place outside the data folder.
        """
        self._archive = archive
        entries = archive.infolist()
        self._entries = {entry.filename: entry for entry in entries}
        if MANIFEST not in self._entries:
            raise BackupError("This is not a backup of FocusWeb: it has no manifest.")
        self.manifest = self._read_manifest()
        names = [member.name for member in self.manifest.members]
        if any(not _is_readable(entry) for entry in entries):
            raise BackupError("The backup is damaged: it has a file that is packed another way.")
        if sorted([*names, MANIFEST]) != sorted(entry.filename for entry in entries):
            raise BackupError("The backup is damaged: its files are not those of its manifest.")
        for member in self.manifest.members:
            _require_safe(member, self._entries[member.name])

    def _read_manifest(self) -> Manifest:
        if not _is_readable(self._entries[MANIFEST]):
            raise BackupError("This is not a backup of FocusWeb: its manifest has a password.")
        if self._entries[MANIFEST].file_size > _MAX_MANIFEST_BYTES:
            raise BackupError("The backup is damaged: its manifest is too large.")
        try:
            found = msgspec.json.decode(self._archive.read(MANIFEST))
            if not isinstance(found, dict) or found.get("format") != FORMAT:
                raise BackupError("This is not a backup of FocusWeb: its manifest is another one.")
            if found.get("version") != VERSION:
                raise BackupError(
                    f"The backup has format {found.get('version')}; this FocusWeb reads format "
                    f"{VERSION}. Restore it with the FocusWeb that made it, or a newer one."
                )
            return msgspec.convert(found, Manifest)
        except (msgspec.DecodeError, UnicodeDecodeError, *_DAMAGE) as error:
            raise BackupError(f"The backup is damaged: its manifest is wrong ({error}).") from error

    @property
    def size(self) -> int:
        """Bytes of all its files when they are unpacked."""
        return sum(member.size for member in self.manifest.members)

    def extract(self, member: Member, target: Path) -> None:
        """Write a file of the archive to a place where there is none.

        Raises
        ------
        BackupError
            If its size or checksum is not that of the manifest.
        """
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        digest, size = hashlib.sha256(), 0
        with os.fdopen(handle, "wb") as out:
            try:
                with self._archive.open(member.name) as source:
                    while part := source.read(_CHUNK):
                        size += len(part)
                        if size > member.size:
                            break
                        digest.update(part)
                        out.write(part)
            except _DAMAGE as error:
                raise BackupError(f"The backup is damaged at {member.name} ({error}).") from error
            out.flush()
            os.fsync(out.fileno())
        if size != member.size or digest.hexdigest() != member.sha256:
            raise BackupError(f"The backup is damaged: {member.name} has another checksum.")


@contextmanager
def open_archive(file: Path) -> Iterator[Archive]:
    """Open a backup to read it; a BackupError names what is wrong with it."""
    try:
        archive = zipfile.ZipFile(file)
    except _DAMAGE as error:
        raise BackupError(f"{file} is damaged, or not a backup of FocusWeb ({error}).") from error
    with archive:
        yield Archive(archive)


def _is_readable(entry: zipfile.ZipInfo) -> bool:
    ways = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    return entry.compress_type in ways and not entry.flag_bits & _HAS_PASSWORD


def _require_safe(member: Member, entry: zipfile.ZipInfo) -> None:
    mode = entry.external_attr >> 16
    if mode and not stat.S_ISREG(mode):
        raise BackupError(f"The backup holds {member.name!r}, which is not a plain file.")
    if member.size < 0 or entry.file_size != member.size:
        raise BackupError(f"The backup is damaged: {member.name!r} has another size.")
    if member.name in (DATABASE, KEY, SETTINGS):
        return
    inside = member.name.removeprefix(FILES)
    path = PurePosixPath(inside)
    is_plain = str(path) == inside and not path.is_absolute() and "\\" not in inside
    if inside == member.name or not is_plain or _is_outside(path.parts):
        raise BackupError(f"The backup names a place outside the data folder: {member.name!r}.")


def _is_outside(parts: tuple[str, ...]) -> bool:
    return not parts or ".." in parts or "\0" in "".join(parts) or parts[0] in NOT_FILES


def database_parts(file: Path) -> list[Path]:
    """Return the files of an SQLite database: itself, and the logs that may stand beside it."""
    return [file.with_name(f"{file.name}{end}") for end in ("", "-wal", "-shm", "-journal")]


def data_files(folder: Path, left_out: Iterable[Path]) -> Iterator[Path]:
    """The plain files of a data folder that a backup holds, without links, sorted by path.

    `left_out` names files that it does not hold, at any depth and by any path.

    Raises
    ------
    BackupError
        If one has a name with which the backup could not be restored.
    """
    skipped = frozenset(file.resolve() for file in left_out)
    for top in sorted(folder.iterdir()):
        if top.name in NOT_FILES or top.is_symlink():
            continue
        for file in [top] if top.is_file() else sorted(top.rglob("*")):
            if file.is_file() and not file.is_symlink() and file.resolve() not in skipped:
                _require_restorable(file.relative_to(folder).as_posix())
                yield file


def _require_restorable(path: str) -> None:
    is_utf8 = path == path.encode("utf-8", "replace").decode()
    if not is_utf8 or "\\" in path or path.splitlines() != [path]:
        raise BackupError(
            f"The data folder holds {path!r}, a name that cannot be restored. Rename this file."
        )
