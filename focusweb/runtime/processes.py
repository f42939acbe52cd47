"""Find the processes of this machine, and end whole sessions of them.

A cluster whose leader was killed leaves workers that go on executing tasks. They still belong to
the session the leader opened, and are found by it. Linux only: where /proc is missing, only the
process group can be ended.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

PROC = Path("/proc")
#: Environment variable with the token of the run that started a process.
TOKEN_VARIABLE = "FOCUSWEB_RUN_TOKEN"
#: Environment of long-running processes. Without it the C library would keep freed memory for
#: each thread of a worker, and for large pages.
MEMORY_SETTINGS = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072"}
_WAIT_FOR_DEATH_S = 5.0


def _stat_fields(pid: int) -> list[str]:
    """Fields of /proc/PID/stat from the third (state) on; empty if the process does not exist."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    # The second field, the name, may itself hold blanks and brackets.
    fields = text.rpartition(")")[2].split()
    return [] if fields[0] == "Z" else fields  # a zombie is dead, only not yet collected


def start_time(pid: int) -> str:
    """When a living process started, in clock ticks since boot; empty if it does not live."""
    fields = _stat_fields(pid)
    return fields[19] if fields else ""


def _all_pids() -> list[int]:
    if not PROC.is_dir():
        return []
    return sorted(int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())


def session_members(session: int) -> list[int]:
    """Process ids of the living members of a session."""
    return [pid for pid in _all_pids() if _stat_fields(pid)[3:4] == [str(session)]]


def started_by(token: str) -> list[int]:
    """Living processes that were started, directly or not, by the run with this token."""
    return [pid for pid in _all_pids() if _stat_fields(pid) and _carries(pid, token)]


def _carries(pid: int, token: str) -> bool:
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False  # ended, or another user's
    return f"{TOKEN_VARIABLE}={token}".encode() in environment.split(b"\0")


def end_session(session: int) -> int:
    """SIGKILL every member of a session until none is left; return how many were seen."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    return end_all(lambda: session_members(session))


def end_all(find: Callable[[], list[int]]) -> int:
    """SIGKILL what `find` finds until it finds nothing; return how many it were.

    More than one round, because a process may fork while we are killing; but not for ever: a
    process in an uninterruptible wait dies only when the disk lets it.
    """
    killed: set[int] = set()
    deadline = time.monotonic() + _WAIT_FOR_DEATH_S
    while (found := find()) and time.monotonic() < deadline:
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed.update(found)
        time.sleep(0.01)
    return len(killed)
