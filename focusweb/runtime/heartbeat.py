"""The cluster's signs of life: files it touches, whose age the supervisor watches.

Two files, because two things may hang. The *beat* shows that results are stored: the process that
does so may hang while workers go on, and then every task comes again and again. The *pulse* shows
that a worker works: a worker that is killed while it waits for a task takes the queue's lock with
it, and then no other worker gets one.
"""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import Error
from django_q.signals import post_execute, post_execute_in_worker, post_spawn, pre_execute

from focusweb.runtime import wakeups
from focusweb.runtime.run_folder import RunFolder

logger = logging.getLogger(__name__)

LISTENER = "focusweb.beat"
#: While a worker works, its pulse is touched this often.
PULSE_EVERY_S = 3.0


class _Heartbeat:
    """Touches the pulse file of this worker while it works on a task."""

    def __init__(self, folder: RunFolder, every_s: float) -> None:
        self._folder, self._every_s = folder, every_s
        self._busy = threading.Event()

    def live(self, **_kwargs: Any) -> None:
        """Start the thread that touches the file."""
        threading.Thread(target=self._touch_for_ever, name="pulse", daemon=True).start()
        self.stop()

    def start(self, **_kwargs: Any) -> None:
        """A task has begun."""
        self._busy.set()

    def stop(self, **_kwargs: Any) -> None:
        """A task has ended."""
        self._busy.clear()
        touch(self._folder.pulse)

    def _touch_for_ever(self) -> None:
        pause = threading.Event()
        while True:
            self._busy.wait()
            touch(self._folder.pulse)
            pause.wait(self._every_s)


def connect_beat(folder: RunFolder, *, pulse_every_s: float = PULSE_EVERY_S) -> None:
    """Let this process touch its files in `folder` whenever it is part of a cluster."""
    pulse = _Heartbeat(folder, pulse_every_s)

    def beat(**_kwargs: Any) -> None:
        touch(folder.beat)

    listeners: tuple[tuple[Any, Callable[..., None], str], ...] = (
        (post_spawn, beat, "beat"),
        # Not when a worker has done a task, but when its result is stored and the queue updated.
        (post_execute, beat, "beat"),
        (post_spawn, pulse.live, "pulse"),
        (pre_execute, pulse.start, "pulse"),
        (post_execute_in_worker, pulse.stop, "pulse"),
        (pre_execute, forget_wakeup, "wakeup"),
    )
    for moment, listener, name in listeners:
        moment.connect(listener, weak=False, dispatch_uid=f"{LISTENER}.{name}")


def forget_wakeup(task: dict[str, Any], **_kwargs: Any) -> None:
    """Delete the wake-up that a collector begins with: who is killed leaves none behind."""
    if task.get("func") != wakeups.WORK or "ack_id" not in task:
        return
    try:
        wakeups.delete_wakeup(task["ack_id"])
    except Error as error:  # Then it comes once more, which does no harm.
        logger.warning("Cannot delete a wake-up: %s", error)


def touch(file: Path) -> None:
    """Touch a file; a full disk must not take the process down with it."""
    try:
        file.touch()
    except OSError as error:
        logger.warning("Cannot touch %s: %s", file, error)
