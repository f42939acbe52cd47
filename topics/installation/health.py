"""Whether crawls are being worked on: what the supervisor and the timer last wrote."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from crawler.api.machines import n_workers
from focusweb.clock import utc_now
from focusweb.runtime.data_folder import is_nearly_full
from focusweb.runtime.run_folder import RunFolder
from focusweb.runtime.wakeups import NO_QUEUE, Queue, longest_queue, read_queue
from topics.installation.plugin_rows import plugins_in_trouble

#: The supervisor writes its status every 5 s; longer without one is silence.
STALE_S = 30.0
#: A task waits longer than this only when the cluster hangs.
WAIT_STALE_S = 180.0
#: A tick is finished every 30 s, with a round's own time on top.
TICK_STALE_S = 150.0


@dataclass(frozen=True, slots=True)
class WorkerHealth:
    """Whether background work is done.

    Attributes
    ----------
    up : bool
        Whether crawls are being worked on.
    problem : str
        "silent", "down" or "hung" if not; "late" if the timer has not finished a round for too
        long, "crowded" if more tasks wait than ever should; else "".
    tick_age_s : int or None
        Seconds since the timer last finished a round; None if it never did.
    n_queued : int
        Tasks that wait or are in hand.
    """

    up: bool
    problem: str = ""
    tick_age_s: int | None = None
    n_queued: int = 0


def worker_health(run_dir: Path, now_s: float, queue: Queue = NO_QUEUE) -> WorkerHealth:
    """Judge the background worker by the files in the run folder, and its queue."""
    folder = RunFolder(run_dir)
    stops = _why_stopped(folder, now_s)
    if not stops and queue.longest_wait_s > WAIT_STALE_S:
        stops = "hung"
    ticked_s = _modified(folder.job("tick"))
    age_s = None if ticked_s is None else max(0, int(now_s - ticked_s))
    problem = stops
    # A timer that has not finished its first round yet is not late: the supervisor watches it.
    if not stops and age_s is not None and age_s > TICK_STALE_S:
        problem = "late"
    elif not stops and queue.n_tasks > longest_queue():
        problem = "crowded"
    return WorkerHealth(not stops, problem, age_s, queue.n_tasks)


def _why_stopped(folder: RunFolder, now_s: float) -> str:
    """Why no work is done, or ""."""
    try:
        status = json.loads(folder.status.read_text("utf-8"))
        written_s = float(status["time"])
        stopped = status.get("state") == "stopped"
        children = status["children"]
        # Other machines crawl, if this one does not.
        state = children["cluster"]["state"] if "cluster" in children else _elsewhere()
    except (OSError, ValueError, KeyError, TypeError):
        # No file, or one half written by a process that died: no supervisor runs.
        return "silent"
    # A moment to come is of a clock that was set back since.
    if stopped or abs(now_s - written_s) > STALE_S:
        return "silent"
    return "" if state == "up" else "down"


def _elsewhere() -> str:
    return "up" if n_workers(utc_now()) else "down"


def health_context(request: HttpRequest) -> dict[str, Any]:
    """Give templates of signed-in people the state of the worker."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "worker": worker_health(settings.RUN_DIR, time.time(), read_queue()),
        "disk_nearly_full": is_nearly_full(settings.DATA_DIR),
        # Names of plugins and their errors are for those who can do something about them.
        "failed_plugins": plugins_in_trouble() if user.is_staff else (),
    }


def _modified(file: Path) -> float | None:
    try:
        return file.stat().st_mtime
    except OSError:
        return None
