"""Crawl a snapshot without a network, through the same agents as a live crawl."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from crawler.crawl import manager
from crawler.crawl.collector import FetchOutcome, collect
from crawler.crawl.manager import BatchLimits
from crawler.judging.context import build_context
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.messages import Batch, SiteState
from crawler.page.parsed import PageTerms, ParsedPage
from crawler.reasons import Reason
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.replay.memory_frontier import EarlierLinks

#: A moment for code that wants one; no decision of a replay depends on it.
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)

#: How the product cuts the work of a run, with its default of two collectors.
PRODUCT_PACE = BatchLimits(n_collectors=2)


class SnapshotSource:
    """Pages of a parsed snapshot, by URL without scheme."""

    def __init__(self, pages: Mapping[str, ParsedPage]) -> None:
        self._pages = pages

    def answers(
        self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
    ) -> Iterator[FetchOutcome]:
        """Answer every claim, in order."""
        for claim in work.claims:
            page = self._pages.get(claim.url.partition("://")[2])
            reason = Reason.FETCHED if page is not None else Reason.GONE
            yield FetchOutcome(claim, page, reason)

    def sites(self) -> Mapping[str, SiteState]:
        """Nothing is known of sites."""
        return {}


@dataclass(frozen=True, slots=True)
class Replayed:
    """A finished replay.

    Attributes
    ----------
    urls : tuple of str
        Pages in the order they were fetched.
    board : MemoryBlackboard
        What it found out.
    """

    urls: tuple[str, ...]
    board: MemoryBlackboard


def replay(
    pages: Mapping[str, ParsedPage],
    profile: TopicProfile,
    settings: CrawlSettings,
    seeds: Sequence[str],
    *,
    limits: BatchLimits = PRODUCT_PACE,
    chance: int = 0,
    background: Sequence[PageTerms] = (),
    going_on: Callable[[int], bool] = lambda n_fetched: True,
    stored_links: EarlierLinks | None = None,
) -> Replayed:
    """Crawl a snapshot until `settings.n_pages` pages or its end.

    Parameters
    ----------
    pages : mapping of str to ParsedPage
        From `crawler.replay.parsed_snapshot.parse_snapshot`.
    profile, settings
        The topic, and how to crawl it.
    seeds : sequence of str
        URLs to start from.
    pace : BatchLimits, default `PRODUCT_PACE`
        How the manager agent cuts the work. All collectors finish their assignments
        before its next turn.
    chance : int, default 0
        Seed of everything random.
    background : sequence of PageTerms, optional
        Pages of any subject that were known before the crawl.
    going_on : callable, optional
        Called before every turn, with the pages fetched so far; False ends the replay there.
    stored_links : EarlierLinks, optional
        Of pages that were stored before the crawl.
    """
    board = MemoryBlackboard(profile, settings, background)
    board.stored_links = stored_links or EarlierLinks()
    source = SnapshotSource(pages)
    rng = random.Random(chance)
    manager.start(board, seeds, NOON, chance=chance)
    known = None
    while board.stop_reason is None and going_on(board.progress().fetched):
        known = build_context(board, known)
        manager.integrate(board, NOON, known)
        known = build_context(board, known)
        manager.plan(board, NOON, limits, rng, known)
        for _ in range(limits.n_collectors):
            collect(board, source, "replay", lambda: NOON, known=known)
    return Replayed(tuple(board.url_of(key) for key in board.harvests), board)
