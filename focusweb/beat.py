"""The cluster's sign of life: a file it touches, whose age the supervisor watches."""

import logging
from pathlib import Path
from typing import Any

from django_q.signals import post_execute, post_spawn

logger = logging.getLogger(__name__)

# Not when a worker has done a task, but when its result was noted and the queue told: who
# does that may hang too, and then every task comes again and again.
MOMENTS = (post_spawn, post_execute)
LISTENER = "focusweb.beat"


def connect_beat(beat: Path) -> None:
    """Touch `beat` whenever this process starts as a worker, or notes a task's result."""

    def touch(**_kwargs: Any) -> None:
        try:
            beat.touch()
        except OSError as error:  # a full disk must not take the worker down with it
            logger.warning("Cannot touch %s: %s", beat, error)

    for moment in MOMENTS:
        moment.connect(touch, weak=False, dispatch_uid=LISTENER)
