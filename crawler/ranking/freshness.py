"""What is news: the one rule for the dashboard, alerts and digests."""

from datetime import datetime, timedelta
from typing import Final

#: How long a site counts as new.
NEW_SITE: Final = timedelta(days=30)


#: In so large a share of a topic's window news lose half their weight.
HALVED_IN: Final = 1 / 15
_DAY: Final = timedelta(days=1)


def half_life_days(window_days: int) -> int:
    """In how many days news lose half their weight unless a person says so, at least 1."""
    return max(round(HALVED_IN * window_days), 1)


def freshness_weight(age: timedelta, half_life: int) -> float:
    """What a page's score counts by when news are put in order, in (0, 1].

    Links come with time: by their score alone the pages of last week would stand before
    what is new until they leave the window.

    Parameters
    ----------
    age : timedelta
        Since it was published, or first seen; what lies ahead counts as now.
    half_life : int
        Days in which news lose half their weight; 0 for never.
    """
    return float(0.5 ** (max(age / _DAY, 0.0) / half_life)) if half_life else 1.0


def is_baseline(
    published: datetime | None,
    *,
    first_run: bool,
    was_there: bool,
    known_before: bool = False,
    last_look: datetime | None = None,
) -> bool:
    """True for a page from before the topic was watched: it is not news, whenever it is found.

    Parameters
    ----------
    published : datetime or None
        None for unknown.
    first_run : bool
        The crawl's first run fetched it.
    was_there : bool
        The first run knew its link, or the link stood on a page that was not news itself when it
        was first fetched: a source, a seed, a page from the beginning.
    known_before : bool, default False
        Its text was stored before the crawl began.
    last_look : datetime, optional
        As `crawler.revisit.listed.news_since` says: when the run before this one began, or
        two days ago.

    Returns
    -------
    bool
        A page that says it is younger than that is new, wherever its link was found.
    """
    if first_run:
        return True
    if not was_there and not known_before:
        return False
    return published is None or last_look is None or published < last_look


def is_new_site(site_first_seen: datetime, baseline: datetime | None, now: datetime) -> bool:
    """True for a site first seen lately, and not by the crawl's silent first run.

    `baseline` is when that run ended, None while it goes on.
    """
    return baseline is not None and site_first_seen > max(baseline, now - NEW_SITE)
