"""The one place where the agents talk.

The manager agent posts assignments on the public area, collector agents take them
and post what they found, the knowledge base keeps what is known of the topic. There
are two blackboards behind this interface: tables (`crawler.agents.database`) and
plain memory (`crawler.agents.memory`), under the same agents.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from crawler.knowledge.judge import Lesson, Library, Verdict
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.page.parsed import ParsedPage
from crawler.ranking.score import ContentValue, PageScore
from crawler.ranking.standing import Standing
from crawler.reasons import Reason, StopReason
from crawler.strategies.base import FrontierView, JudgedPage, Memo, Rating

#: Later than every moment that is compared with it.
NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Claim:
    """A URL handed to a collector."""

    key: int
    url: str
    site: str
    depth_hops: int = 0
    redirect_hops: int = 0
    priority: float = 0.0
    parent: int | None = None
    memo: Memo = field(default_factory=dict)
    attempts: int = 0
    keep: bool = False
    #: Headers that let the site answer 304 if the page this crawl judged is still the same.
    conditions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SiteState:
    """What a collector must know of a site before it contacts it.

    Attributes
    ----------
    name : str
    delay_s : float
        Least rest the site itself asks for, 0 if it does not.
    next_fetch_at : datetime
    robots : str
        Rules that concern us.
    robots_verdict : str
        "rules", "allow_all", "forbid_all", or "" when never asked.
    robots_until : datetime
        When robots.txt must be asked again.
    pages_left, bytes_left : int or None
        What the budget of today still allows; None for no budget.
    missing_print : int
        SimHash of what the site shows for a page that cannot exist; 0 if it says so properly.
    missing_until : datetime
        When that must be tried again.
    """

    name: str
    delay_s: float
    next_fetch_at: datetime
    robots: str = ""
    robots_verdict: str = ""
    robots_until: datetime = datetime.min
    pages_left: int | None = None
    bytes_left: int | None = None
    missing_print: int = 0
    missing_until: datetime = NEVER


@dataclass(frozen=True, slots=True)
class Slice:
    """An assignment as its collector sees it: URLs of sites it alone may contact.

    One on trial is a single URL that an earlier collector died over, perhaps.
    """

    number: int
    owner: str
    held_until: datetime
    claims: tuple[Claim, ...]
    sites: Mapping[str, SiteState]
    on_trial: bool = False


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link to enter: what it points to and, if it may be followed, its rating."""

    url: str
    site: str
    rating: Rating | None
    depth_hops: int


@dataclass(frozen=True, slots=True)
class Posting:
    """What became of one claim.

    Attributes
    ----------
    claim : Claim
    reason : Reason
    detail : str
    retry_at : datetime or None
        When a temporary failure is to be tried again; None when it ended.
    page : ParsedPage or None
    headers : mapping of str to str
        The validators: "etag", "last-modified".
    verdict : Verdict or None
    kept : bool
    score : PageScore or None
    links : sequence of FoundLink
    redirect_to : str
        Canonical URL to follow instead, or "".
    redirect_rating : Rating or None
        What that URL inherits.
    n_bytes : int
    n_dropped : int
        Links the strategy dropped.
    n_traps : int
        Links that were not entered because they look like one of endlessly many.
    stale : bool
        The page says nearly what others of its kind say; found out by the blackboard.
    """

    claim: Claim
    reason: Reason
    detail: str = ""
    retry_at: datetime | None = None
    page: ParsedPage | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | None = None
    kept: bool = False
    score: PageScore | None = None
    links: Sequence[FoundLink] = ()
    redirect_to: str = ""
    redirect_rating: Rating | None = None
    n_bytes: int = 0
    n_dropped: int = 0
    n_traps: int = 0
    stale: bool = False


def as_decided(posting: Posting, word: bool | None) -> Posting:
    """The posting with a person's word on its page, if there is one, in place of the judge's.

    What asks not to be indexed, or is no page of its own, stays out all the same.
    """
    page = posting.page
    if page is None or word is None:
        return posting
    return replace(posting, kept=word and not page.noindex and not page.is_listing)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    n_pages : int
        Page budget.
    fetched, kept, failed : int
    in_flight : int
        URLs in open assignments.
    n_known : int
        URLs in the frontier, in any state.
    n_unranked : int
        Pages fetched since the kept pages were last ranked.
    stop_asked : bool
    """

    n_pages: int
    fetched: int
    kept: int
    failed: int
    in_flight: int
    n_known: int
    n_unranked: int
    stop_asked: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """A kept page whose score is to be renewed.

    Attributes
    ----------
    key : int
    content : ContentValue
    relevance : float
    linking_sites : tuple of str
        Every site that links to it, as known now; one name per domain.
    n_sites, scale : float
        What its present score rests on.
    score : float
        The present one.
    site : str
        Its own.
    """

    key: int
    content: ContentValue
    relevance: float
    linking_sites: tuple[str, ...]
    n_sites: int
    scale: float
    score: float
    site: str = ""


class Ranked(Protocol):
    """The kept pages of a crawl, as a ranking sees them."""

    def kept_pages(self, links_since: int = 0) -> Sequence[Scored]:
        """Every kept page with its in-linking sites as known now.

        Only links found since a day, in days from 1970-01-01, count.
        """

    def rescore(self, scores: Mapping[int, PageScore], scale: float, standing: Standing) -> None:
        """Renew the scores of kept pages, and keep by what they were scored."""

    def group_stories(self) -> None:
        """Put kept pages that tell the same into one story; none ever moves to another."""


class Blackboard(Ranked, Protocol):
    """What agents may ask and post. `now` is the caller's clock."""

    # -- the knowledge base ----------------------------------------------------------------

    def topic(self) -> tuple[TopicProfile, CrawlSettings, int]:
        """The topic, how to crawl it, and the version of what is known."""

    def library(self) -> Library:
        """The pages the judge may learn from."""

    def strategy_state(self) -> bytes | None:
        """The strategy's memory; None before its start."""

    def judge_memory(self, judge: str) -> bytes:
        """What the judge of this name kept; empty before its first lesson."""

    def standing(self) -> Standing:
        """How relevant the kept pages were when they were last ranked."""

    # -- the manager agent -----------------------------------------------------------------

    def begin(self, state: bytes, now: datetime) -> None:
        """Keep the strategy's first memory."""

    def add_seeds(self, seeds: Sequence[tuple[str, str, Rating]], now: datetime) -> int:
        """Enter (url, site, rating) seeds that are not known yet; how many were new."""

    def view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView:
        """The frontier as it may be fetched now, at most `n_per_site` URLs of a site.

        The sites `without` are left out.
        """

    def fresh_view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView | None:
        """As `view`, of the URLs that lead to something new, see `crawler.revisit.listed.is_fresh`.

        None in a first run, which looks at nothing twice.
        """

    def asked_of_sites(self) -> Mapping[str, int]:
        """How many URLs of each site this run has asked for or handed out."""

    def assign(self, groups: Sequence[Sequence[int]], now: datetime) -> int:
        """Post one assignment per group of keys; how many were posted."""

    def unlearnt(self) -> Sequence[JudgedPage]:
        """Pages fetched and not yet integrated, in the order they came."""

    def learn(
        self,
        pages: Sequence[JudgedPage],
        state: bytes,
        ratings: Mapping[int, Rating],
        now: datetime,
        lesson: Lesson | None = None,
    ) -> None:
        """Keep what an interval taught the strategy and the judge, all at once."""

    def judge_again(self, now: datetime) -> None:
        """Judge what was fetched once more, by all that is known now.

        What a run fetched first was judged when little was known.
        """

    def progress(self) -> Progress:
        """How far the run is."""

    def next_due(self, now: datetime) -> datetime | None:
        """When the next waiting URL becomes ready; None if none waits."""

    def finish(self, reason: StopReason, detail: str, now: datetime) -> None:
        """End the run."""

    # -- a collector agent ------------------------------------------------------------------

    def take(self, owner: str, now: datetime) -> Slice | None:
        """Take an open assignment; None if there is none."""

    def post(self, work: Slice, postings: Sequence[Posting], now: datetime) -> bool:
        """Keep results, all or none; False if the assignment is no longer the owner's."""

    def close(self, work: Slice, sites: Mapping[str, SiteState], now: datetime) -> None:
        """Give back what was not fetched and let the sites go, with their clocks."""
