"""The data folder: private to its user, refused if others could change it; its free space."""

import os
import shutil
import stat
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

#: Rights that others must not have: any for all users, writing for the group.
_OPEN = stat.S_IRWXO | stat.S_IWGRP
PARTS = ("run", "cache")
#: Crawls pause with less than this free: five parts in a hundred, on large disks a GiB.
LEAST_FREE_SHARE: Final = 0.05
LEAST_FREE_BYTES: Final = 1 << 30


def prepare(folder: Path) -> None:
    """Make the folder and its parts, each with mode 0700.

    An empty folder of our own that others can read becomes private.

    Raises
    ------
    ImproperlyConfigured
        If others may read or change what is in it. Passwords and sessions lie there, and
        files that are read as programs.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_mode & _OPEN and found.st_uid == os.geteuid() and not any(folder.iterdir()):
        folder.chmod(0o700)
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & _OPEN:
        raise ImproperlyConfigured(
            f"Other users of this machine may read or change the data folder {folder} "
            f"(mode {mode:04o}). Run: chmod 700 {folder}"
        )
    for part in PARTS:
        (folder / part).mkdir(mode=0o700, exist_ok=True)


def sync(folder: Path) -> None:
    """Put on the disk what was created, renamed or deleted in a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_nearly_full(folder: Path) -> bool:
    """True if a folder's disk has so little space left that crawls should pause."""
    usage = shutil.disk_usage(folder)
    return usage.free < min(LEAST_FREE_SHARE * usage.total, LEAST_FREE_BYTES)
