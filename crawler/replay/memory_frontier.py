"""The addresses of a crawl in plain memory: their numbers, which wait, and how they link."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from crawler.messages import Batch, FetchItem, FoundLink, SiteState
from crawler.page.parsed import ParsedPage
from crawler.page.traps import template_key
from crawler.page.url import domain_of, site_of
from crawler.ranking.link_age import UNKNOWN_DAY
from crawler.ranking.votes import DomainLink
from crawler.replay.duplicate_index import DuplicateIndex
from crawler.strategies.base import WORDS, LinkGraph, NewUrl, Rating, Waiting
from crawler.strategies.link_notes import with_words
from crawler.strategies.neighbourhood import MAX_BACK_LINKS, graph_of


@dataclass(slots=True)
class MemoryEntry:
    """A frontier entry."""

    waiting: Waiting
    state: str = "new"
    attempts: int = 0
    redirect_hops: int = 0
    keep: bool = False
    template: int = 0


@dataclass(frozen=True, slots=True)
class EarlierLinks:
    """Links of pages that were stored before a crawl, by any crawl.

    Attributes
    ----------
    out, into : mapping of str to sequence of str
        By URL, the URLs it links to, and those that link to it.
    """

    out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    into: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, pages: Iterable[ParsedPage]) -> "EarlierLinks":
        """Return the links of the articles of some pages."""
        out = {
            page.url: tuple(dict.fromkeys(link.url for link in page.links if not link.in_frame))
            for page in pages
        }
        into: dict[str, list[str]] = defaultdict(list)
        for source, targets in out.items():
            for target in targets:
                into[target].append(source)
        return cls(out, into)


@dataclass(slots=True)
class MemoryFrontier:
    """What the blackboard in memory knows of addresses: the frontier and the links."""

    _keys: dict[str, int] = field(init=False, default_factory=dict)
    _urls: list[str] = field(init=False, default_factory=list)
    _sites: list[str] = field(init=False, default_factory=list)
    _entries: dict[int, MemoryEntry] = field(init=False, default_factory=dict)
    _heap: list[tuple[float, int]] = field(init=False, default_factory=list)
    #: By page, the addresses it links to, and whether only its frame does.
    _out: dict[int, dict[int, bool]] = field(init=False, default_factory=dict)
    #: By domain, the domains that its pages link to.
    _linked_domains: dict[str, set[str]] = field(
        init=False, default_factory=lambda: defaultdict(set)
    )
    #: By target, the pages whose articles link to it, each with the newest day of its link.
    _in: dict[int, dict[int, int]] = field(init=False, default_factory=lambda: defaultdict(dict))
    _n_requests: Counter[str] = field(init=False, default_factory=Counter)
    _posted: list[list[int]] = field(init=False, default_factory=list)
    _shelf: DuplicateIndex = field(init=False, default_factory=DuplicateIndex)
    #: Of pages that were stored before the crawl.
    stored_links: EarlierLinks = field(init=False, default_factory=EarlierLinks)

    def add_seeds(self, seeds: Sequence[tuple[str, str, Rating]], now: datetime) -> int:
        before = len(self._entries)
        for url, site, rating in seeds:
            self._enter(self._key(url, site), None, rating, 0, 0)
        return len(self._entries) - before

    def sites_with_requests(self, least: int) -> frozenset[str]:
        return frozenset(site for site, n in self._n_requests.items() if n >= least)

    def _waiting(
        self, n: int | None, n_per_site: int, without: frozenset[str] = frozenset()
    ) -> list[Waiting]:
        """The best waiting URLs; the heap may hold stale priorities, which are passed over."""
        if n is None:
            found = [
                entry
                for entry in self._entries.values()
                if entry.state == "new" and entry.waiting.site not in without
            ]
            new = [entry for entry in found if not self._shelf.is_mostly_stale(entry.template)]
            waiting = [entry.waiting for entry in new or found]
            return sorted(waiting, key=lambda one: (-one.priority, one.key))
        chosen: list[Waiting] = []
        last: list[Waiting] = []
        popped: list[tuple[float, int]] = []
        taken: dict[str, int] = defaultdict(int)
        seen: set[int] = set()
        while self._heap and len(chosen) < n:
            item = heapq.heappop(self._heap)
            entry = self._entries[item[1]]
            if entry.state != "new" or -item[0] != entry.waiting.priority or item[1] in seen:
                continue
            popped.append(item)
            seen.add(item[1])
            if entry.waiting.site in without:
                continue
            taken[entry.waiting.site] += 1
            if taken[entry.waiting.site] <= n_per_site:
                (last if self._shelf.is_mostly_stale(entry.template) else chosen).append(
                    entry.waiting
                )
        for item in popped:
            heapq.heappush(self._heap, item)
        return chosen or last[:n]

    def _rate_again(self, ratings: Mapping[int, Rating]) -> None:
        for key, rating in ratings.items():
            entry = self._entries[key]
            if entry.state == "new":
                memo = {**rating.memo, "parts": rating.parts}
                one = entry.waiting  # dataclasses.replace takes twice as long
                entry.waiting = Waiting(
                    key, one.url, one.site, one.depth_hops, rating.priority, one.parent, memo
                )
                entry.keep = rating.keep
                heapq.heappush(self._heap, (-rating.priority, key))

    def assign(self, groups: Sequence[Sequence[int]], now: datetime) -> int:
        for keys in groups:
            for key in keys:
                self._entries[key].state = "leased"
                self._n_requests[self._sites[key]] += 1
            self._posted.append(list(keys))
        return len(groups)

    def _claim(self, key: int) -> FetchItem:
        entry = self._entries[key]
        waiting = entry.waiting
        return FetchItem(
            key=key,
            url=waiting.url,
            site=waiting.site,
            depth_hops=waiting.depth_hops,
            redirect_hops=entry.redirect_hops,
            priority=waiting.priority,
            parent=waiting.parent,
            memo=waiting.memo,
            attempts=entry.attempts,
            keep=entry.keep,
        )

    def _note_links(self, claim: FetchItem, links: Sequence[FoundLink], day: int) -> None:
        """Keep where a page leads, and enter what is to be followed."""
        out: dict[int, bool] = {}
        domain = domain_of(claim.url)
        for link in links:
            key = self._key(link.url, link.site)
            out[key] = link.in_frame
            if link.in_frame:
                self._in[key].pop(claim.key, None)
            else:
                if (other := domain_of(link.url)) != domain:
                    self._linked_domains[domain].add(other)
                self._in[key][claim.key] = max(day, self._in[key].get(claim.key, UNKNOWN_DAY))
            if link.rating is not None and self._shelf.admits(link.url, key in self._entries):
                self._enter(key, claim.key, link.rating, link.depth_hops, 0)
        self._out[claim.key] = out

    def _enter(
        self, key: int, parent: int | None, rating: Rating, depth_hops: int, redirect_hops: int
    ) -> None:
        entry = self._entries.get(key)
        if entry is not None:
            if entry.state != "new":
                return
            rating = with_words(rating, entry.waiting.memo)
            if rating.priority <= entry.waiting.priority:
                if WORDS in rating.memo and WORDS in entry.waiting.memo:
                    notes = {**entry.waiting.memo, WORDS: rating.memo[WORDS]}
                    entry.waiting = replace(entry.waiting, memo=notes)
                return
        memo = {**rating.memo, "parts": rating.parts} if rating.parts else rating.memo
        url, site = self._urls[key], self._sites[key]
        waiting = Waiting(key, url, site, depth_hops, rating.priority, parent, memo)
        if entry is None:
            self._entries[key] = MemoryEntry(
                waiting,
                redirect_hops=redirect_hops,
                keep=rating.keep,
                template=template_key(url),
            )
        else:
            entry.waiting, entry.keep = waiting, rating.keep
        heapq.heappush(self._heap, (-rating.priority, key))

    def _key(self, url: str, site: str) -> int:
        key = self._keys.get(url)
        if key is None:
            key = self._keys[url] = len(self._urls)
            self._urls.append(url)
            self._sites.append(site)
        return key

    def close(self, work: Batch, sites: Mapping[str, SiteState], now: datetime) -> None:
        for key in self._posted.pop(0):
            entry = self._entries[key]
            if entry.state == "leased":
                entry.state = "new"
                heapq.heappush(self._heap, (-entry.waiting.priority, key))

    def url_of(self, key: int) -> str:
        """Return the URL behind a number."""
        return self._urls[key]

    def _graph(self, *, in_frame: bool = False) -> LinkGraph:
        links = [(source, *link) for source, out in self._out.items() for link in out.items()]
        sources, targets, framed = np.array(links, np.int64).reshape(-1, 3).T
        return LinkGraph.of_links(sources, targets, framed > 0 if in_frame else None)

    def _back_links(self, keys: Collection[int]) -> LinkGraph:
        """The links of stored pages that link to most of these, as in tables."""
        wanted = {self._urls[key] for key in keys}
        linking = Counter(
            source for url in sorted(wanted) for source in self.stored_links.into.get(url, ())
        )
        best = sorted(linking, key=lambda url: (-linking[url], url))[:MAX_BACK_LINKS]
        pairs = [
            (self._key(source, site_of(source)), self._key(target, site_of(target)))
            for source in best
            for target in self.stored_links.out[source]
        ]
        return graph_of(np.array(pairs, np.int64).reshape(-1, 2))

    def enter(self, new_urls: Sequence[NewUrl], now: datetime) -> None:
        for new in new_urls:
            self._enter(new.key, new.parent, new.rating, new.depth_hops, 0)

    @property
    def n_discovered(self) -> int:
        """Addresses that were ever in the frontier."""
        return len(self._entries)

    @property
    def known_domains(self) -> Mapping[str, set[str]]:
        """By domain, the domains that its articles link to."""
        return self._linked_domains

    def linking_pages(self, key: int) -> Mapping[int, int]:
        """Return the pages whose articles link to a page, each with the newest day of its link."""
        return self._in.get(key, {})

    def _links_to(self, key: int, relevances: Mapping[int, float], since: int) -> list[DomainLink]:
        """For each other domain that links to a page, its linking articles; as in tables."""
        own = domain_of(self._urls[key])
        found: dict[str, tuple[str, float]] = {}
        for source, day in self.linking_pages(key).items():
            domain, site = domain_of(self._urls[source]), self._sites[source]
            if domain != own and day >= since and source in relevances:
                name, most = found.get(domain, (site, 0.0))
                found[domain] = min(name, site), max(most, relevances[source])
        return [DomainLink(key, own, domain, *best) for domain, best in found.items()]
