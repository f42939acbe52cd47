"""What a collector has yet to fetch of one site: its claims, the site's clock, rules and budget."""

from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime

from crawler.crawl.collector import FetchOutcome
from crawler.fetch.robots import RobotsRules
from crawler.messages import Batch, FetchItem, SiteState
from crawler.page.article.site_frame import SiteFrame
from crawler.reasons import Reason
from focusweb.clock import utc_now

#: Packed rules that are longer are read from the table for each turn, in bytes.
LONG_RULES = 16 * 1024


@dataclass(slots=True)
class SiteQueue:
    """A site's claims in order, and when the next request may be sent (monotonic seconds)."""

    state: SiteState
    claims: deque[FetchItem]
    due: float
    rules: RobotsRules | None = None
    frame: SiteFrame = field(default_factory=SiteFrame)
    #: Pages were added to the frame.
    has_learnt: bool = False

    def needs_robots(self) -> bool:
        """True if robots.txt must be fetched before anything else."""
        return self.rules is None and self.state.robots_until <= utc_now()

    def forget_long_rules(self) -> None:
        """Hold long rules during a turn only: those of all sites of an assignment are too many."""
        if self.rules is not None and len(self.rules.packed) > LONG_RULES:
            self.rules = None

    def refused_by_robots(self, claim: FetchItem) -> FetchOutcome | None:
        """Return what robots.txt answers in the site's place; None if it allows the claim."""
        rules = self.rules
        if rules is None or rules.allows(claim.url):
            return None
        if rules.verdict == "forbid_all":
            again_s = (self.state.robots_until - utc_now()).total_seconds()
            detail = rules.detail or "robots.txt could not be read"
            reason = rules.cause or Reason.ROBOTS_UNREACHABLE
            return FetchOutcome(claim, None, reason, detail, retry_after_s=max(again_s, 1.0))
        return FetchOutcome(claim, None, Reason.ROBOTS_FORBIDDEN, "robots.txt forbids it")

    def refuse_all(
        self, reason: Reason, detail: str, retry_after_s: float | None = None
    ) -> list[FetchOutcome]:
        """Give all remaining claims an outcome without a request."""
        claims, self.claims = self.claims, deque()
        return [
            FetchOutcome(claim, None, reason, detail, retry_after_s=retry_after_s)
            for claim in claims
        ]

    def spend(self, n_pages: int, n_bytes: int) -> None:
        """Take what a turn cost from the site's budget of today, if it has one."""
        state = self.state
        if state.pages_left is not None and state.bytes_left is not None:
            self.state = replace(
                state,
                pages_left=state.pages_left - n_pages,
                bytes_left=state.bytes_left - n_bytes,
            )


def queues_of(work: Batch, wall: datetime, clock: float) -> dict[str, SiteQueue]:
    """Part an assignment by site; `wall` and `clock` are the same moment on both clocks."""
    queues: dict[str, SiteQueue] = {}
    for claim in work.claims:
        if claim.site not in queues:
            state = work.sites[claim.site]
            wait_s = max(0.0, (state.next_fetch_at - wall).total_seconds())
            queues[claim.site] = SiteQueue(state, deque(), clock + wait_s)
        queues[claim.site].claims.append(claim)
    return queues
