"""What the focus order remembers of the pages fetched so far."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from crawler.strategies.base import JudgedPage
from crawler.strategies.link_features import (
    N_BUCKETS,
    Floats,
    Tally,
    WordStats,
    bucket,
    buckets_of,
    folders,
    log_odds,
)

#: Mean worth that relevance is stretched to: differences count, not the judge's strictness.
TARGET_WORTH = 0.3
#: Pages of that worth which the stretching begins with.
TARGET_PAGES = 10.0
#: Pages whose links still count for sites, blocks and hubs.
MAX_PAGES = 20_000


class SeenPage(msgspec.Struct, frozen=True, array_like=True):
    """A fetched page: where it was, what the judge said, under which link it was found."""

    key: int
    site: str
    log_odds: float
    is_seed: bool
    parent: int
    block: int
    anchor: bytes
    folders: list[int] = []


class FocusMemory(msgspec.Struct):
    """The state of the focus order.

    Attributes
    ----------
    name : list of int
        Buckets of the topic's own words.
    pages : list of SeenPage
    n_pages, worth, centre : bytes
        Packed arrays by word bucket: pages that hold it, the sum of their worth, and the
        sum of worthy pages' term vectors.
    n_unrated : int
        Pages since the frontier was last rated anew.
    """

    name: list[int]
    pages: list[SeenPage] = []
    n_pages: bytes = b""
    worth: bytes = b""
    centre: bytes = b""
    n_unrated: int = 0

    def dump(self) -> bytes:
        """Pack for the blackboard."""
        return msgspec.msgpack.encode(self)

    def learnt(self, pages: Sequence[JudgedPage], n_unrated: int) -> "FocusMemory":
        """Take up an interval's pages."""
        seen = [*self.pages, *map(_seen, pages)][-MAX_PAGES:]
        shift = shift_of(seen)
        counts, worth, centre = unpack(self.n_pages), unpack(self.worth), unpack(self.centre)
        for page, entry in zip(pages, seen[-len(pages) :] if pages else [], strict=True):
            value = worth_of(entry, shift)
            buckets = np.array([bucket(term) for term in page.terms.vocabulary], np.int64)
            tf = 1 + np.log(page.terms.counts())
            counts[np.unique(buckets)] += 1
            worth[np.unique(buckets)] += value
            np.add.at(centre, buckets, value * value * tf / max(float(np.linalg.norm(tf)), 1e-9))
        return FocusMemory(self.name, seen, pack(counts), pack(worth), pack(centre), n_unrated)


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
    )


def worth_of(page: SeenPage, shift: float) -> float:
    """Stretched relevance, in [0, 1]; a seed's is 1, as a person vouches for it."""
    return 1.0 if page.is_seed else float(1 / (1 + np.exp(-page.log_odds - shift)))


def shift_of(pages: Sequence[SeenPage]) -> float:
    """What to add to the judge's log-odds so that found pages are worth 0.3 on average."""
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


class Known:
    """A memory unpacked: everything the rating of links looks up."""

    def __init__(self, memory: FocusMemory) -> None:
        shift = shift_of(memory.pages)
        self.name = frozenset(memory.name)
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
        counts = unpack(memory.n_pages)
        everywhere = (sum(self.worth.values()) + TARGET_WORTH) / (len(memory.pages) + 1)
        self.word_lifts = WordStats(counts, unpack(memory.worth)).lifts(everywhere)
        self.rarity = np.log((len(memory.pages) + 1) / (counts + 1)) + 0.2
        centre = unpack(memory.centre) * self.rarity
        self.centre = centre / max(float(np.linalg.norm(centre)), 1e-9)

    def site_lift(self, site: str, url: str) -> float:
        """How much better than average the pages of the site, and of the URL's folders, were.

        What is known of a folder begins with what is known of the one around it.
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
        """How much better than average the block's other links were."""
        tally = self.blocks.get((parent, block)) if block >= 0 else None
        return tally.lift(self.mean) if tally else 0.0


def _tallies(pairs: Iterable[tuple[Any, float]]) -> dict[Any, Tally]:
    tallies: dict[Any, Tally] = {}
    for name, worth in pairs:
        tallies.setdefault(name, Tally()).add(worth)
    return tallies


@lru_cache(maxsize=4)
def load(state: bytes) -> FocusMemory:
    """Unpack `FocusMemory.dump`; do not change what it returns."""
    return msgspec.msgpack.decode(state, type=FocusMemory)


@lru_cache(maxsize=2)
def known(state: bytes) -> Known:
    """What a state knows; every page of an interval asks with the same bytes."""
    return Known(load(state))


def pack(values: Floats) -> bytes:
    """An array by bucket as bytes: where it is not 0, and what it is there.

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
