"""Whether crawls are being worked on: what the supervisor last wrote."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from focusweb.disk import is_nearly_full
from focusweb.plugins import plugins

#: The supervisor writes its status every 5 s; so long without is silence.
STALE_S = 30.0
#: The cluster's heartbeat is older than this only when it hangs.
BEAT_STALE_S = 180.0


@dataclass(frozen=True, slots=True)
class WorkerHealth:
    """Whether background work is done, and if not why: "silent", "down" or "hung"."""

    up: bool
    problem: str = ""


def worker_health(run_dir: Path, now_s: float) -> WorkerHealth:
    """Judge the background worker by the files in the run folder."""
    try:
        status = json.loads((run_dir / "status.json").read_text("utf-8"))
        written_s = float(status["time"])
        state = status["children"]["cluster"]["state"]
    except (OSError, ValueError, KeyError, TypeError):
        # No file, or one half written by a process that died: nobody supervises.
        return WorkerHealth(False, "silent")
    if now_s - written_s > STALE_S:
        return WorkerHealth(False, "silent")
    if state != "up":
        return WorkerHealth(False, "down")
    beat_s = _modified(run_dir / "beat")
    if beat_s is not None and now_s - beat_s > BEAT_STALE_S:
        return WorkerHealth(False, "hung")
    return WorkerHealth(True)


def health_context(request: HttpRequest) -> dict[str, Any]:
    """Tell templates of signed-in people whether the worker runs."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {
        "worker": worker_health(settings.RUN_DIR, time.time()),
        "disk_nearly_full": is_nearly_full(settings.DATA_DIR),
        # Names of plugins and their errors are for those who can do something about them.
        "failed_plugins": plugins().failures if user.is_staff else (),
    }


def _modified(file: Path) -> float | None:
    try:
        return file.stat().st_mtime
    except OSError:
        return None
