"""Which source to visit next: feeds, sitemaps, hubs and searches, by what they may bring."""

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, TypeVar

from crawler.revisit.listed import Growth
from crawler.revisit.rate import ANY_SOURCE, Rate

Key = TypeVar("Key", bound=Hashable)

#: No source is given up because it was silent: one of this rate is seen every few weeks.
FLOOR_PER_DAY: Final = 0.02
#: The cost of a visit, in requests; one that is answered "not changed" is a burden for the site,
#: too.
COST: Final = 1.0
#: The cost at a source of a young site. It is lower, so that the visit comes after a fifth of the
#: time: few other pages link to its pages yet, and its first pages matter most.
COST_YOUNG_SITE: Final = 0.04
#: When so much of a list is new, items have probably dropped off its end unseen.
OVERFLOW_SHARE: Final = 0.8
MIN_LISTED: Final = 5
#: After so many failures in a row, or so long a silence, a source is left alone.
MAX_FAILURES: Final = 5
MAX_SILENCE: Final = timedelta(days=180)
FIRST_PAUSE: Final = timedelta(hours=1)
LONGEST_PAUSE: Final = timedelta(days=7)
#: But for one look in so long: many sites come back.
TOMBSTONE: Final = timedelta(days=30)

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class SourceState:
    """The state of a source.

    Attributes
    ----------
    since : datetime
        When it became known.
    visited : datetime or None
        Last look that worked; None for none.
    last_new : datetime or None
        Last look that brought something on topic.
    overflowed : bool
        At the last look, items had probably been missed.
    failures : int
        Looks in a row that failed.
    failing_since, failed : datetime or None
        First and last of those.
    named : bool
        A user named it: silence does not make the crawl give it up.
    """

    since: datetime
    rate: Rate = field(default=ANY_SOURCE)
    visited: datetime | None = None
    last_new: datetime | None = None
    overflowed: bool = False
    failures: int = 0
    failing_since: datetime | None = None
    failed: datetime | None = None
    named: bool = False

    def after_visit(
        self, now: datetime, n_new: int, n_listed: int, grew: Growth | None = None
    ) -> "SourceState":
        """Return a successful visit; it also revives a source that was given up.

        Parameters
        ----------
        n_new : int
            Items on topic that were not known.
        n_listed : int
            Items listed in all.
        grew : Growth, optional
            How the list grew on topic before the first look, by the dates in it; a later look
            knows better.

        Notes
        -----
        What the first visit finds says nothing about the rate, as it piled up over unknown time:
        only dates show that (*Resolved*).
        """
        first = self.visited is None
        rate = self.rate
        if not first:
            rate = rate.after(self.days_waited(now), n_new)
        elif grew is not None:
            rate = rate.after_growth(grew)
        full = n_listed >= MIN_LISTED and n_new >= OVERFLOW_SHARE * n_listed
        return replace(
            self,
            rate=rate,
            visited=now,
            last_new=now if n_new or first else self.last_new,
            overflowed=full and not first,
            failures=0,
            failing_since=None,
            failed=None,
        )

    def after_failure(self, now: datetime) -> "SourceState":
        """Return a visit that failed."""
        return replace(
            self,
            failures=self.failures + 1,
            failing_since=self.failing_since or now,
            failed=now,
        )

    def days_waited(self, now: datetime) -> float:
        """Days since it was last seen, >= 0."""
        return max(0.0, (now - (self.visited or self.since)) / _DAY)

    def is_given_up(self, now: datetime) -> bool:
        """True for a source that is left alone but for one look every `TOMBSTONE`."""
        silent = not self.named and now - (self.last_new or self.since) > MAX_SILENCE
        return self.failures >= MAX_FAILURES or silent

    def may_be_tried(self, now: datetime) -> bool:
        """False while it rests after failures; each rest is twice as long."""
        return now >= self.next_try(now)

    def next_try(self, now: datetime) -> datetime:
        """The first moment at which it may be visited; `now` or before if it may be already."""
        tried = max(filter(None, (self.visited, self.failed)), default=self.since)
        if self.is_given_up(now):
            return tried + TOMBSTONE
        if self.failed is None:
            return tried
        pause: timedelta = FIRST_PAUSE * (1 << min(self.failures - 1, 20))
        return self.failed + min(pause, LONGEST_PAUSE)


def visit_index(state: SourceState, now: datetime, *, cost: float = COST) -> float:
    """Compute how much a visit of a source is worth now; visit the largest first.

    Parameters
    ----------
    cost : float
        What the look counts for, > 0.

    Returns
    -------
    float
        >= 0, and infinite for a source that was never seen.

    Raises
    ------
    ValueError
        If `cost` is not positive.

    References
    ----------
    Crawl methods C7: max(rate, floor) days^2 / cost, the gain in total waiting per visit.
    A list that overflowed is wanted after half the time: four times the index.
    """
    if cost <= 0:
        raise ValueError(f"the cost of a visit must be positive, got {cost}")
    if state.visited is None:
        return math.inf
    rate, days = max(state.rate.per_day, FLOOR_PER_DAY), state.days_waited(now)
    if state.overflowed:
        days *= 2
    return rate * days**2 / cost


def visit_order(
    states: Mapping[Key, SourceState], now: datetime, *, of_young_sites: Collection[Key] = ()
) -> list[Key]:
    """Order sources for a run, best first.

    Parameters
    ----------
    of_young_sites : collection of key
        Sources whose sites are young: a visit of one costs `COST_YOUNG_SITE`.

    Returns
    -------
    list of keys
        Without those that rest, those that were given up for long; equal ones as in `states`.
    """
    ready = {
        key: visit_index(state, now, cost=COST_YOUNG_SITE if key in of_young_sites else COST)
        for key, state in states.items()
        if state.may_be_tried(now)
    }
    return sorted(ready, key=lambda key: -ready[key])
