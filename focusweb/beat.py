"""The workers' sign of life: a file they touch, whose age the supervisor watches."""

import logging
from pathlib import Path
from typing import Any

from django_q.signals import post_execute_in_worker, post_spawn, pre_execute

logger = logging.getLogger(__name__)

MOMENTS = (post_spawn, pre_execute, post_execute_in_worker)
LISTENER = "focusweb.beat"


def connect_beat(beat: Path) -> None:
    """Touch `beat` whenever a worker of this process starts, takes or finishes a task."""

    def touch(**_kwargs: Any) -> None:
        try:
            beat.touch()
        except OSError as error:  # a full disk must not take the worker down with it
            logger.warning("Cannot touch %s: %s", beat, error)

    for moment in MOMENTS:
        moment.connect(touch, weak=False, dispatch_uid=LISTENER)
