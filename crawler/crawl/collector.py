"""The collector agent: fetches an assignment, judges pages, rates links, posts results."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

from crawler.crawl.blackboard import Blackboard
from crawler.crawl.strategy_state import state_of
from crawler.fetch.config import MAX_REDIRECTS
from crawler.judging.context import CrawlContext, build_context
from crawler.judging.keeping import is_kept
from crawler.judging.score import Ranking
from crawler.knowledge.content_value import content_value
from crawler.messages import Batch, CrawlResult, FetchItem, FoundLink, SiteState
from crawler.page.parsed import ParsedPage
from crawler.page.scope import is_worth_fetching
from crawler.page.traps import find_trap
from crawler.page.url import site_of
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.scorers import PageName
from crawler.reasons import TEMPORARY, Reason
from crawler.strategies.base import JudgedPage, Rating
from focusweb.failpoints import pass_point

logger = logging.getLogger(__name__)

#: Results posted in one transaction.
BATCH_PAGES = 50
#: No result waits longer than this to be posted while others come in. A batch takes 20 statements,
#: however few its pages are.
POST_EVERY = timedelta(seconds=2)
#: Tries of a URL that fails for a reason that may pass, and the first pause between them.
MAX_ATTEMPTS = 5
FIRST_PAUSE = timedelta(minutes=5)
LONGEST_PAUSE = timedelta(hours=24)
#: Key in the notes of a redirect's target: the URLs that led to it.
REDIRECT_CHAIN = "redirected_from"


@dataclass(frozen=True, slots=True)
class FetchOutcome:
    """The outcome of one fetch.

    Attributes
    ----------
    reason : Reason
        FETCHED with a page, REDIRECTED with `redirect_to`, else why there is none.
    retry_after_s : float or None
        The server's Retry-After.
    """

    claim: FetchItem
    page: ParsedPage | None
    reason: Reason
    detail: str = ""
    redirect_to: str = ""
    retry_after_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    n_bytes: int = 0


class PageSource(Protocol):
    """Where pages come from: the live web, or a snapshot of one."""

    def answers(
        self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
    ) -> Iterator[FetchOutcome]:
        """Fetch each claim, in any order; claims left over at `until` get no outcome."""

    def sites(self) -> Mapping[str, SiteState]:
        """Return the sites of the last assignment, with their present clocks."""


def collect(
    board: Blackboard,
    source: PageSource,
    owner: str,
    clock: Callable[[], datetime],
    *,
    slice_s: float = 45.0,
    stopping: Callable[[], bool] = lambda: False,
    known: CrawlContext | None = None,
) -> int | None:
    """Work through one assignment. Return the number of URLs, or None if no assignment is open."""
    work = board.take(owner, clock())
    if work is None:
        return None
    pass_point("claim.after")
    context = known or build_context(board)
    state, quantiles = state_of(board, context), board.quantiles()
    until, post_by = clock() + timedelta(seconds=slice_s), clock() + POST_EVERY
    batch: list[CrawlResult] = []
    n_answered = 0
    for answer in source.answers(work, until=until, stopping=stopping):
        batch.append(assess(answer, context, state, quantiles, clock()))
        n_answered += 1
        # What was tried alone and survived is posted before the next one is tried.
        if work.on_trial or len(batch) >= BATCH_PAGES or clock() >= post_by:
            if not board.post(work, batch, clock()):
                logger.warning("assignment %s was taken over; its results are left", work.number)
                return n_answered
            batch, post_by = [], clock() + POST_EVERY
    if not batch or board.post(work, batch, clock()):
        board.close(work, source.sites(), clock())
    return n_answered


def assess(
    answer: FetchOutcome, context: CrawlContext, state: bytes, quantiles: Quantiles, now: datetime
) -> CrawlResult:
    """Judge an answer: the outcome for its URL, and the links to enqueue."""
    claim = answer.claim
    if answer.redirect_to:
        return _redirected(answer)
    if answer.page is None:
        return _failed(answer, now)
    page, settings = answer.page, context.settings
    said = context.verdict(claim.url, page.terms)
    relevance = context.feedback.relevance(page.terms, said.relevance)
    verdict = said if relevance == said.relevance else replace(said, relevance=relevance)
    blocked = claim.site in settings.blocked_sites
    kept = is_kept(
        verdict.relevance,
        settings.threshold,
        forced=claim.keep,
        hidden=page.noindex or page.is_listing or blocked,
    )
    order_relevance = context.order_relevance(page.terms, verdict.relevance)
    judged = claim.judged(page, order_relevance, kept=kept)
    rated = _rate(judged, page, context, state, year=now.year)
    judge = context.judge
    content = content_value(
        page.terms, judge.topic_terms, context.frequencies, context.density_weights
    )
    ranking = Ranking(settings, context.ranker, quantiles, context.scorers)
    return CrawlResult(
        claim=claim,
        reason=page.end,
        page=page,
        headers=answer.headers,
        verdict=verdict,
        kept=kept,
        score=ranking.score(
            content, verdict.relevance, PageName(claim.url, page.title, claim.site)
        ),
        links=rated.links,
        n_bytes=answer.n_bytes,
        n_dropped=rated.n_dropped,
        n_traps=rated.n_traps,
        judge_relevance=said.relevance,
    )


@dataclass(frozen=True, slots=True)
class _Rated:
    """A page's links as they are to be entered, and how many are not to be followed."""

    links: Sequence[FoundLink] = ()
    n_dropped: int = 0
    n_traps: int = 0


def _rate(
    judged: JudgedPage, page: ParsedPage, context: CrawlContext, state: bytes, *, year: int
) -> _Rated:
    """Have the strategy rate the links; links that may not be followed get no rating."""
    if page.nofollow:
        return _Rated()
    depth_hops = judged.depth_hops + 1
    may_follow = depth_hops <= context.settings.max_depth_hops
    ratings = context.strategy.rate_links(judged, page, state)
    found: list[FoundLink] = []
    blocked, is_listing = context.settings.blocked_sites, page.is_listing
    n_dropped = n_traps = 0
    for link, rating in zip(page.links, ratings, strict=True):
        if link.nofollow or link.url == judged.url:
            continue
        wanted: Rating | None = None
        site = site_of(link.url)
        if may_follow and site not in blocked and (is_listing or is_worth_fetching(link.url)):
            n_dropped += rating is None
            if rating is not None and find_trap(link.url, year):
                n_traps += 1
            else:
                wanted = rating
        found.append(FoundLink(link.url, site, wanted, depth_hops, link.in_frame))
    return _Rated(found, n_dropped, n_traps)


def _redirected(answer: FetchOutcome) -> CrawlResult:
    claim, target = answer.claim, answer.redirect_to
    way = [*claim.memo.get(REDIRECT_CHAIN, ()), claim.url]
    if target in way:
        detail = f"goes round in a circle: {' to '.join([*way, target])}"
        return CrawlResult(claim, Reason.TOO_MANY_REDIRECTS, detail, n_bytes=answer.n_bytes)
    if claim.redirect_hops >= MAX_REDIRECTS:
        detail = f"more than {MAX_REDIRECTS} redirects, the last to {target}"
        return CrawlResult(claim, Reason.TOO_MANY_REDIRECTS, detail, n_bytes=answer.n_bytes)
    return CrawlResult(
        claim,
        Reason.REDIRECTED,
        target,
        redirect_to=target,
        redirect_rating=Rating(
            claim.priority, memo={**claim.memo, REDIRECT_CHAIN: way}, keep=claim.keep
        ),
        n_bytes=answer.n_bytes,
    )


def _failed(answer: FetchOutcome, now: datetime) -> CrawlResult:
    """A URL without a page: over, or to be tried again after a pause that doubles."""
    claim, reason = answer.claim, answer.reason
    if reason not in TEMPORARY:
        return CrawlResult(claim, reason, answer.detail, n_bytes=answer.n_bytes)
    # That a site's budget is used up is not a failure of the URL.
    if claim.attempts + 1 >= MAX_ATTEMPTS and reason is not Reason.SITE_BUDGET:
        detail = f"{reason}: {answer.detail}"
        return CrawlResult(claim, Reason.TOO_MANY_TRIES, detail, n_bytes=answer.n_bytes)
    pause = min(FIRST_PAUSE * 2**claim.attempts, LONGEST_PAUSE)
    # Without a pause, the tries would be used up within seconds.
    if answer.retry_after_s:
        pause = min(timedelta(seconds=answer.retry_after_s), LONGEST_PAUSE)
    return CrawlResult(claim, reason, answer.detail, retry_at=now + pause, n_bytes=answer.n_bytes)
