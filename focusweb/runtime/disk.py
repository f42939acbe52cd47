"""How full the disk is, for whoever writes to it all day."""

import shutil
from pathlib import Path
from typing import Final

#: Crawls pause with less than this free: five parts in a hundred, on large disks a GiB.
LEAST_FREE_SHARE: Final = 0.05
LEAST_FREE_BYTES: Final = 1 << 30


def is_nearly_full(folder: Path) -> bool:
    """True if a folder's disk has so little space left that crawls had better pause."""
    usage = shutil.disk_usage(folder)
    return usage.free < min(LEAST_FREE_SHARE * usage.total, LEAST_FREE_BYTES)
