"""The data folder: made for us alone, and refused if others could read or change it."""

import os
import stat
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

#: Rights that others must not have: any for all users, writing for the group.
_OPEN = stat.S_IRWXO | stat.S_IWGRP
PARTS = ("run", "cache")


def prepare(folder: Path) -> None:
    """Make the folder and its parts, each with mode 0700.

    A folder that was made before, is ours and is still empty is closed to others.

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
