"""The owner of a lease: a process of a machine, distinct from a later one of the same number."""

import os
from functools import cache

from focusweb.runtime.processes import start_time


@cache
def _machine() -> str:
    return os.uname().nodename


def this_process() -> str:
    """Return a name for this process that no other process ever had."""
    number = os.getpid()
    return f"{_machine()}/{number}/{start_time(number)}"


def is_dead(owner: str) -> bool:
    """True if the owner was a process of this machine and has ended; False when unsure."""
    machine, number, started = [*owner.rsplit("/", 2), "", ""][:3]
    if machine != _machine() or not number.isdigit():
        return False
    return start_time(int(number)) != started
