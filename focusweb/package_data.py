"""Data that installed packages bring: their files, and arrays that are made of them once."""

import gzip
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import distribution
from os import W_OK, access, getpid
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

#: Beside the packages, so that both go together.
KEPT_IN = Path(sys.prefix) / "share" / "focusweb"


def package_lines(package: str, name: str) -> Iterator[str]:
    """Yield the lines of a file of an installed package, packed by gzip or not; UTF-8."""
    file = Path(str(distribution(package).locate_file(name)))
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    yield from data.decode().splitlines()


def kept_file(name: str, packages: Sequence[str], folder: Path = KEPT_IN) -> Path:
    """Return where `kept_arrays` keeps them; the file is there after the first time."""
    versions = [distribution(package).version for package in packages]
    return folder / f"{'-'.join([name, *versions])}.npz"


def must_be_built(name: str, packages: Sequence[str], folder: Path = KEPT_IN) -> bool:
    """Whether `kept_arrays` would build them once for all: not kept yet, but they can be."""
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    is_writable = existing.is_dir() and access(existing, W_OK)
    return is_writable and not kept_file(name, packages, folder).exists()


def kept_arrays(
    name: str, packages: Sequence[str], build: Callable[[], Arrays], folder: Path = KEPT_IN
) -> Arrays:
    """Return arrays that were built of packages before, or build and keep them.

    Parameters
    ----------
    name : str
        With the packages' versions, the name of the file: it changes when `build` does.
    packages : sequence of str
        What `build` reads.
    build : callable
        Makes the arrays, by their names.
    folder : Path, default `KEPT_IN`
        Where it cannot be written, each process builds the arrays for itself.
    """
    file = kept_file(name, packages, folder)
    if (kept := _kept(file)) is not None:
        return kept
    arrays = build()
    with suppress(OSError):
        _keep(arrays, file)
    return arrays


def _kept(file: Path) -> Arrays | None:
    """Read what `_keep` wrote; None if there is nothing or it is damaged."""
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as kept:
            return dict(kept)
    except (OSError, BadZipFile, EOFError, ValueError):
        return None


def _keep(arrays: Arrays, file: Path) -> None:
    """Write the arrays whole or not at all."""
    part = file.with_name(f"{file.name}.{getpid()}")
    values: dict[str, Any] = dict(arrays)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as opened:
            np.savez(opened, **values)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
