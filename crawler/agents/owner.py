"""Who holds a lease: a process of a machine, told apart from a later one of the same number."""

import os
from functools import cache
from pathlib import Path


@cache
def _machine() -> str:
    return os.uname().nodename


def this_process() -> str:
    """A name for this process that no other process ever had."""
    number = os.getpid()
    return f"{_machine()}/{number}/{_started(number)}"


def is_dead(owner: str) -> bool:
    """True if the owner was a process of this machine and is gone; False when unsure."""
    machine, number, started = [*owner.rsplit("/", 2), "", ""][:3]
    if machine != _machine() or not number.isdigit():
        return False
    return _started(int(number)) != started


def _started(number: int) -> str:
    """When a process began, in clock ticks since the machine started; "" if it is gone."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return ""
    # The name in parentheses may hold blanks; the 22nd field is counted after it.
    fields = stat.rpartition(")")[2].split()
    # A zombie does nothing more: it only waits to be counted.
    return "" if fields[0] == "Z" else fields[19]
