"""The folder where a running FocusWeb keeps its lock, its children, its beat and its state."""

import contextlib
import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from focusweb.runtime import processes

logger = logging.getLogger(__name__)


class StartError(Exception):
    """FocusWeb cannot start here and now; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ChildRecord:
    """A child as remembered on disk, for the next start to recognise."""

    name: str
    pid: int
    started: str


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The files through which processes of one data folder know of each other."""

    path: Path

    @property
    def beat(self) -> Path:
        """Touched when a worker starts, and when a task's result has been noted."""
        return self.path / "beat"

    @property
    def pulse(self) -> Path:
        """Touched every few seconds while a worker works on a task."""
        return self.path / "pulse"

    @property
    def posted(self) -> Path:
        """Touched when pages have come in that the index does not know yet."""
        return self.path / "posted"

    @property
    def ended(self) -> Path:
        """Touched when a run has ended."""
        return self.path / "ended"

    def job(self, name: str) -> Path:
        """Touched when the timer has finished a round of what it does under this name."""
        return self.path / f"timer-{name}"

    @property
    def stopping(self) -> Path:
        """There while a stop is under way, so that long tasks can end early."""
        return self.path / "stopping"

    @property
    def status(self) -> Path:
        """What the supervisor sees, for the web pages."""
        return self.path / "status.json"

    @property
    def children(self) -> Path:
        """Which processes were started, for the next start."""
        return self.path / "children.json"

    @contextlib.contextmanager
    def locked(self, address: str) -> Iterator[None]:
        """Hold the folder's lock; only one supervisor can.

        Raises
        ------
        StartError
            If another process holds it; names that process and its address.
        """
        with (self.path / "lock").open("a+") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                handle.seek(0)
                raise StartError(_who_runs(handle.read(), self.path.parent)) from error
            handle.truncate(0)
            handle.write(f"{os.getpid()} {address}")
            handle.flush()
            yield

    @contextlib.contextmanager
    def timing(self) -> Iterator[None]:
        """Hold the lock of the timer; the system releases it when its holder ends.

        Raises
        ------
        StartError
            If another process holds it.
        """
        with (self.path / "timer.lock").open("a") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise StartError("The timer of this data folder runs already.") from error
            yield

    @contextlib.contextmanager
    def migrating(self, on_wait: Callable[[], None]) -> Iterator[None]:
        """Hold the lock of changes to the tables; calls `on_wait` if that has to be waited for."""
        with (self.path / "migrating").open("a") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:  # Not a fault: they take turns.
                on_wait()
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def write(self, file: Path, content: dict[str, Any]) -> None:
        """Replace a file in one step, so that readers never see half of it."""
        fresh = file.with_suffix(".new")
        fresh.write_text(json.dumps(content, indent=1))
        fresh.replace(file)

    def remember(self, token: str, records: list[ChildRecord]) -> None:
        """Note the children of this run."""
        children = [asdict(record) for record in records]
        self.write(self.children, {"token": token, "children": children})

    def end_stale_children(self) -> int:
        """End what an earlier run that was killed left behind; return how many processes."""
        try:
            noted = json.loads(self.children.read_text())
            token = str(noted["token"])
            records = [ChildRecord(**child) for child in noted["children"]]
        except FileNotFoundError:
            return 0
        except (ValueError, KeyError, TypeError) as error:
            logger.warning("%s is damaged and ignored: %s", self.children, error)
            return 0
        ended = processes.end_all(lambda: processes.started_by(token))
        # The environment of a process can be overwritten by itself. Number and start time
        # together name a process without doubt, a number alone may have been given away.
        for record in records:
            if processes.start_time(record.pid) == record.started != "":
                ended += processes.end_session(record.pid)
        return ended


def _who_runs(note: str, data_folder: Path) -> str:
    pid, _, address = note.partition(" ")
    who = f"process {pid}, {address}" if pid and address else "another process"
    return (
        f"FocusWeb is already running for {data_folder} ({who}). "
        "Open that address, stop it with Ctrl-C, or set FOCUSWEB_DATA to another folder."
    )
