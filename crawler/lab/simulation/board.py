"""The blackboard in memory over many runs of one crawl, with what a monitor asks of it."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from crawler.knowledge.judge import JudgeUpdate
from crawler.knowledge.stuffing import LEAST_TRUST
from crawler.lab.simulation.listed import ListedDates
from crawler.lab.simulation.times import START
from crawler.messages import CrawlResult, FetchItem
from crawler.page.copies import NEAR_BITS, n_differing_bits
from crawler.page.dates import find_published
from crawler.page.parsed import PageTerms, ParsedPage
from crawler.page.url import canonical_url
from crawler.ranking.freshness import is_baseline, is_new_site
from crawler.reasons import Reason
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.revisit.hubs import may_bring_news
from crawler.revisit.listed import fresh_since, is_fresh, news_since
from crawler.strategies.base import FrontierView, JudgedPage, Rating, Waiting

#: A seed looked at longer ago than this is looked at again by the next run, as in tables.
SEED_REST = timedelta(hours=1)


@dataclass(slots=True)
class Seen:
    """What is known of a page since it was first fetched."""

    title: str
    first_seen: datetime
    published: datetime | None
    baseline: bool


@dataclass(slots=True)
class Looks:
    """Looks at a page after the first: how many, how many saw no change, over which time."""

    first: datetime
    last: datetime
    n_checks: int = 0
    n_unchanged: int = 0
    fingerprint: int = 0


@dataclass
class WatchingBoard(MemoryBlackboard):
    """Remembers over runs what the tables do: validators, dates, what was there before.

    Attributes
    ----------
    own_rarity : bool
        The crawl's own pages say how rare a word is; else only those known before do.
    now : datetime
        When the present run began.
    seen : dict of int to Seen
        By URL number, pages that were fetched.
    site_seen : dict of str to datetime
        When a site was first heard of.
    feeds : dict of str to None
        Feeds that kept pages name, in the order they were found.
    led_to : dict of int to list of (datetime, int)
        By URL number, when a kept page was fetched through its link, and which.
    lists : ListedDates
        What feeds say of the dates of their entries.
    """

    own_rarity: bool = False
    now: datetime = START
    seen: dict[int, Seen] = field(default_factory=dict)
    site_seen: dict[str, datetime] = field(default_factory=dict)
    feeds: dict[str, None] = field(default_factory=dict)
    led_to: dict[int, list[tuple[datetime, int]]] = field(default_factory=dict)
    n_links: dict[int, int] = field(default_factory=dict)
    lists: ListedDates = field(default_factory=ListedDates)
    baseline_end: datetime | None = None
    last_look: datetime | None = None
    looks: dict[int, Looks] = field(default_factory=dict)
    _judged_on: date | None = None
    _etags: dict[int, str] = field(default_factory=dict)
    _found: dict[int, datetime] = field(default_factory=dict)
    _ended: dict[int, datetime] = field(default_factory=dict)
    _seeds: set[int] = field(default_factory=set)

    def begin_run(self, n_pages: int, now: datetime) -> None:
        """Open the next run."""
        if self._ended and self.baseline_end is None:
            self.baseline_end = self.now
        self.last_look = self.now if self._ended else None
        self.now = now
        self.settings = replace(self.settings, n_pages=n_pages)
        self.stop_reason = None
        self._fetched = self._kept = self._failed = 0
        self._shelf.begin_run()
        self._asked.clear()

    def key_of(self, url: str) -> int | None:
        """The number of a URL, None if it was never heard of."""
        return self._keys.get(url)

    def site_of(self, key: int) -> str:
        """The site of a URL that was heard of."""
        return self._sites[key]

    def links_from(self, key: int) -> Sequence[int]:
        """Where a fetched page leads, its links being followed or not."""
        return self._out.get(key, ())

    def waiting_of(self, sites: Collection[str]) -> list[Waiting]:
        """What waits of some sites, best first."""
        found = [
            entry.waiting
            for entry in self._entries.values()
            if entry.state == "new" and entry.waiting.site in sites
        ]
        return sorted(found, key=lambda one: (-one.priority, one.key))

    def was_asked(self, key: int) -> bool:
        """True if a URL was asked for, with whatever end."""
        return key in self._ended

    def was_asked_at(self, key: int, now: datetime) -> bool:
        """True if a URL was asked for by the run that began at a moment."""
        return self._ended.get(key) == now

    def is_believed(self, key: int) -> bool:
        """True for a page that is kept and not stuffed."""
        return self.harvests[key].kept and self.score_of(key).content.trust >= LEAST_TRUST

    def claim_of(self, key: int) -> FetchItem:
        """How a fetched page was asked for."""
        return self.harvests[key].claim

    def add_seeds(self, seeds: Sequence[tuple[str, str, Rating]], now: datetime) -> int:
        for url, site, _ in seeds:
            key = self._key(url, site)
            self._seeds.add(key)
            entry = self._entries.get(key)
            over = entry is not None and entry.state in ("done", "failed")
            if entry is not None and over and self._ended.get(key, START) < now - SEED_REST:
                entry.state = "new"
                entry.waiting = replace(entry.waiting, priority=float("-inf"))
        return super().add_seeds(seeds, now)

    def learn(
        self,
        pages: Sequence[JudgedPage],
        state: bytes,
        ratings: Mapping[int, Rating],
        judge_update: JudgeUpdate | None = None,
    ) -> None:
        if not self.own_rarity:
            # How rare a word is on the web, pages that were chosen for their words cannot say.
            pages = [replace(page, terms=PageTerms()) for page in pages]
        super().learn(pages, state, ratings, judge_update)

    def rejudge_stored(self, now: datetime) -> None:
        # Runs are hours apart here, and pages thousands: once a day says as much.
        if self._judged_on != now.date():
            self._judged_on = now.date()
            super().rejudge_stored(now)

    def _age_days(self, key: int, now: datetime) -> float | None:
        seen = self.seen[key]
        since = seen.published or (None if seen.baseline else seen.first_seen)
        return None if since is None else (now - since) / timedelta(days=1)

    def _claim(self, key: int) -> FetchItem:
        claim = super()._claim(key)
        tag = self._etags.get(key)
        return replace(claim, conditions={"If-None-Match": tag}) if tag else claim

    def _enter(
        self, key: int, parent: int | None, rating: Rating, depth_hops: int, redirect_hops: int
    ) -> None:
        if key not in self._found:
            self._found[key] = self.now
        before = self._entries.get(key)
        known = before.waiting.parent if before is not None else None
        super()._enter(key, parent, rating, depth_hops, redirect_hops)
        entry = self._entries[key]
        if entry.state != "new":
            return
        # As in tables: who was looked at before without it says that it is new, whoever rates
        # it better; a starting point keeps how it was found.
        fresh = [namer for namer in (known, parent) if self._tells_new(key, namer)]
        rated_by = entry.waiting.parent if entry.waiting.parent is not None else known
        namer = fresh[0] if fresh else rated_by
        if namer != entry.waiting.parent:
            entry.waiting = replace(entry.waiting, parent=namer)

    def fresh_view(
        self, now: datetime, *, n_per_site: int, without: Collection[str] = ()
    ) -> FrontierView | None:
        """Links that were not there when their page was first looked at, as in tables."""
        if self.last_look is None:
            return None
        found = [
            entry
            for key, entry in self._entries.items()
            if entry.state == "new"
            and entry.waiting.site not in without
            and self._is_fresh(key, entry.waiting.parent)
            and not self._shelf.is_barren(entry.template)
        ]
        best = sorted(found, key=lambda entry: (-entry.waiting.priority, entry.waiting.key))
        waiting = [entry.waiting for entry in best]
        return FrontierView(lambda n: waiting[:n], self._graph, self._fetched)

    def _tells_new(self, key: int, parent: int | None) -> bool:
        """True if a URL was not there when its page was first looked at."""
        namer = self.seen.get(parent) if parent is not None else None
        return namer is not None and self._found[key] > namer.first_seen

    def _is_fresh(self, key: int, parent: int | None) -> bool:
        namer = self.seen.get(parent) if parent is not None else None
        first_look = namer.first_seen if namer is not None else None
        since = fresh_since(self.now, self.last_look)
        listed = self.lists.dates.get(self._urls[key])
        return is_fresh(self._found[key], first_look, listed, since)

    def _key(self, url: str, site: str) -> int:
        self.site_seen.setdefault(site, self.now)
        return super()._key(url, site)

    def _post(self, posting: CrawlResult, now: datetime) -> None:
        key = posting.claim.key
        self._ended[key] = self.now
        if posting.reason is Reason.UNCHANGED:
            self._entries[key].state = "done"
            self._fetched += 1
            self._note_look(key, None)
            return
        super()._post(posting, now)
        page = posting.page
        if page is None:
            return
        self.lists.note(page, self.now)
        self._etags[key] = posting.headers.get("etag", "")
        self.n_links[key] = len(page.links)
        self._note_dates(posting, page)
        self._note_look(key, page.fingerprint)
        if page.feeds and (self.harvests[key].kept or self._is_new_front(posting.claim)):
            self.feeds.setdefault(page.feeds[0])
        if posting.claim.parent is not None and self.is_believed(key):
            self.led_to.setdefault(posting.claim.parent, []).append((self.now, key))

    def _is_new_front(self, claim: FetchItem) -> bool:
        """True for the front page of a new site."""
        seen = self.site_seen.get(claim.site)
        new = seen is not None and is_new_site(seen, self.baseline_end, self.now)
        return new and claim.url == canonical_url("/", claim.url)

    def new_fronts(self) -> list[str]:
        """Front pages of new sites that were fetched, but for those with nothing on topic."""
        fetched: Counter[str] = Counter()
        kept: Counter[str] = Counter()
        for key, one in self.harvests.items():
            fetched[one.claim.site] += 1
            kept[one.claim.site] += self.is_believed(key)
        return [
            one.claim.url
            for one in self.harvests.values()
            if self._is_new_front(one.claim)
            and may_bring_news(fetched[one.claim.site], kept[one.claim.site])
        ]

    def _note_look(self, key: int, fingerprint: int | None) -> None:
        """Count a look; what changed is the text, not the markup."""
        looks = self.looks.get(key)
        if looks is None:
            self.looks[key] = Looks(self.now, self.now, fingerprint=fingerprint or 0)
            return
        same = fingerprint is None or n_differing_bits(fingerprint, looks.fingerprint) <= NEAR_BITS
        looks.n_checks, looks.n_unchanged = looks.n_checks + 1, looks.n_unchanged + same
        looks.last = self.now
        looks.fingerprint = fingerprint or looks.fingerprint

    def _note_dates(self, posting: CrawlResult, page: ParsedPage) -> None:
        key = posting.claim.key
        says = find_published(page, self.now) or self.lists.published(page.url)
        known = self.seen.get(key)
        if known is None:
            baseline = self._is_baseline(posting.claim, says)
            self.seen[key] = Seen(page.title, self.now, says, baseline)
        elif says is None or says <= (known.published or known.first_seen):
            # As in tables: an old page that gives itself a new date stays old.
            known.published = says

    def _is_baseline(self, claim: FetchItem, published: datetime | None) -> bool:
        found = self._found.get(claim.key, self.now)
        parent = self.seen.get(claim.parent) if claim.parent is not None else None
        first_look = parent is not None and parent.baseline and found <= parent.first_seen
        in_first_run = self.last_look is None
        since_first_run = self.baseline_end is None or found <= self.baseline_end
        was_there = claim.key in self._seeds or first_look or since_first_run
        since = None
        if self.last_look is not None:
            since = news_since(self.now, self.baseline_end or START, self.last_look)
        return is_baseline(published, first_run=in_first_run, was_there=was_there, last_look=since)
