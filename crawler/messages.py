"""Messages between the blackboard and a collector: fetch items and their outcomes.

The manager agent posts assignments; a collector takes one as a `Batch` of claims, each a
URL, and gives back a `CrawlResult` for every claim.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec

from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.judge import Verdict
from crawler.page.duplicates.copies import StoredPage
from crawler.page.parsed import ParsedPage
from crawler.ranking.score import PageScore
from crawler.ranking.scorers import PageName
from crawler.ranking.votes import Votes
from crawler.reasons import Reason
from crawler.strategies.base import JudgedPage, Memo, Rating

#: Later than every moment that is compared with it.
NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FetchItem:
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

    def judged(self, page: ParsedPage, relevance: float, *, kept: bool) -> JudgedPage:
        """Return its page as strategies see it once it is judged."""
        return JudgedPage(
            key=self.key,
            url=self.url,
            site=self.site,
            title=page.title,
            terms=page.terms,
            relevance=relevance,
            kept=kept,
            depth_hops=self.depth_hops,
            parent=self.parent,
            priority=self.priority,
            memo=self.memo,
        )


@dataclass(frozen=True, slots=True)
class SiteState:
    """What a collector must know of a site before it contacts it.

    Attributes
    ----------
    delay_s : float
        Least delay that the site itself requests, 0 if it does not.
    robots_until : datetime
        When robots.txt must be fetched again.
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
    robots_until: datetime = datetime.min
    pages_left: int | None = None
    bytes_left: int | None = None
    missing_print: int = 0
    missing_until: datetime = NEVER


@dataclass(frozen=True, slots=True)
class Batch:
    """An assignment as its collector sees it: URLs of sites it alone may contact.

    A batch on trial holds URLs that may have killed an earlier collector: each is fetched while
    nothing else is in flight, and posted before the next.
    """

    number: int
    owner: str
    held_until: datetime
    claims: tuple[FetchItem, ...]
    sites: Mapping[str, SiteState]
    on_trial: bool = False


class FoundLink(msgspec.Struct, frozen=True):
    """A link to enter: what it points to and, if it may be followed, its rating.

    A link in the frame of its site is followed like any other, but does not count as a vote.
    """

    url: str
    site: str
    rating: Rating | None
    depth_hops: int
    in_frame: bool = False


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """The outcome of one fetch item.

    Attributes
    ----------
    retry_at : datetime or None
        When a temporary failure is to be tried again; None when it ended.
    headers : mapping of str to str
        The validators: "etag", "last-modified".
    verdict : Verdict or None
        Its relevance is that with feedback.
    judge_relevance : float
        The relevance without feedback.
    redirect_to : str
        Canonical URL to follow instead, or "".
    redirect_rating : Rating or None
        What that URL inherits.
    n_dropped : int
        Links the strategy dropped.
    n_traps : int
        Links that were not entered because they look like one of endlessly many.
    stale : bool
        The page is nearly the same as others of its kind; found out by the blackboard.
    """

    claim: FetchItem
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
    judge_relevance: float = 0.0


def with_user_label(posting: CrawlResult, word: bool | None) -> CrawlResult:
    """The posting with a person's word on its page, if there is one, in place of the judge's.

    Pages that forbid indexing, and feeds and sitemaps, stay out in any case.
    """
    page = posting.page
    if page is None or word is None:
        return posting
    return replace(posting, kept=word and not page.noindex and not page.is_listing)


def as_copy(posting: CrawlResult, original: StoredPage) -> CrawlResult:
    """Return the posting of a page that is stored under another address already."""
    detail = f"the same as {original.url}"
    return replace(posting, reason=Reason.DUPLICATE, kept=False, detail=detail)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    n_pages : int
        Page budget.
    n_judged : int
        Pages fetched but for those that had not changed: what the budget counts.
    in_flight : int
        URLs in open assignments.
    knows_urls : bool
        The frontier holds a URL, in any state.
    n_unranked : int
        Pages fetched since the kept pages were last ranked.
    n_open : int
        Assignments that are open.
    """

    n_pages: int
    fetched: int
    kept: int
    failed: int
    n_judged: int
    in_flight: int
    knows_urls: bool
    n_unranked: int
    stop_asked: bool
    n_open: int = 0


@dataclass(frozen=True, slots=True)
class Scored:
    """A kept page whose score is to be renewed.

    Attributes
    ----------
    votes : Votes
        What the sites that link to it count, as known now.
    n_sites, scale : float
        What its present score rests on.
    score : float
        The present one.
    age_days : float or None
        Since it was published, or first seen if it was not there before; None for unknown.
    is_first : bool
        It is one of those by which the typical density is found.
    """

    key: int
    content: ContentValue
    relevance: float
    votes: Votes
    n_sites: int
    scale: float
    score: float
    name: PageName
    age_days: float | None = None
    is_first: bool = True
