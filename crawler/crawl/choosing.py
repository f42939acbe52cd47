"""Which waiting URLs come next: the strategy's choice, within the limits of the topic."""

import math
import random
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from crawler.crawl.blackboard import Blackboard
from crawler.crawl.strategy_state import state_of
from crawler.judging.context import CrawlContext
from crawler.ranking.breadth import site_cap, within_site
from crawler.strategies.base import FrontierView, Waiting
from crawler.strategies.link_notes import SOURCE

#: Share of the URLs of a later run that goes to links that were missing at an earlier visit of
#: their page, if any wait: they lead to something new, the older links do not.
FRESH_SHARE: Final = 0.75
#: Before them come the run's own starting points, up to such a share: visits to sources bring what
#: is newest, and must not wait behind the finds of earlier visits.
START_SHARE: Final = 0.75


def choose(
    board: Blackboard,
    context: CrawlContext,
    n_wanted: int,
    now: datetime,
    rng: random.Random,
    *,
    per_site: int,
    in_flight: bool,
) -> list[Waiting]:
    """Choose the next URLs, at most `n_wanted`, best first.

    Sites that gave the run their share come last: when nothing waits or is under way at
    others. Blocked sites never come.
    """
    settings = context.settings
    blocked = settings.blocked_sites
    cap = site_cap(settings.breadth, settings.n_pages)
    full = blocked if cap is None else blocked | board.sites_with_requests(cap)
    width = per_site if cap is None else min(per_site, cap)
    chosen = _chosen(board, context, n_wanted, now, rng, width, full)
    if not chosen and not in_flight and full != blocked:
        chosen = _chosen(board, context, n_wanted, now, rng, per_site, blocked)
    return chosen


def _chosen(
    board: Blackboard,
    context: CrawlContext,
    n_wanted: int,
    now: datetime,
    rng: random.Random,
    per_site: int,
    without: Collection[str],
) -> list[Waiting]:
    state, strategy = state_of(board, context), context.strategy
    chosen: list[Waiting] = []
    fresh = board.fresh_view(now, n_per_site=per_site, without=without)
    view = board.view(now, n_per_site=per_site, without=without)
    if fresh is not None:
        n_start = min(_n_starting(view, n_wanted), int(START_SHARE * n_wanted))
        n_fresh = math.ceil(FRESH_SHARE * (n_wanted - n_start))
        chosen = _find(fresh, strategy.choose(fresh, n_fresh, state, rng)[:n_fresh], n_fresh)
    best = _find(view, strategy.choose(view, n_wanted, state, rng)[:n_wanted], n_wanted)
    taken = {entry.key for entry in chosen}
    chosen += [entry for entry in best if entry.key not in taken]
    return within_site(chosen, per_site)[:n_wanted]


def _n_starting(view: FrontierView, n_wanted: int) -> int:
    """How many of the best that wait are starting points of the run: seeds, sources, known pages.

    A known page keeps its depth; the source in its notes distinguishes it from a link.
    """
    best = view.waiting(n_wanted)
    return sum(entry.depth_hops == 0 or bool(entry.memo.get(SOURCE)) for entry in best)


def _find(view: FrontierView, keys: Sequence[int], n_read: int) -> list[Waiting]:
    """The waiting URLs of these keys, in their order; a key that does not wait is left out."""
    wanted = dict.fromkeys(keys)
    if not wanted:
        return []
    # Most strategies take of the best `n_read`, which the view has read: the rest need not be.
    for n in (n_read, None):
        waiting = {entry.key: entry for entry in view.waiting(n)}
        if wanted.keys() <= waiting.keys():
            break
    return [waiting[key] for key in wanted if key in waiting]
