"""Keep FocusWeb's processes running: start, restart after any exit, stop cleanly.

Three faults were seen in django-q2 that this handles. A killed leader leaves workers that go on
working, so the whole session is ended. A dead sentinel makes the leader exit with code 0, so any
exit is followed by a restart. A worker killed while idle takes the lock of the queue with it and
blocks the others for ever, so progress is watched, not only life.
"""

import logging
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from focusweb.runtime import processes
from focusweb.runtime.run_folder import ChildRecord, RunFolder

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProgressSign:
    """A file that a process which makes progress touches.

    Attributes
    ----------
    stall_after_s : float
        A process that did not touch it for this long is replaced.
    is_expected : callable
        Whether there is anything to do, so that a touch can be expected.
    """

    file: Path
    stall_after_s: float
    is_expected: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True)
class ChildPlan:
    """A process to keep running.

    Attributes
    ----------
    signs : tuple of ProgressSign
        That it makes progress, and not only lives.
    before_start : callable
        Done each time before it is started, when nothing of the last one is left.
    """

    name: str
    command: tuple[str, ...]
    signs: tuple[ProgressSign, ...] = ()
    before_start: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """How often to look, how long to wait."""

    look_every_s: float = 0.25
    status_every_s: float = 5.0
    first_pause_s: float = 0.5
    longest_pause_s: float = 30.0
    # A process that lived this long is able to start: it is started again without delay.
    steady_after_s: float = 5.0
    grace_s: float = 20.0


class ProgressWatch:
    """Detect that a sign of progress has been missing for too long although it was expected."""

    def __init__(self, sign: ProgressSign) -> None:
        self.sign = sign
        self._moment: float | None = None
        self.reset()

    def reset(self) -> None:
        """Start counting afresh, after a restart."""
        self._quiet_since = time.monotonic()

    def is_stalled(self) -> bool:
        """Return whether the process has to be replaced. Call it every few seconds."""
        try:
            moment = self.sign.file.stat().st_mtime
        except FileNotFoundError:
            moment = None
        # The clock on the wall may jump and a laptop may sleep: what counts is how long *we*
        # have seen the file unchanged while there was work all the time.
        if moment != self._moment or not self.sign.is_expected():
            self._moment = moment
            self.reset()
        return time.monotonic() - self._quiet_since > self.sign.stall_after_s


class Child:
    """One planned process: its life, its exits, the pause before the next start."""

    def __init__(self, plan: ChildPlan, pace: RestartPolicy) -> None:
        self.plan = plan
        self.watches = [ProgressWatch(sign) for sign in plan.signs]
        self.restarts = 0
        #: How often in a row it ended before it was steady.
        self.failed_starts = 0
        self.last_exit: int | None = None
        self._pace = pace
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = self._due_at = 0.0
        self._pause_s = pace.first_pause_s

    @property
    def pid(self) -> int | None:
        """Process id while it runs; also the id of its session."""
        return self._process.pid if self._process else None

    def start(self, environment: Mapping[str, str]) -> None:
        """Start it in a session of its own, so that a signal to us is not one to it."""
        self.plan.before_start()
        # Its life begins now: the preparation may have waited long for a database.
        self._started_at = time.monotonic()
        for watch in self.watches:
            watch.reset()
        try:
            self._process = subprocess.Popen(
                self.plan.command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:  # too many processes, no memory: may pass
            logger.error("Cannot start %s: %s", self.plan.name, error)
            self._plan_restart()

    def is_due(self) -> bool:
        """Return whether it does not run and has waited long enough."""
        return self._process is None and time.monotonic() >= self._due_at

    def collect_exit(self) -> bool:
        """True if it has just been found dead; plans the restart and removes its orphans."""
        if self._process is None or self._process.poll() is None:
            return False
        session, self.last_exit, self._process = self._process.pid, self._process.returncode, None
        orphans = processes.end_session(session)
        logger.warning(
            "%s (process %s) ended with code %s, %s orphans removed",
            *(self.plan.name, session, self.last_exit, orphans),
        )
        self._plan_restart()
        return True

    def _plan_restart(self) -> None:
        now = time.monotonic()
        self.failed_starts += 1
        if now - self._started_at >= self._pace.steady_after_s:
            self._pause_s = self._pace.first_pause_s
            self.failed_starts = 0
        self._due_at = now + self._pause_s
        logger.warning("%s starts again in %.0f s", self.plan.name, self._pause_s)
        self._pause_s = min(2 * self._pause_s, self._pace.longest_pause_s)
        self.restarts += 1

    def request_stop(self) -> None:
        """SIGTERM to the leader only: in a cluster it finishes the tasks in hand."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def has_stopped(self) -> bool:
        """Return whether it has ended, without planning a restart."""
        return self._process is None or self._process.poll() is not None

    def kill(self) -> None:
        """End it and everything it started, at once."""
        if self._process is not None:
            processes.end_session(self._process.pid)

    def record(self) -> ChildRecord | None:
        """How the next start would recognise it."""
        pid = self.pid
        return ChildRecord(self.plan.name, pid, processes.start_time(pid)) if pid else None

    def report(self) -> dict[str, Any]:
        """Return its state, for the status file."""
        state = "waiting" if self._process is None else "up"
        return {
            "state": state,
            "pid": self.pid,
            "restarts": self.restarts,
            "last_exit": self.last_exit,
        }


#: A child that fails to start so often in a row needs the fallback.
FAILED_STARTS = 3


class Supervisor:
    """Runs the planned children until it receives a stop signal.

    `fallback` is what the environment becomes once a child has failed to start several times.
    """

    def __init__(
        self,
        plans: Sequence[ChildPlan],
        folder: RunFolder,
        *,
        environment: Mapping[str, str],
        fallback: Mapping[str, str] | None = None,
        on_look: Callable[[], None] = lambda: None,
        pace: RestartPolicy | None = None,
    ) -> None:
        self._pace = pace or RestartPolicy()
        self._folder = folder
        self._children = [Child(plan, self._pace) for plan in plans]
        self._token = secrets.token_hex(16)
        self._environment = {**environment, processes.TOKEN_VARIABLE: self._token}
        self._fallback = fallback or {}
        self._on_look = on_look
        self._stop_signals = 0
        self._next_status_at = 0.0

    def run(self) -> None:
        """Keep the children running until SIGTERM, SIGINT or a SIGHUP that is not ignored."""
        self._folder.stopping.unlink(missing_ok=True)
        self._remember()  # the token is on disk before the first child carries it
        signals = [signal.SIGTERM, signal.SIGINT]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup lets it be ignored
            signals.append(signal.SIGHUP)
        before = {number: signal.signal(number, self._note_signal) for number in signals}
        try:
            while not self._stop_signals:
                self._check_children()
                time.sleep(self._pace.look_every_s)
        finally:
            self._stop()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop_signals += 1

    def _check_children(self) -> None:
        changed = False
        for child in self._children:
            changed |= child.collect_exit()
            if self._fallback and child.failed_starts >= FAILED_STARTS:
                self._fall_back(child)
            if child.is_due():
                child.start(self._environment)
                changed = True
        if changed:
            self._remember()
        if changed or time.monotonic() >= self._next_status_at:
            self._watch_progress()
            self._write_status("running")
            self._next_status_at = time.monotonic() + self._pace.status_every_s
        self._on_look()

    def _fall_back(self, failing: Child) -> None:
        """Start all children again with the environment that is known to work."""
        logger.error("%s does not start; going on with %s", failing.plan.name, self._fallback)
        self._environment |= self._fallback
        self._fallback = {}
        for child in self._children:
            child.kill()

    def _watch_progress(self) -> None:
        for child in self._children:
            stalled = [watch.sign for watch in child.watches if watch.is_stalled()]
            if stalled and child.pid:
                logger.error(
                    "%s has made no progress (%s) for %.0f s although work is waiting;"
                    " restarting it",
                    *(child.plan.name, stalled[0].file.name, stalled[0].stall_after_s),
                )
                child.kill()

    def _stop(self) -> None:
        """Wait for all children for the grace time, then end those that are left."""
        self._write_status("stopping")
        self._flag_stopping()
        for child in self._children:
            child.request_stop()
        deadline = time.monotonic() + self._pace.grace_s
        # A second Ctrl-C means: now.
        while time.monotonic() < deadline and self._stop_signals < 2:
            if all(child.has_stopped() for child in self._children):
                break
            time.sleep(self._pace.look_every_s / 5)
        for child in self._children:
            child.kill()
            child.has_stopped()
        self._folder.stopping.unlink(missing_ok=True)
        self._folder.children.unlink(missing_ok=True)
        self._write_status("stopped")

    def _flag_stopping(self) -> None:
        try:
            self._folder.stopping.touch()
        except OSError as error:
            logger.warning("Running tasks cannot be stopped early: %s", error)

    def _remember(self) -> None:
        records = [record for child in self._children if (record := child.record())]
        try:
            self._folder.remember(self._token, records)
        except OSError as error:  # a full disk must not stop what still works
            logger.error("Cannot note the children: %s", error)

    def _write_status(self, state: str) -> None:
        children = {child.plan.name: child.report() for child in self._children}
        status = {"time": time.time(), "pid": os.getpid(), "state": state, "children": children}
        try:
            self._folder.write(self._folder.status, status)
        except OSError as error:
            logger.error("Cannot write the status: %s", error)
