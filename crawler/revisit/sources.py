"""Which source to look at next: feeds, sitemaps, hubs and searches, by what they may bring."""

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
#: Cost of a visit, in requests, when the server says that nothing has changed.
COST_UNCHANGED: Final = 0.2
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
#: Shorter half-lives of interest would starve slow sources.
MIN_INTEREST_DAYS: Final = 7.0
#: A look at a source of a new site is worth so many others, so that it comes after half the
#: time: few others tell of its pages yet, and its first ones are why it is watched.
NEW_SITE_WORTH: Final = 4.0

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class SourceState:
    """What is known of a source.

    Attributes
    ----------
    since : datetime
        When it became known.
    rate : Rate
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
        A person named it: silence is no reason to give it up.
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
        """A look that worked; it also revives a source that was given up.

        Parameters
        ----------
        now : datetime
        n_new : int
            Items on topic that were not known.
        n_listed : int
            Items listed in all.
        grew : Growth, optional
            How the list grew on topic before the first look, by the dates in it; a later look
            knows better.

        Notes
        -----
        What the first look finds says nothing about the rate, as it piled up over unknown
        time: only dates tell that (*Resolved*).
        """
        first = self.visited is None
        rate = self.rate
        if not first:
            rate = rate.after(self.days_waited(now), n_new)
        elif grew is not None:
            rate = rate.told(grew)
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
        """A look that failed."""
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
        """The first moment at which it may be looked at; `now` or before if it may be already."""
        tried = max(filter(None, (self.visited, self.failed)), default=self.since)
        if self.is_given_up(now):
            return tried + TOMBSTONE
        if self.failed is None:
            return tried
        pause: timedelta = FIRST_PAUSE * (1 << min(self.failures - 1, 20))
        return self.failed + min(pause, LONGEST_PAUSE)


def visit_index(
    state: SourceState, now: datetime, *, cost: float = 1.0, interest_days: float | None = None
) -> float:
    """Say how much a look at a source is worth now; serve the largest first.

    Parameters
    ----------
    state : SourceState
    now : datetime
    cost : float, default 1.0
        Requests of a visit, > 0; `COST_UNCHANGED` for one that is mostly answered by 304.
    interest_days : float, optional
        Half-life of the interest in an item; without it, items never lose interest.

    Returns
    -------
    float
        >= 0, and infinite for a source that was never seen.

    Raises
    ------
    ValueError
        If `cost` is not positive, or `interest_days` is under `MIN_INTEREST_DAYS`.

    References
    ----------
    Crawl methods C7: max(rate, floor) days^2 / cost, the gain in total waiting per visit;
    with decaying interest (rate/mu)(1 - (1 + mu days) e^(-mu days)). A list that overflowed
    is wanted after half the time: four times the index.
    """
    if cost <= 0:
        raise ValueError(f"the cost of a visit must be positive, got {cost}")
    if interest_days is not None and interest_days < MIN_INTEREST_DAYS:
        raise ValueError(
            f"interest may not halve in under {MIN_INTEREST_DAYS} days, got {interest_days}"
        )
    if state.visited is None:
        return math.inf
    rate, days = max(state.rate.per_day, FLOOR_PER_DAY), state.days_waited(now)
    if state.overflowed:
        days *= 2
    if interest_days is None:
        return rate * days**2 / cost
    mu = math.log(2) / interest_days
    # 2 / mu^2 brings both forms to one scale: they agree when interest never fades.
    return rate * 2 / mu**2 * (1 - (1 + mu * days) * math.exp(-mu * days)) / cost


def visit_order(
    states: Mapping[Key, SourceState],
    now: datetime,
    costs: Mapping[Key, float] | None = None,
    *,
    of_new_sites: Collection[Key] = (),
) -> list[Key]:
    """Order sources for a run, best first.

    Parameters
    ----------
    states : mapping of key to SourceState
    now : datetime
    costs : mapping of key to float, optional
        Requests per visit; 1 where it says nothing.
    of_new_sites : collection of key
        Sources whose sites are new: their index counts `NEW_SITE_WORTH` times.

    Returns
    -------
    list of keys
        Without those that rest, those that were given up for long; equal ones as in `states`.
    """
    ready = {
        key: visit_index(state, now, cost=(costs or {}).get(key, 1.0))
        * (NEW_SITE_WORTH if key in of_new_sites else 1.0)
        for key, state in states.items()
        if state.may_be_tried(now)
    }
    return sorted(ready, key=lambda key: -ready[key])
