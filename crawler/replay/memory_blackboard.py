"""The blackboard in plain memory: for evaluation, previews and tests.

Nothing is shared and nothing survives; what agents see is what they would see of tables.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from crawler.judging.context import make_judge
from crawler.knowledge.background import N_BACKGROUND, n_others, shuffle_key
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, JudgeUpdate, TrainingSet
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.sections import Sections
from crawler.knowledge.stuffing import LEAST_TRUST, farms_among, links_by_source
from crawler.messages import (
    Batch,
    CrawlResult,
    Progress,
    Scored,
    SiteState,
    as_copy,
    with_user_label,
)
from crawler.page.dates.publishing_date import find_published
from crawler.page.duplicates.copies import honoured_canonical
from crawler.page.duplicates.near_duplicates import StoryFeatures, StoryGroups
from crawler.page.parsed import PageTerms, ParsedPage
from crawler.page.url import domain_of, site_of
from crawler.ranking.link_age import RECENT, UNKNOWN_DAY, found_day
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore
from crawler.ranking.scorers import PageName
from crawler.ranking.votes import Votes, count_votes
from crawler.reasons import StopReason
from crawler.replay.memory_frontier import MemoryFrontier
from crawler.replay.rescore import rejudged
from crawler.strategies.base import FrontierView, JudgedPage, Rating


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A fetched page as it was judged last; `kept_out` whatever the judge decides."""

    url: str
    terms: PageTerms
    relevance: float
    kept: bool
    kept_out: bool


@dataclass(slots=True)
class MemoryBlackboard(MemoryFrontier):
    """One run of one crawl, as `crawler.crawl.blackboard.Blackboard`.

    Parameters
    ----------
    background : sequence of PageTerms, optional
        Pages of any subject from before the crawl, as background for the judge.
    decided : mapping of str to bool, optional
        A person's word on pages, by URL: kept, or not.
    """

    profile: TopicProfile
    settings: CrawlSettings
    background: Sequence[PageTerms] = ()
    decided: Mapping[str, bool] = field(default_factory=dict)
    harvests: dict[int, CrawlResult] = field(default_factory=dict)
    stop_reason: StopReason | None = None
    #: The first page of the story of each kept page.
    stories: dict[int, int] = field(default_factory=dict)
    _version: int = 1
    _n_known: int = 0
    _state: bytes | None = None
    _memories: dict[str, bytes] = field(default_factory=dict)
    _frequencies: DocumentFrequencies = field(default_factory=DocumentFrequencies)
    _terms: dict[int, PageTerms] = field(default_factory=dict)
    _titles: dict[int, str] = field(default_factory=dict)
    _scores: dict[int, PageScore] = field(default_factory=dict)
    _quantiles: Quantiles = field(default_factory=Quantiles)
    _sections: Sections = field(default_factory=Sections)
    _shared_terms: Mapping[str, float] = field(default_factory=dict)
    #: Pages that are never kept: copies, lists, pages that forbid indexing.
    _kept_out: set[int] = field(default_factory=set)
    _unlearnt: list[JudgedPage] = field(default_factory=list)
    _groups: StoryGroups = field(default_factory=StoryGroups)
    #: Features of pages without a story; they get one once they are kept.
    _untold: dict[int, StoryFeatures] = field(default_factory=dict)
    _n_assigned: int = 0
    _fetched: int = 0
    _kept: int = 0
    _failed: int = 0
    _unranked: int = 0

    def __post_init__(self) -> None:
        self._frequencies.add(self.background)

    # -- the knowledge base ----------------------------------------------------------------

    def version(self) -> int:
        return self._version

    def topic(self) -> tuple[TopicProfile, CrawlSettings]:
        return self.profile, self.settings

    def training_set(self) -> TrainingSet:
        seeds = [self._keys[url] for url in self.profile.seeds if url in self._keys]
        examples = [Example(self._terms[key]) for key in seeds if key in self._terms]
        own = sorted(self._terms.keys() - set(seeds), key=shuffle_key)
        fetched = [self._terms[key] for key in own if len(self._terms[key])][:N_BACKGROUND]
        others = self.background[: n_others(len(fetched))]
        return TrainingSet(
            self._frequencies, examples, [*fetched, *others], len(fetched), dict(self._memories)
        )

    def sections(self) -> Sections:
        return self._sections

    def shared_terms(self) -> Mapping[str, float]:
        return self._shared_terms

    def strategy_state(self) -> bytes | None:
        return self._state

    def judge_memory(self, judge: str) -> bytes:
        return self._memories.get(judge, b"")

    def quantiles(self) -> Quantiles:
        return self._quantiles

    # -- the manager agent -----------------------------------------------------------------

    def begin(self, state: bytes) -> None:
        self._state = state

    def view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView:
        left_out = frozenset(without)
        return FrontierView(
            lambda n: self._waiting(n, n_per_site, left_out),
            self._graph,
            self._fetched,
            self._back_links,
        )

    def fresh_view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView | None:
        # A replay is one run, and that the first.
        return None

    def next_due(self, now: datetime) -> datetime | None:
        return now if self._waiting(1, 1, self.settings.blocked_sites) else None

    def unintegrated(self) -> Sequence[JudgedPage]:
        return [*self._unlearnt]

    def learn(
        self,
        pages: Sequence[JudgedPage],
        state: bytes,
        ratings: Mapping[int, Rating],
        judge_update: JudgeUpdate | None = None,
    ) -> None:
        if judge_update is not None:
            self._memories[judge_update.judge] = judge_update.memory
            self._version += judge_update.is_news
        counted = [page for page in pages if len(page.terms)]
        self._frequencies.add(
            [page.terms for page in counted], n_kept=sum(page.kept for page in counted)
        )
        has_seed = any(page.url in self.profile.seeds for page in pages)
        if has_seed or self._frequencies.has_grown(self._n_known):
            self._n_known = self._frequencies.total
            self._version += 1
        self._state = state
        self._unlearnt = self._unlearnt[len(pages) :]
        self._unranked += len(pages)
        self._rate_again(ratings)

    def rejudge_stored(self, now: datetime) -> None:
        training_set = self.training_set()
        judge = make_judge(self.profile, self.settings, training_set)
        stored = self.harvests, self._terms, self.settings, self.decided, self._kept_out
        renewed, self._sections, shared = rejudged(judge, *stored, training_set.frequencies)
        if shared and not self._shared_terms:  # densities were measured without them
            self._quantiles = replace(self._quantiles, typical=0.0)
        self._shared_terms = shared
        self._version += 1
        self.harvests.update(renewed)
        for key, posting in renewed.items():
            assert posting.score is not None
            self._scores[key] = replace(self._scores[key], content=posting.score.content)
        self._kept = sum(posting.kept for posting in self.harvests.values())

    def judged_pages(self) -> list[JudgedRow]:
        """Return every fetched page, in the order they came."""
        return [
            JudgedRow(
                posting.claim.url,
                self._terms[key],
                self._relevance(key),
                posting.kept,
                key in self._kept_out,
            )
            for key, posting in self.harvests.items()
        ]

    def kept_pages(self, now: datetime | None = None, links_since: int = 0) -> Sequence[Scored]:
        votes = self._votes(links_since)
        return [
            Scored(
                key,
                score.content,
                self._relevance(key),
                votes.get(key, Votes()),
                score.n_sites,
                score.scale,
                score.value,
                PageName(self._urls[key], self._titles[key], self._sites[key]),
                self._age_days(key, now) if now else None,
            )
            for key, score in self._scores.items()
            if self.harvests[key].kept
        ]

    def _votes(self, since: int) -> dict[int, Votes]:
        """The votes of each kept page, as in tables."""
        relevances, kept, stuffed = {}, Counter[str](), Counter[str]()
        for key, posting in self.harvests.items():
            domain, trust = domain_of(self._urls[key]), self._scores[key].content.trust
            if trust >= LEAST_TRUST:
                relevances[key] = self._relevance(key)
            kept[domain] += posting.kept
            stuffed[domain] += posting.kept and trust < LEAST_TRUST
        links = [
            link
            for key in self._scores
            if self.harvests[key].kept
            for link in self._links_to(key, relevances, since)
        ]
        return count_votes(
            links,
            self._linked_domains,
            seeds={domain_of(url) for url in self.profile.seeds},
            farms=farms_among(kept, +stuffed, links_by_source(self._linked_domains)),
        )

    def _age_days(self, key: int, now: datetime) -> float | None:
        """Days since a page appeared; None, as all pages of a first run were there before."""
        return None

    def _relevance(self, key: int) -> float:
        verdict = self.harvests[key].verdict
        assert verdict is not None
        return verdict.relevance

    def rescore(self, scores: Mapping[int, PageScore], scale: float, quantiles: Quantiles) -> None:
        self._scores.update(scores)
        self._quantiles = quantiles
        self._unranked = 0

    def group_stories(self) -> None:
        for key in [key for key in self._untold if self.harvests[key].kept]:
            self.stories[key] = self._groups.place(self._untold.pop(key))

    def score_of(self, key: int) -> PageScore:
        """Return a page's score as of the last ranking."""
        return self._scores[key]

    def progress(self) -> Progress:
        in_flight = sum(map(len, self._posted))
        return Progress(
            self.settings.n_pages,
            self._fetched,
            self._kept,
            self._failed,
            # A stored web does not change.
            self._fetched,
            in_flight,
            bool(self._entries),
            self._unranked,
            False,
            len(self._posted),
        )

    def finish(self, reason: StopReason, detail: str, now: datetime) -> None:
        self.stop_reason = reason

    # -- a collector agent ------------------------------------------------------------------

    def take(self, owner: str, now: datetime) -> Batch | None:
        if not self._posted:
            return None
        claims = tuple(self._claim(key) for key in self._posted[0])
        sites = {claim.site: SiteState(claim.site, 0.0, now) for claim in claims}
        self._n_assigned += 1
        for_ever = datetime.max.replace(tzinfo=now.tzinfo)
        return Batch(self._n_assigned, owner, for_ever, claims, sites)

    def post(self, work: Batch, postings: Sequence[CrawlResult], now: datetime) -> bool:
        for posting in postings:
            self._post(posting, now)
        return True

    def _post(self, posting: CrawlResult, now: datetime) -> None:
        claim = posting.claim
        entry = self._entries[claim.key]
        entry.attempts += 1
        entry.state = "done" if posting.page or posting.redirect_to else "failed"
        if posting.redirect_rating is not None:
            target = self._key(posting.redirect_to, site_of(posting.redirect_to))
            hops = claim.redirect_hops + 1
            self._enter(target, claim.key, posting.redirect_rating, claim.depth_hops, hops)
        page, score, verdict = posting.page, posting.score, posting.verdict
        if page is None or verdict is None or score is None:
            self._failed += not posting.redirect_to
            return
        word = self.decided.get(claim.url)
        posting = with_user_label(posting, word)
        if (original := self._shelf.find_original(posting)) is not None:
            posting = with_user_label(as_copy(posting, original), word)
        self._fetched += 1
        self._kept += posting.kept
        hidden = page.noindex or page.is_listing or claim.site in self.settings.blocked_sites
        if hidden or (original is not None and not posting.kept):
            self._kept_out.add(claim.key)
        if canonical := honoured_canonical(page):
            rating = Rating(claim.priority, memo=claim.memo, keep=claim.keep)
            self._enter(self._key(canonical, claim.site), claim.key, rating, claim.depth_hops, 0)
        for copy in self._shelf.copies_of(posting):
            if self.decided.get(copy.url):
                continue
            self._kept -= 1
            self.harvests[copy.key] = replace(self.harvests[copy.key], kept=False)
            self._kept_out.add(copy.key)
        # The page itself is not kept: a snapshot's pages together would fill the memory.
        self.harvests[claim.key] = replace(posting, page=None, links=())
        self._scores[claim.key] = score
        self._terms[claim.key] = page.terms
        self._titles[claim.key] = page.title
        if claim.key not in self.stories:
            self._untold[claim.key] = StoryFeatures.of_parsed(claim.key, page, domain_of(claim.url))
        self._note_links(claim, posting.links, self._found_day(page, now))
        judged = claim.judged(page, verdict.relevance, kept=posting.kept)
        self._unlearnt.append(judged)

    def _found_day(self, page: ParsedPage, now: datetime) -> int:
        """As in tables; a crawl in memory has one run, the first."""
        if self.settings.link_value != RECENT:
            return UNKNOWN_DAY
        return found_day(find_published(page, now), now, first_look=True, baseline=True)
