"""Checksums beside an index's files: Whoosh keeps none, so a changed bit would find other pages.

Its files never change once they are committed. Their sums are written down after each commit;
what a process that died in between left without a sum is taken as it is until the next one.
"""

import json
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

NAME = "sums.json"
_CHUNK_BYTES = 1 << 20

#: Size in bytes, time of the last change in ns, CRC-32 of the content.
_Sum = tuple[int, int, int]


def record(folder: Path, files: Iterable[str]) -> None:
    """Write down the sums of some committed files; those that were known are not read again."""
    known = _known(folder) or {}
    sums = {name: known.get(name) or _sum(folder / name) for name in sorted(files)}
    written = folder / f"{NAME}.new"
    written.write_text(json.dumps(sums), encoding="utf-8")
    os.replace(written, folder / NAME)


def altered(folder: Path, *, thorough: bool = False) -> str:
    """Name a file that is not what was written down; "" if there is none.

    A file of the size and time it had is believed, unless every byte is to be read. A file
    that is gone is for the index to miss: a commit takes away what it has no more use for.
    """
    known = _known(folder)
    if known is None:
        return NAME
    for name, (size, changed, crc) in known.items():
        file = folder / name
        try:
            status = file.stat()
            is_believed = (status.st_size, status.st_mtime_ns) == (size, changed) and not thorough
            if not is_believed and (status.st_size != size or _crc(file) != crc):
                return name
        except FileNotFoundError:
            continue
    return ""


def _known(folder: Path) -> dict[str, _Sum] | None:
    """What was written down; None if that itself cannot be read."""
    try:
        rows = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return {str(name): (int(size), int(at), int(crc)) for name, (size, at, crc) in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError):
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
