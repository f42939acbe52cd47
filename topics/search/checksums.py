"""Checksums beside an index's files, as engines keep none: a changed bit would find other pages.

Most files never change once they are committed. Their sums are written down after each
commit; what a process that died in between left without a sum is taken as it is until the
next one. Files that do change are named as such, and are not checked while they change.
"""

import json
import os
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path

from topics.search.errors import IndexUnusableError

NAME = "sums.json"
#: This file exists while files that may change are written.
_WRITING = "writing"
_CHUNK_BYTES = 1 << 20
#: How often sums are read again when a writer may just have finished.
_TRIES = 3

#: Size in bytes, time of the last change in ns, CRC-32 of the content.
_Sum = tuple[int, int, int]


def mark_writing(folder: Path) -> None:
    """Note that files which may change are about to be written."""
    (folder / _WRITING).touch()


def is_unfinished(folder: Path) -> bool:
    """Return whether such files are being written, or a process died over them."""
    return (folder / _WRITING).exists()


def record(folder: Path, files: Iterable[str], *, changing: Collection[str] = ()) -> None:
    """Write down the sums of some committed files; those that were known are not read again.

    Parameters
    ----------
    changing : collection of str
        Those that are written in place: they are read again.
    """
    known, _ = _known(folder) or ({}, None)
    sums = {
        name: (name not in changing and known.get(name)) or _sum(folder / name)
        for name in sorted(files)
    }
    written = folder / f"{NAME}.new"
    written.write_text(json.dumps({"sums": sums, "changing": sorted(changing)}), encoding="utf-8")
    os.replace(written, folder / NAME)
    (folder / _WRITING).unlink(missing_ok=True)


def refuse_altered(folder: Path, *, thorough: bool = False) -> None:
    """Raise `IndexUnusableError` if a file is not what was written down."""
    if name := altered(folder, thorough=thorough):
        raise IndexUnusableError.of(folder, f"{name} was changed from outside")


def altered(folder: Path, *, thorough: bool = False) -> str:
    """Name a file that is not what was written down; "" if there is none.

    A file of the size and time it had is believed, unless every byte is to be read. A file
    that is gone is for the index to miss: a commit takes away what it has no more use for.
    """
    name = ""
    for _ in range(_TRIES):
        name, may_change = _altered(folder, thorough=thorough)
        if not name or not may_change:
            return name
        # A writer notes that it begins, writes, sums up and takes the note away: without
        # a note the sums that are there now are those of the file.
        if is_unfinished(folder):
            return ""
    return name


def _altered(folder: Path, *, thorough: bool) -> tuple[str, bool]:
    """The first file that is not as written down, and whether it may change."""
    known = _known(folder)
    if known is None:
        return NAME, False
    sums, changing = known
    for name, (size, changed, crc) in sums.items():
        file = folder / name
        try:
            status = file.stat()
            is_believed = (status.st_size, status.st_mtime_ns) == (size, changed) and not thorough
            if not is_believed and (status.st_size != size or _crc(file) != crc):
                return name, name in changing
        except FileNotFoundError:
            continue
    return "", False


def _known(folder: Path) -> tuple[dict[str, _Sum], frozenset[str]] | None:
    """The sums that were written down, and the files that may change; None if they are damaged."""
    try:
        rows = json.loads((folder / NAME).read_text(encoding="utf-8"))
        sums = {
            str(name): (int(size), int(at), int(crc))
            for name, (size, at, crc) in rows["sums"].items()
        }
        return sums, frozenset(map(str, rows.get("changing", ())))
    except (OSError, ValueError, TypeError, AttributeError, LookupError):
        return None


def _sum(file: Path) -> _Sum:
    status = file.stat()
    return status.st_size, status.st_mtime_ns, _crc(file)


def _crc(file: Path) -> int:
    crc = 0
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            crc = zlib.crc32(chunk, crc)
    return crc
