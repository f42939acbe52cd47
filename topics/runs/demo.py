"""The first minutes of the sample topics: the demo's clock starts, and runs follow it."""

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from focusweb.demo.web import MINUTES, clock_start
from topics.errors import TopicError
from topics.models import Topic
from topics.runs.start_stop import start_now

#: Least time from the beginning of a run to that of the next while the clock goes.
EVERY: Final = timedelta(seconds=50)
#: The clock starts so far back that the first article is there at once.
HEAD_START: Final = timedelta(minutes=1)
#: Pages of such a run: what a minute brings, and the seeds and feeds that lead to it. Alerts
#: wait for the end of a run, so that more pages would keep a person waiting.
N_PAGES: Final = 18


def follow_clock(now: datetime, clock: Path) -> int:
    """Start the demo's clock after the first runs, and a run of each sample topic a minute.

    Returns
    -------
    int
        Runs that began.
    """
    topics = list(Topic.objects.filter(sample=True, active=True).select_related("crawl"))
    started = clock_start(clock)
    if started is None:
        if not topics or not all(map(_has_first_run, topics)):
            return 0
        _start(clock, now - HEAD_START)
        return sum(_run_again(topic, now, timedelta()) for topic in topics)
    if now > started + timedelta(minutes=MINUTES + 1):
        return 0
    return sum(_run_again(topic, now, EVERY) for topic in topics)


def clock_ends(topic: Topic, now: datetime, clock: Path) -> datetime | None:
    """Return when a topic stops running every minute; None if it does not do so now."""
    started = clock_start(clock) if topic.sample and topic.active else None
    if started is None:
        return None
    end = started + timedelta(minutes=MINUTES + 1)
    return end if now <= end else None


def _start(clock: Path, at: datetime) -> None:
    clock.touch()
    os.utime(clock, (at.timestamp(), at.timestamp()))


def _has_first_run(topic: Topic) -> bool:
    first = topic.crawl.first_run() if topic.crawl else None
    return first is not None and first.ended is not None


def _run_again(topic: Topic, now: datetime, every: timedelta) -> bool:
    last = topic.last_run()
    if last is None or last.ended is None or last.started > now - every:
        return False
    try:
        start_now(topic, now, n_pages=N_PAGES, look=True)
    except TopicError:
        return False  # another process has just started it, or the topic has lost its seeds
    return True
