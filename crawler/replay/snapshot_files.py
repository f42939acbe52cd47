"""The files of a web snapshot, read line by line with their places in mind."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from crawler.errors import CrawlError

Row = TypeVar("Row")


class SnapshotError(CrawlError):
    """A snapshot is damaged; the message names file, line and field."""


def decode_json(decoder: msgspec.json.Decoder[Row], data: bytes | msgspec.Raw, where: str) -> Row:
    """Decode one JSON value; what is wrong is said with `where` before it."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise SnapshotError(f"{where}: {error}") from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise SnapshotError(f"{where}: not valid JSON ({error})") from error


def gzip_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a gzip file with their numbers, without blank ones."""
    number = 0
    try:
        with gzip.open(path) as stream:
            for number, line in enumerate(stream, start=1):
                if not line.isspace():
                    yield number, line
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise SnapshotError(f"{path}: damaged gzip data after line {number} ({error})") from error
    except OSError as error:
        raise SnapshotError(f"{path}: cannot be read ({error.strerror})") from error


def tab_separated(path: Path, header: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the rows of a tab-separated file with their line numbers."""
    try:
        text = file_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise SnapshotError(f"{path}: not UTF-8 at byte {error.start}") from error
    lines = text.split("\n")
    if tuple(lines[0].rstrip("\r").split("\t")) != header:
        raise SnapshotError(f"{path} line 1: the header must be {', '.join(header)}")
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        row = tuple(line.rstrip("\r").split("\t"))
        if len(row) != len(header):
            missing = header[len(row)] if len(row) < len(header) else f"after {header[-1]}"
            raise SnapshotError(
                f"{path} line {number}, field {missing}: "
                f"{len(row)} columns instead of {len(header)}"
            )
        yield number, row


def file_bytes(path: Path) -> bytes:
    """Read a whole file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SnapshotError(f"{path}: cannot be read ({error.strerror})") from error
