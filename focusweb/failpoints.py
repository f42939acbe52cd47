"""Named places where a test may kill, starve or stop this process.

`FOCUSWEB_KILL_AT=name:n` acts when the process passes the place `name` for the n-th time;
`name:n:enospc` raises a full disk there instead, `name:n:sleep` sleeps past every lease, and
`name:n:stop` stands still until it is sent SIGCONT.
Without it a place costs one comparison.
"""

import errno
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from crawler.errors import ConfigurationError

#: Every place, in the order in which a crawl passes them.
POINTS: Final = (
    *("claim.after", "host.reserved"),
    *("fetch.headers", "fetch.body", "robots.done", "fetch.done"),
    *("parse.child", "parse.done"),
    *("page.inserted", "page.committed"),
    *("index.added", "index.segment", "index.toc", "index.committed", "index.marked"),
    *("sched.due", "sched.row", "sched.queued"),
    *("import.parsed", "import.half", "import.committed"),
    *("rebuild.half", "rebuild.swap"),
    *("digest.due", "digest.half", "digest.frozen", "digest.rendered", "digest.filed"),
    *("digest.sending", "digest.accepted", "digest.sent"),
    *("alert.half", "alert.matched", "event.half", "event.noted", "bundle.half", "bundle.made"),
    *("delivery.sending", "delivery.accepted", "delivery.sent"),
    *("backup.half", "restore.half"),
)
#: Longer than any lease is held.
SLEEP_S: Final = 105.0


@dataclass(frozen=True, slots=True)
class FailPlan:
    """Where to act, at which passing, and how."""

    name: str
    nth: int
    mode: str = "kill"


def read_plan(text: str) -> FailPlan | None:
    """Read `name:n` or `name:n:mode`; None if there is none.

    Raises
    ------
    ConfigurationError
        If the place or mode does not exist, or n is not a positive number.
    """
    if not text:
        return None
    name, _, rest = text.partition(":")
    nth, _, mode = rest.partition(":")
    mode = mode or "kill"
    if name not in POINTS or mode not in _ACTS or not nth.isdigit() or int(nth) < 1:
        raise ConfigurationError(
            f"FOCUSWEB_KILL_AT must be NAME:N or NAME:N:MODE with N from 1, a mode of"
            f" {', '.join(_ACTS)} and a name of {', '.join(POINTS)}; got {text!r}"
        )
    return FailPlan(name, int(nth), mode)


def _kill(name: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _fill_disk(name: str) -> None:
    raise OSError(errno.ENOSPC, f"no space left on device (on purpose, at {name})")


def _sleep(name: str) -> None:
    time.sleep(SLEEP_S)


def _stop(name: str) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


_ACTS: Final[dict[str, Callable[[str], None]]] = {
    "kill": _kill,
    "enospc": _fill_disk,
    "sleep": _sleep,
    "stop": _stop,
}


class _Watch:
    """What this process is to do, and how often it has passed the place."""

    def __init__(self) -> None:
        self.plan: FailPlan | None = None
        self._n_passed = 0
        self._lock = Lock()

    def arm(self, plan: FailPlan | None) -> None:
        """Wait for a plan's moment, counting from now."""
        self.plan, self._n_passed = plan, 0

    def pass_place(self, name: str) -> None:
        """Count, and act when it is time."""
        plan = self.plan
        if plan is None or plan.name != name:
            return
        with self._lock:  # Fetches pass places in many threads.
            self._n_passed += 1
            is_time = self._n_passed == plan.nth
        if is_time:
            _ACTS[plan.mode](name)


_watch = _Watch()
#: Plan what this process does to itself; None for nothing.
arm = _watch.arm
#: Pass a named place: nearly always, do nothing.
pass_point = _watch.pass_place
