"""The manager agent: learns from results, calls the strategy, posts assignments."""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType

from msgspec import structs

from crawler.crawl.blackboard import Blackboard
from crawler.crawl.choosing import choose
from crawler.crawl.strategy_state import find_state, signed_state, state_of
from crawler.judging.context import CrawlContext, build_context
from crawler.judging.renewal import renew_scores
from crawler.knowledge.judge import AdaptiveJudgeProtocol, JudgeUpdate
from crawler.page.url import site_of
from crawler.reasons import StopReason
from crawler.strategies.base import EndingStrategy, JudgedPage, Rating, Waiting
from crawler.strategies.link_notes import FIRST_LOOK, SOURCE

#: A run does not wait longer than this for a URL that rests; the next run takes it.
PATIENCE = timedelta(seconds=60)


#: Pages are ranked again when this many, and this share of the run's, have come in.
RANK_BUFFER, RANK_SHARE = 25, 0.3


#: URLs of a run's first assignments; later ones have this part of the pages fetched so far.
#: What is learnt from the first pages changes the whole order (docs/research/first-crawl.md);
#: and no more pages of one template are tried than it takes to see that it brings nothing.
FIRST_SLICE, SLICE_PART = 4, 0.1


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How work is cut.

    Attributes
    ----------
    n_collectors : int
        Assignments of the run open at once.
    slice_pages : int
        Most URLs in an assignment. Early ones are smaller: the order still changes a lot.
    slice_s : float
        Time an assignment should take; with a site's delay it bounds the URLs per site. A
        short time spreads an assignment over sites, which rest at the same time.
    site_delay_s : float
        The usual delay, for that bound.
    """

    n_collectors: int = 1
    slice_pages: int = 100
    slice_s: float = 10.0
    site_delay_s: float = 0.0

    def slice_of(self, n_fetched: int) -> int:
        """URLs of an assignment after `n_fetched` fetched pages."""
        return min(self.slice_pages, max(FIRST_SLICE, int(SLICE_PART * n_fetched)))

    @property
    def per_site(self) -> int:
        """URLs of one site that fit into an assignment, at least 1."""
        if self.site_delay_s <= 0:
            return self.slice_pages
        return max(1, min(self.slice_pages, int(self.slice_s / self.site_delay_s)))


def start(
    board: Blackboard,
    seeds: Sequence[str],
    now: datetime,
    *,
    chance: int = 0,
    found_by: Mapping[str, str] = MappingProxyType({}),
    first_look: Collection[str] = (),
    known: CrawlContext | None = None,
) -> int:
    """Give the strategy its first memory and enter the seeds; how many were new.

    `found_by` names the source of each seed; its notes keep it, as the beginning of a path.
    `first_look` are those that a source brought on its first visit.
    """
    context = known or build_context(board)
    if find_state(board, context) is None:
        first = context.strategy.start(context.profile, seed=chance)
        board.begin(signed_state(context, first))
    rated = [
        (
            url,
            site_of(url),
            _with_source(
                context.strategy.rate_seed(position), found_by.get(url), url in first_look
            ),
        )
        for position, url in enumerate(dict.fromkeys(seeds))
    ]
    return board.add_seeds(rated, now)


def _with_source(rating: Rating, source: str | None, first_look: bool) -> Rating:
    if not source:
        return rating
    notes = {SOURCE: source} | ({FIRST_LOOK: True} if first_look else {})
    return structs.replace(rating, memo={**rating.memo, **notes})


def integrate(board: Blackboard, now: datetime, known: CrawlContext | None = None) -> int:
    """Learn from what was fetched since the last interval; how many pages that was."""
    pages = board.unintegrated()
    if not pages:
        return 0
    context = known or build_context(board)
    state = state_of(board, context)
    view = board.view(now, n_per_site=1_000_000)
    answer = context.strategy.integrate(_for_order(pages, context), view, state)
    memory = signed_state(context, answer.state)
    # Before the strategy knows of it: who is killed in between enters them once more.
    board.enter(answer.new_urls, now)
    board.learn(pages, memory, answer.ratings, _judge_update(board, context, pages))
    progress = board.progress()
    if progress.n_unranked >= max(RANK_BUFFER, progress.fetched * RANK_SHARE):
        renew_scores(board, context.settings, context.ranker, context.scorers, now)
    return len(pages)


def _for_order(pages: Sequence[JudgedPage], context: CrawlContext) -> list[JudgedPage]:
    """The pages with the relevance that the strategy goes by."""
    ordered = []
    for page in pages:
        relevance = context.order_relevance(page.terms, page.relevance)
        # Most judges leave it as it is.
        same = relevance == page.relevance
        ordered.append(page if same else replace(page, relevance=relevance))
    return ordered


def _judge_update(
    board: Blackboard, context: CrawlContext, pages: Sequence[JudgedPage]
) -> JudgeUpdate | None:
    """What the judge keeps of these pages, if it learns from what the crawl brings."""
    judge = context.judge
    if not isinstance(judge, AdaptiveJudgeProtocol):
        return None
    seen = [(page.terms, page.relevance) for page in pages]
    return judge.learn(seen, board.judge_memory(judge.name))


def plan(
    board: Blackboard,
    now: datetime,
    limits: BatchLimits,
    rng: random.Random,
    known: CrawlContext | None = None,
) -> int:
    """Post the next assignments, or end the run; how many assignments were posted."""
    progress = board.progress()
    context = known or build_context(board)
    if progress.stop_asked:
        if not progress.in_flight:
            finish(board, context, StopReason.STOPPED, now)
        return 0
    n_wanted = progress.n_pages - progress.n_judged - progress.in_flight
    if n_wanted <= 0:
        if not progress.in_flight:
            finish(board, context, StopReason.BUDGET, now)
        return 0
    if _has_ended(board, context, progress.fetched):
        if not progress.in_flight:
            finish(board, context, StopReason.STRATEGY_ENDED, now)
        return 0
    n_free = limits.n_collectors - progress.n_open
    if n_free <= 0:
        return 0
    n_wanted = min(n_wanted, limits.slice_of(progress.fetched) * n_free)
    chosen = choose(
        board,
        context,
        n_wanted,
        now,
        rng,
        per_site=limits.per_site,
        in_flight=bool(progress.in_flight),
    )
    if not chosen:
        _finish_if_done(board, context, now)
        return 0
    return board.assign(group_by_site(chosen, replace(limits, n_collectors=n_free)), now)


def _has_ended(board: Blackboard, context: CrawlContext, n_fetched: int) -> bool:
    """True if the strategy ends the run here."""
    strategy = context.strategy
    return isinstance(strategy, EndingStrategy) and strategy.has_ended(
        state_of(board, context), n_fetched
    )


def group_by_site(chosen: Sequence[Waiting], limits: BatchLimits) -> list[list[int]]:
    """Deal URLs out to collectors, all URLs of a site to the same one, evenly."""
    by_site: dict[str, list[int]] = {}
    for entry in chosen:
        by_site.setdefault(entry.site, []).append(entry.key)
    n_groups = max(1, min(limits.n_collectors, len(by_site)))
    groups: list[list[int]] = [[] for _ in range(n_groups)]
    for keys in sorted(by_site.values(), key=len, reverse=True):
        min(groups, key=len).extend(keys)
    order = {entry.key: position for position, entry in enumerate(chosen)}
    return [sorted(group, key=order.__getitem__)[: limits.slice_pages] for group in groups if group]


def finish(board: Blackboard, context: CrawlContext, reason: StopReason, now: datetime) -> None:
    """End the run: every page is judged by all that is known by now, and ranked."""
    board.rejudge_stored(now)
    # Exactly, so that a thumb and its undo lead back to these very scores.
    renew_scores(board, context.settings, context.ranker, context.scorers, now, least=0.0)
    board.finish(reason, "", now)


def _finish_if_done(board: Blackboard, context: CrawlContext, now: datetime) -> None:
    progress = board.progress()
    if progress.in_flight:
        return
    due = board.next_due(now)
    if due is not None and due <= now + PATIENCE:
        return
    reason = StopReason.FRONTIER_EMPTY if due is None else StopReason.REST_LATER
    if not progress.knows_urls:
        reason = StopReason.NO_SEEDS
    elif progress.fetched == 0:
        # URLs that only redirect to pages that rest have not failed.
        reason = StopReason.NOTHING_REACHABLE if progress.failed else StopReason.ALL_REST
    finish(board, context, reason, now)
