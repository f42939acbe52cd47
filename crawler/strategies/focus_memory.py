"""What the focus strategy stores of the pages fetched so far."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import exp
from typing import Any

import msgspec
import numpy as np

from crawler.strategies.base import JudgedPage
from crawler.strategies.hypernym_worth import HypernymWorth
from crawler.strategies.link_features import (
    N_BUCKETS,
    Floats,
    Tally,
    WordStats,
    buckets_of,
    folders,
    log_odds,
    packed_words,
)
from crawler.strategies.order import Memory

#: Mean worth that relevance is stretched to: differences count, not the judge's strictness.
TARGET_WORTH = 0.3
#: Pages of that worth which the stretching begins with.
TARGET_PAGES = 10.0
#: What the topic's name in an anchor adds to the log-odds, before pages under such anchors say
#: otherwise, and how many pages that is worth.
NAME_LIFT, NAME_PAGES = 3.0, 4.0
#: Pages whose links still count for sites, blocks and hubs.
MAX_PAGES = 20_000


class SeenPage(msgspec.Struct, frozen=True, array_like=True):
    """A fetched page: where it was, what the judge said, under which link it was found.

    `phrase` is the text of that link, or else the page's title.
    """

    key: int
    site: str
    log_odds: float
    is_seed: bool
    parent: int
    block: int
    anchor: bytes
    folders: list[int] = []
    phrase: str = ""


class FocusMemory(Memory, frozen=True):
    """What was learnt from the pages up to the last time the frontier was rated anew.

    Attributes
    ----------
    name : list of int
        Buckets of the topic's own words.
    n_pages, worth, centre : bytes
        Packed arrays by word bucket: pages that hold it, the sum of their worth, and the
        sum of worthy pages' term vectors.
    """

    name: list[int]
    pages: list[SeenPage] = []
    n_pages: bytes = b""
    worth: bytes = b""
    centre: bytes = b""

    def learnt(self, new: Sequence["NewPage"]) -> "FocusMemory":
        """Take up new pages."""
        seen = [*self.pages, *(page.seen for page in new)][-MAX_PAGES:]
        shift = shift_of(seen)
        counts, worth, centre = unpack(self.n_pages), unpack(self.worth), unpack(self.centre)
        for page in new:
            value = worth_of(page.seen, shift)
            buckets = buckets_of(page.words)
            tf = 1 + np.log(np.frombuffer(page.counts, np.uint8).astype(np.float64))
            distinct = np.unique(buckets)
            counts[distinct] += 1
            worth[distinct] += value
            np.add.at(centre, buckets, value * value * tf / max(float(np.linalg.norm(tf)), 1e-9))
        return FocusMemory(self.name, seen, pack(counts), pack(worth), pack(centre))


class NewPage(msgspec.Struct, frozen=True, array_like=True):
    """A page that came since the frontier was last rated anew.

    `words` are the buckets of its distinct terms, `counts` how often each occurs, one byte a
    term, up to 255.
    """

    seen: SeenPage
    words: bytes
    counts: bytes


class FocusState(Memory, frozen=True):
    """The state of the focus strategy.

    Links are rated by `memory`, a packed `FocusMemory`, until so many pages are `new` that
    the frontier is rated anew: links found now and earlier are then rated by the same
    knowledge, and it is unpacked once, not once every few pages.

    Attributes
    ----------
    n_pages, n_rated : int
        Pages that `memory` was learnt from, and how many they were when all that waits was
        last rated anew.
    """

    memory: bytes
    new: list[NewPage] = []
    n_pages: int = 0
    n_rated: int = 0


def new_page(page: JudgedPage) -> NewPage:
    """Return what is remembered of a fetched page."""
    terms = page.terms
    counts = np.clip(terms.counts(), 1, 255).astype(np.uint8)
    words = packed_words(terms.vocabulary, len(terms.vocabulary))
    return NewPage(_seen(page), words, counts.tobytes())


def _seen(page: JudgedPage) -> SeenPage:
    return SeenPage(
        key=page.key,
        site=page.site,
        log_odds=log_odds(page.relevance),
        is_seed=page.parent is None,
        parent=-1 if page.parent is None else page.parent,
        block=int(page.memo.get("block", -1)),
        anchor=page.memo.get("anchor", b""),
        folders=folders(page.url),
        phrase=page.memo.get("phrase") or page.title,
    )


def worth_of(page: SeenPage, shift: float) -> float:
    """Stretched relevance, in [0, 1]; 1 for a seed, which a person gave."""
    return 1.0 if page.is_seed else float(1 / (1 + np.exp(-page.log_odds - shift)))


def shift_of(pages: Sequence[SeenPage]) -> float:
    """Return what to add to the judge's log-odds so that found pages are worth 0.3 on average."""
    odds = np.array([page.log_odds for page in pages if not page.is_seed])
    low, high = -4.0, 10.0
    for _ in range(20):
        shift = (low + high) / 2
        total = (1 / (1 + np.exp(-odds - shift))).sum() + TARGET_WORTH * TARGET_PAGES
        if total > TARGET_WORTH * (len(odds) + TARGET_PAGES):
            high = shift
        else:
            low = shift
    return high if len(odds) else 0.0


class PageStatistics:
    """A memory unpacked: everything the rating of links looks up."""

    def __init__(self, memory: FocusMemory) -> None:
        shift = shift_of(memory.pages)
        self.worth = {page.key: worth_of(page, shift) for page in memory.pages}
        found = [page for page in memory.pages if not page.is_seed]
        total = sum(self.worth[page.key] for page in found)
        self.mean = (total + TARGET_WORTH) / (len(found) + 1)
        self.sites = _tallies((page.site, self.worth[page.key]) for page in found)
        self._site_lifts: dict[tuple[str, str], float] = {}
        self.folders = _tallies((f, self.worth[p.key]) for p in found for f in p.folders)
        self.blocks = _tallies(((p.parent, p.block), self.worth[p.key]) for p in found)
        links: dict[int, Tally] = {}
        for page in found:
            for number in buckets_of(page.anchor).tolist():
                links.setdefault(number, Tally()).add(self.worth[page.key])
        self.anchor_lifts = np.zeros(N_BUCKETS)
        for number, tally in links.items():
            self.anchor_lifts[number] = tally.lift(self.mean)
        #: By bucket: 1 for a word of the topic's name, less as pages under it are found poor.
        self.name = np.zeros(N_BUCKETS)
        for number in memory.name:
            self.name[number] = self._name_lift(links.get(number, Tally())) / NAME_LIFT
        named = ((page.phrase, self.worth[page.key]) for page in memory.pages)
        self.hypernyms = HypernymWorth(named, self.mean)
        counts = unpack(memory.n_pages)
        everywhere = (sum(self.worth.values()) + TARGET_WORTH) / (len(memory.pages) + 1)
        self.word_lifts = WordStats(counts, unpack(memory.worth)).lifts(everywhere)
        self.rarity = np.log((len(memory.pages) + 1) / (counts + 1)) + 0.2
        centre = unpack(memory.centre) * self.rarity
        self.centre = centre / max(float(np.linalg.norm(centre)), 1e-9)

    def _name_lift(self, tally: Tally) -> float:
        """Posterior log-odds of pages under anchors with a word of the name, against average."""
        average = log_odds(self.mean)
        before = 1 / (1 + exp(-average - NAME_LIFT))
        return log_odds(tally.posterior(before, NAME_PAGES)) - average

    def site_lift(self, site: str, url: str) -> float:
        """How much better than average the pages of the site, and of the URL's folders, were.

        The estimate of a folder starts from the estimate of its parent folder.
        """
        place = site, url.partition("?")[0].rpartition("/")[0]
        lift = self._site_lifts.get(place)
        if lift is None:
            lift = self._site_lifts[place] = self._lift_in(site, url)
        return lift

    def _lift_in(self, site: str, url: str) -> float:
        chance, n_around = self.mean, 0.0
        tally = self.sites.get(site)
        inner = iter(folders(url)) if tally else iter(())
        while tally:
            # A folder that holds all pages of the one around it says nothing more.
            if tally.n != n_around:
                chance, n_around = tally.posterior(chance), tally.n
            tally = self.folders.get(next(inner, -1))
        return log_odds(chance) - log_odds(self.mean)

    def n_fetched_from(self, site: str) -> float:
        """Pages found on a site and fetched."""
        tally = self.sites.get(site)
        return tally.n if tally else 0.0

    def block_lift(self, parent: int, block: int) -> float:
        """Return how much better than average the block's other links were."""
        tally = self.blocks.get((parent, block)) if block >= 0 else None
        return tally.lift(self.mean) if tally else 0.0


def _tallies(pairs: Iterable[tuple[Any, float]]) -> dict[Any, Tally]:
    tallies: dict[Any, Tally] = {}
    for name, worth in pairs:
        tallies.setdefault(name, Tally()).add(worth)
    return tallies


@lru_cache(maxsize=4)
def load_state(state: bytes) -> FocusState:
    """Unpack `FocusState.dump`; do not change what it returns."""
    return FocusState.load(state)


@lru_cache(maxsize=2)
def load_memory(memory: bytes) -> FocusMemory:
    """Unpack `FocusMemory.dump`; do not change what it returns."""
    return FocusMemory.load(memory)


@lru_cache(maxsize=2)
def knowledge_of(memory: bytes) -> PageStatistics:
    """Return what a packed `FocusMemory` knows."""
    return PageStatistics(load_memory(memory))


def known(state: bytes) -> PageStatistics:
    """Return what a state knows; every page of an interval has the same."""
    return knowledge_of(load_state(state).memory)


def pack(values: Floats) -> bytes:
    """Return an array by bucket as bytes: where it is not 0, and what it is there.

    Most of it is 0. Compressed it would be 15 to 65 % smaller, and take five times as long.
    """
    places = np.flatnonzero(values)
    return places.astype("<u2").tobytes() + values[places].astype("<f4").tobytes()


def unpack(packed: bytes) -> Floats:
    """Undo `pack`; zeros for no bytes."""
    values = np.zeros(N_BUCKETS)
    n_places = len(packed) // 6
    places = np.frombuffer(packed, "<u2", n_places)
    values[places] = np.frombuffer(packed, "<f4", n_places, offset=2 * n_places)
    return values
