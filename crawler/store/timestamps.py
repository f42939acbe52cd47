"""Undo what a clock that ran ahead has left in the tables."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from crawler.models import FrontierEntry, Harvest, Run, Site, Source
from crawler.models.web import EPOCH
from crawler.revisit.sources import TOMBSTONE

#: No site is put off further than a day (Retry-After, budgets, robots.txt), and no URL further
#: than a failing source. What is further ahead was written by a clock that has been set back since.
FURTHEST = timedelta(hours=26)
FURTHEST_URL = TOMBSTONE + timedelta(hours=2)
#: How long a site rests whose clock cannot be believed.
REST = timedelta(seconds=60)
#: What happened cannot lie further ahead; the clocks of two machines may differ by less.
MAX_SKEW = timedelta(minutes=5)
_OF_RUNS = ("started", "ended", "progress_at")
_OF_SOURCES = ("since", "visited", "last_new", "failing_since", "failed", "asked")


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
        + _past_events(now)
    )


def _past_events(now: datetime) -> int:
    """Times of visits and finds: a source that was visited in the future would rest until then."""
    runs = _ahead(Run.objects.all(), _OF_RUNS, now)
    sources = _ahead(Source.objects.all(), _OF_SOURCES, now)
    # All URLs are read of these crawls only.
    crawls = {*runs.values_list("crawl", flat=True), *sources.values_list("crawl", flat=True)}
    if not crawls:
        return 0
    of_crawls = {"crawl__in": crawls}
    healed = _set_back(FrontierEntry.objects.filter(**of_crawls), ("found", "ended"), now)
    healed += _set_back(Harvest.objects.filter(**of_crawls), ("first_seen",), now)
    # These are last, as they are the sign by which a crawl is known.
    numbers = list(runs.order_by("started", "pk").values_list("pk", flat=True))
    for place, number in enumerate(reversed(numbers), start=1):
        # In their order: the latest is the last run of its topic.
        moment = now - timedelta(microseconds=place)
        healed += _set_back(Run.objects.filter(pk=number), _OF_RUNS, now, moment)
    return healed + _set_back(Source.objects.filter(**of_crawls), _OF_SOURCES, now)


def _ahead(rows: QuerySet[Any], names: Sequence[str], now: datetime) -> QuerySet[Any]:
    """Keep rows of which one of these times lies further ahead than possible."""
    condition = Q()
    for name in names:
        condition |= Q(**{f"{name}__gt": now + MAX_SKEW})
    return rows.filter(condition)


def _set_back(
    rows: QuerySet[Any], names: Sequence[str], now: datetime, moment: datetime | None = None
) -> int:
    """Set such times of some rows to a moment, by default to now. Return how many."""
    return sum(_ahead(rows, [name], now).update(**{name: moment or now}) for name in names)
