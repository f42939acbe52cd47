"""Undo what a clock that ran ahead has left in the tables."""

from datetime import datetime, timedelta

from crawler.models import FrontierEntry, Site
from crawler.models.web import EPOCH
from crawler.revisit.sources import TOMBSTONE

#: No site is put off further than a day (Retry-After, budgets, robots.txt), and no URL further
#: than a failing source. What is further ahead was written by a clock that has been set back since.
FURTHEST = timedelta(hours=26)
FURTHEST_URL = TOMBSTONE + timedelta(hours=2)
#: How long a site rests whose clock cannot be believed.
REST = timedelta(seconds=60)


def clamp_future_timestamps(now: datetime) -> int:
    """Set times further ahead than any we write back to now. Return how many."""
    limit = now + FURTHEST
    new = FrontierEntry.objects.filter(state=FrontierEntry.State.NEW)
    waiting = new.filter(not_before__gt=now + FURTHEST_URL)
    resting = Site.objects.filter(next_fetch_at__gt=limit)
    ruled = Site.objects.filter(robots_until__gt=limit)
    return (
        waiting.update(not_before=now)
        + resting.update(next_fetch_at=now + REST)
        + ruled.update(robots_until=EPOCH)
    )
