"""What is due by the clock, done beside the task queue.

Each job is a thread that does one thing again and again, so that none waits for another, or
for a crawl. A job that fails logs the error and goes on; one that hangs is seen by the supervisor,
which kills this process and starts it again. Two timers at once do no harm: every round finds
in the tables what is left to do, and claims it there.
"""

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from django.db import close_old_connections, connection

from crawler.api.machines import ROLES
from crawler.api.tasks import recover_runs, recover_sites
from focusweb.clock import follow_database
from focusweb.database_faults import fault_of
from focusweb.runtime.heartbeat import touch
from focusweb.runtime.run_folder import RunFolder
from topics import tasks
from topics.search.errors import EngineMissingError

logger = logging.getLogger(__name__)

#: Twice in the minute that is promised: a round of its own may take a while.
TICK_EVERY_S = 30.0
POLL_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """A job to do at an interval.

    Attributes
    ----------
    every_s : float
        From the end of a round to the begin of the next.
    do : callable
        Does a round; calls what it is given whenever it has come on.
    is_wanted : callable
        Whether the next round should begin now.
    """

    name: str
    every_s: float
    do: Callable[[Callable[[], None]], object]
    is_wanted: Callable[[], bool] = lambda: False


def jobs(folder: RunFolder, roles: Collection[str] = ROLES) -> list[PeriodicJob]:
    """Return what the timer does on a machine with some roles; by default, everything."""
    if "index" not in roles:
        # The rest is for one machine: the index is a folder of it, as are mails kept as files.
        return [
            PeriodicJob("runs", 2.0, lambda on: recover_runs()),
            PeriodicJob("sites", TICK_EVERY_S, lambda on: recover_sites()),
        ]
    return [
        PeriodicJob("tick", TICK_EVERY_S, lambda on: tasks.tick(), Change(folder.ended)),
        PeriodicJob("runs", 2.0, lambda on: recover_runs()),
        PeriodicJob("index", 10.0, lambda on: tasks.index(), Change(folder.posted)),
        PeriodicJob("mail", 5.0, tasks.deliver),
        PeriodicJob("channels", 5.0, tasks.send_to_channels),
    ]


class Change:
    """Whether a file was touched since the last call."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen = self._moment()

    def _moment(self) -> int:
        try:
            return self._file.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def __call__(self) -> bool:
        before, self._seen = self._seen, self._moment()
        return self._seen != before


def run(folder: RunFolder, jobs: list[PeriodicJob], stop: threading.Event) -> None:
    """Keep the jobs going until `stop` is set.

    Raises
    ------
    StartError
        If a timer of this folder runs already.
    """
    with folder.timing():
        for job in jobs:
            # Daemons: a round that is under way at the end may be left, like by any death.
            threading.Thread(
                target=_keep_going,
                args=(job, folder.job(job.name), stop),
                name=job.name,
                daemon=True,
            ).start()
        stop.wait()


def _keep_going(job: PeriodicJob, finished: Path, stop: threading.Event) -> None:
    try:
        while not stop.is_set():
            _do_round(job, finished)
            rest_s = job.every_s
            while rest_s > 0 and not stop.wait(min(rest_s, POLL_EVERY_S)) and not job.is_wanted():
                rest_s -= POLL_EVERY_S
    finally:
        connection.close()  # the one of this thread


def _do_round(job: PeriodicJob, finished: Path) -> None:
    close_old_connections()
    try:
        follow_database()
        job.do(lambda: touch(finished))
    except Exception as error:  # A worker loop: the next round finds the same work.
        # What the operator has to change needs no traceback: a disk, another machine, a setting.
        if fault_of(error) or isinstance(error, EngineMissingError):
            reason = str(error).strip().partition("\n")[0]
            logger.error("timer: a round of %s failed: %s", job.name, reason)
        else:
            logger.exception("timer: a round of %s failed", job.name)
        connection.close()
    else:
        touch(finished)
