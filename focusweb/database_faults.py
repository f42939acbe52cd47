"""When the database or the disk is what is at fault: which fault it is, and since when."""

import errno
import time
from dataclasses import dataclass
from typing import Final

from django.db import DatabaseError, InterfaceError, OperationalError

#: Time for which pages show a fault.
SHOWN_S: Final = 300.0

_FULL: Final = ("disk is full", "no space left", "could not extend file", "disk full")
_LOCKED: Final = ("locked", "lock timeout", "deadlock detected")


def fault_of(error: BaseException) -> str:
    """ "full", "locked" or "away"; empty if the error has another cause."""
    said = str(error).lower()
    if isinstance(error, OSError):
        return "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    # Not IntegrityError and its like, which are the program's; the plain class is a damaged file.
    if (
        not isinstance(error, (OperationalError, InterfaceError))
        and type(error) is not DatabaseError
    ):
        return ""
    if any(words in said for words in _FULL):
        return "full"
    return "locked" if any(words in said for words in _LOCKED) else "away"


@dataclass(slots=True)
class LastFault:
    """The last fault of this process."""

    fault: str = ""
    at_s: float = 0.0

    def note(self, fault: str) -> None:
        """Remember a fault."""
        self.fault, self.at_s = fault, time.monotonic()

    def recent(self) -> str:
        """Return the fault, for as long as pages show it; else empty."""
        return self.fault if self.fault and time.monotonic() - self.at_s < SHOWN_S else ""


last_fault: Final = LastFault()
