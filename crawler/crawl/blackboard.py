"""The one place where the agents talk.

The manager agent posts assignments on the public area. Collector agents take them and post their
results. The knowledge base holds the training data of the topic. Two blackboards have this
interface: tables (`crawler.crawl.database_blackboard`) and plain memory
(`crawler.replay.memory_blackboard`), under the same agents.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crawler.judging.context import KnowledgeBase
from crawler.judging.renewal import RankedPages
from crawler.knowledge.judge import JudgeUpdate
from crawler.messages import Batch, CrawlResult, Progress, SiteState
from crawler.ranking.quantiles import Quantiles
from crawler.reasons import StopReason
from crawler.strategies.base import FrontierView, JudgedPage, NewUrl, Rating


class Blackboard(RankedPages, KnowledgeBase, Protocol):
    """What agents may read and post. `now` is the caller's clock."""

    # -- the knowledge base ----------------------------------------------------------------

    def strategy_state(self) -> bytes | None:
        """Return the strategy's memory; None before its start."""

    def judge_memory(self, judge: str) -> bytes:
        """Return what the judge of this name kept; empty before its first lesson."""

    def quantiles(self) -> Quantiles:
        """How relevant the kept pages were when they were last ranked."""

    # -- the manager agent -----------------------------------------------------------------

    def begin(self, state: bytes) -> None:
        """Keep the strategy's first memory."""

    def add_seeds(self, seeds: Sequence[tuple[str, str, Rating]], now: datetime) -> int:
        """Enter (url, site, rating) seeds that are not known yet; how many were new."""

    def enter(self, new_urls: Sequence[NewUrl], now: datetime) -> None:
        """Put URLs into the frontier that the strategy found among stored links."""

    def view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView:
        """Return the frontier as it may be fetched now, at most `n_per_site` URLs of a site.

        The sites `without` are left out.
        """

    def fresh_view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView | None:
        """As `view`, of the URLs that lead to something new, see `FrontierQuerySet.fresh`.

        None in a first run, which visits every page once only.
        """

    def sites_with_requests(self, least: int) -> frozenset[str]:
        """Sites of which this run has fetched or assigned at least so many URLs."""

    def assign(self, groups: Sequence[Sequence[int]], now: datetime) -> int:
        """Post one assignment per group of keys; how many were posted."""

    def unintegrated(self) -> Sequence[JudgedPage]:
        """Pages fetched and not yet integrated, in the order they came."""

    def learn(
        self,
        pages: Sequence[JudgedPage],
        state: bytes,
        ratings: Mapping[int, Rating],
        judge_update: JudgeUpdate | None = None,
    ) -> None:
        """Keep what an interval taught the strategy and the judge, all at once."""

    def rejudge_stored(self, now: datetime) -> None:
        """Judge what was fetched once more, by all that is known now.

        What a run fetched first was judged when little was known.
        """

    def progress(self) -> Progress:
        """Return how far the run is."""

    def next_due(self, now: datetime) -> datetime | None:
        """When the next waiting URL becomes ready; None if none waits."""

    def finish(self, reason: StopReason, detail: str, now: datetime) -> None:
        """End the run."""

    # -- a collector agent ------------------------------------------------------------------

    def take(self, owner: str, now: datetime) -> Batch | None:
        """Take an open assignment; None if there is none."""

    def post(self, work: Batch, postings: Sequence[CrawlResult], now: datetime) -> bool:
        """Store results, all or none; False if the assignment has another owner by now."""

    def close(self, work: Batch, sites: Mapping[str, SiteState], now: datetime) -> None:
        """Give back what was not fetched and let the sites go, with their clocks."""
