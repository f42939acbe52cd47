"""Group pages that tell one story on several sites: by fingerprint and by title."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from crawler.page.copies import NEAR_BITS, n_differing_bits
from crawler.page.parsed import ParsedPage
from crawler.text.fold import fold

#: Titles this alike, in [0, 1], and texts that differ in at most so many bits. Another
#: site's frame alone moves 15 bits of a short article; unrelated texts differ in about 30.
SAME_TITLE: Final = 0.8
FRAME_BITS: Final = 24
AKIN_TITLE: Final = 0.4
EDITED_BITS: Final = 12
#: The same of what two pages of one site under the very same title say themselves, without
#: their links: as much as a sixth more text moves, or two numbers of a short text.
MOVED_BITS: Final = 8

#: Fewer letters say too little: "News", "首页".
MIN_TITLE_PAIRS: Final = 5

#: Pages are compared with the first pages of so many groups, the latest. Copies of an older
#: story begin a new one: a report is reprinted within days.
MAX_FIRSTS: Final = 5000
#: And closely with so many of them, and with so many pages of one title of their site.
MAX_COMPARED: Final = 100

_PIECES = re.compile(r"\s+[-–—|·]\s+|[_|｜]")
_NUMBERS = re.compile(r"\d+")
_LETTERS = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Telling:
    """A page as far as it takes to say which story it tells.

    Attributes
    ----------
    key : int
    fingerprint : int
        64-bit SimHash of its text, unsigned; 0 for hardly any text.
    pairs : frozenset of str
        Pairs of letters that follow each other in its title.
    numbers : frozenset of str
        Numbers in its title: two reports of a series differ in nothing else.
    site : str, default ""
        "" for unknown: then it is taken for another site than any.
    title : str, default ""
        All of its title, the site's name too, folded.
    own_fingerprint : int, default 0
        64-bit SimHash of what it says itself, unsigned; 0 for too little, or unknown.
    """

    key: int
    fingerprint: int
    pairs: frozenset[str]
    numbers: frozenset[str]
    site: str = ""
    title: str = ""
    own_fingerprint: int = 0

    @classmethod
    def of(
        cls, key: int, title: str, fingerprint: int, site: str = "", *, own_fingerprint: int = 0
    ) -> "Telling":
        """Of a page's title and fingerprints; the site's name in the title does not count."""
        whole = fold(title)
        core = max(_PIECES.split(whole), key=len)
        letters = "".join(_LETTERS.findall(core))
        pairs = frozenset(letters[i : i + 2] for i in range(len(letters) - 1))
        numbers = frozenset(_NUMBERS.findall(core))
        return cls(key, fingerprint, pairs, numbers, site, whole, own_fingerprint)

    @classmethod
    def of_parsed(cls, key: int, page: ParsedPage, site: str) -> "Telling":
        """Of a page as parsed."""
        own = page.own_fingerprint
        return cls.of(key, page.title, page.fingerprint, site, own_fingerprint=own)


def title_likeness(one: Telling, other: Telling) -> float:
    """Share of the shorter title's letter pairs that the longer has, in [0, 1].

    0 if a title is too short to say anything, or if their numbers differ.
    """
    shorter, longer = sorted((one.pairs, other.pairs), key=len)
    if len(shorter) < MIN_TITLE_PAIRS or one.numbers != other.numbers:
        return 0.0
    # A headline that is part of a much longer one may be another's.
    if len(longer) > 2 * len(shorter):
        return len(shorter & longer) / len(longer)
    return len(shorter & longer) / len(shorter)


def tell_the_same(one: Telling, other: Telling) -> bool:
    """True if two pages tell one story: near texts, or like titles over texts not far apart.

    Pages of one site share its frame, and those of a series most of their titles, so there
    it takes both: near texts under like titles, or under the very same title texts that say
    about the same themselves, as of a page that moved and got another date and other links.
    """
    if not one.fingerprint or not other.fingerprint:
        return False
    if one.site and one.site == other.site:
        return title_likeness(one, other) >= SAME_TITLE and _says_the_same(one, other)
    n_bits = n_differing_bits(one.fingerprint, other.fingerprint)
    if n_bits > FRAME_BITS:
        return False
    if n_bits <= NEAR_BITS:
        return one.numbers == other.numbers
    likeness = title_likeness(one, other)
    return likeness >= SAME_TITLE or (likeness >= AKIN_TITLE and n_bits <= EDITED_BITS)


def _says_the_same(one: Telling, other: Telling) -> bool:
    """True if texts of one site, under like titles, are near enough to be one."""
    if one.title != other.title:
        return n_differing_bits(one.fingerprint, other.fingerprint) <= NEAR_BITS
    if one.own_fingerprint and other.own_fingerprint:
        return n_differing_bits(one.own_fingerprint, other.own_fingerprint) <= MOVED_BITS
    # Pages stored by earlier versions, and lists of links: all of the text must do.
    return n_differing_bits(one.fingerprint, other.fingerprint) <= EDITED_BITS


@dataclass(slots=True)
class StoryGroups:
    """Groups of pages, one per story; a page once placed never moves.

    Each page is compared with the first of each group: groups neither merge nor chain when
    new copies arrive, so what a person was shown stays as it was. And with what its own site
    told under its very title, wherever that stands: a page that moved is known by itself.

    What many pages share identifies none of them: of more than `MAX_COMPARED` candidates only
    the nearest are compared, of one title of a site only the latest.

    Attributes
    ----------
    n_compared : int
        Pairs of pages that were looked at closely so far.
    """

    n_compared: int = 0
    _firsts: "_Firsts" = field(default_factory=lambda: _Firsts())
    _by_title: dict[tuple[str, str], deque[tuple[int, Telling]]] = field(default_factory=dict)

    def place(self, page: Telling) -> int:
        """Put a page into its group; the key of the group's first page, its own if it is new."""
        best: tuple[float, int, int] | None = None
        for key, other in self._candidates(page):
            self.n_compared += 1
            if tell_the_same(page, other):
                n_bits = n_differing_bits(page.fingerprint, other.fingerprint)
                rank = (-title_likeness(page, other), n_bits, key)
                best = min(best, rank) if best else rank
        if best:
            self.join(page, best[2])
            return best[2]
        self.begin(page)
        return page.key

    def begin(self, page: Telling) -> None:
        """Begin a group with a page, whatever the others tell."""
        if page.fingerprint:
            self._firsts.add(page)
        self.join(page, page.key)

    def join(self, page: Telling, group: int) -> None:
        """Remember that a page is in a group; `place` and `begin` do."""
        if page.site:
            told = self._by_title.setdefault((page.site, page.title), deque(maxlen=MAX_COMPARED))
            told.append((group, page))

    def _candidates(self, page: Telling) -> Iterator[tuple[int, Telling]]:
        """Groups with a page of theirs that may tell the same.

        First pages with a near text or a like title; and what the site told under this title.
        """
        for first in self._firsts.near(page):
            yield first.key, first
        if page.site:
            yield from self._by_title.get((page.site, page.title), ())


class _Firsts:
    """The first pages of groups, and what rules most of them out at once, in arrays.

    Of more than `MAX_FIRSTS` the latest are known.
    """

    def __init__(self) -> None:
        self._pages: list[Telling] = []
        self._prints = np.zeros(MAX_FIRSTS, np.uint64)
        #: By title: its pairs as a set of 64 bits, how many pairs it has, and its numbers.
        self._signs = np.zeros(MAX_FIRSTS, np.uint64)
        self._n_pairs = np.zeros(MAX_FIRSTS, np.int64)
        self._numbers = np.zeros(MAX_FIRSTS, np.int64)

    def add(self, page: Telling) -> None:
        """Take up a page in the place of the oldest one, if there is none left."""
        place = len(self._pages) % MAX_FIRSTS
        self._pages.append(page)
        self._prints[place] = page.fingerprint
        self._signs[place] = _sign(page.pairs)
        self._n_pairs[place] = len(page.pairs)
        self._numbers[place] = hash(page.numbers)

    def near(self, page: Telling) -> list[Telling]:
        """Pages that `tell_the_same` may take for the same by text and title; the nearest ones.

        Its bounds, on less: of the pairs of the shorter title that the longer one has, each
        may share its bit with another pair of its own title, and then is not seen.
        """
        n_known = min(len(self._pages), MAX_FIRSTS)
        n_bits = np.bitwise_count(self._prints[:n_known] ^ np.uint64(page.fingerprint))
        found = np.flatnonzero(n_bits <= FRAME_BITS)
        found = found[self._numbers[found] == hash(page.numbers)]
        n_bits, n_pairs = n_bits[found], self._n_pairs[found]
        sign, signs = np.uint64(_sign(page.pairs)), self._signs[found]
        is_shorter = n_pairs <= len(page.pairs)
        n_shorter = np.where(is_shorter, n_pairs, len(page.pairs))
        n_signed = np.bitwise_count(np.where(is_shorter, signs, sign)).astype(np.int64)
        n_shared = np.bitwise_count(signs & sign) + n_shorter - n_signed
        least = np.where(n_bits <= EDITED_BITS, AKIN_TITLE, SAME_TITLE)
        found = found[(n_bits <= NEAR_BITS) | (n_shared >= least * n_shorter - 1e-9)]
        return [self._latest(place) for place in self._nearest(found, page).tolist()]

    def _nearest(self, places: NDArray[np.int64], page: Telling) -> NDArray[np.int64]:
        if len(places) <= MAX_COMPARED:
            return places
        n_bits = np.bitwise_count(self._prints[places] ^ np.uint64(page.fingerprint))
        return places[np.argsort(n_bits, kind="stable")[:MAX_COMPARED]]

    def _latest(self, place: int) -> Telling:
        """The page that holds a place now."""
        return self._pages[place + (len(self._pages) - 1 - place) // MAX_FIRSTS * MAX_FIRSTS]


def group_stories(pages: Iterable[Telling]) -> dict[int, int]:
    """Group pages in the order given; page key -> key of its group's first page."""
    groups = StoryGroups()
    return {page.key: groups.place(page) for page in pages}


def _sign(pairs: frozenset[str]) -> int:
    """A set of pairs as 64 bits, one for each pair; two may have the same."""
    bits = 0
    for pair in pairs:
        bits |= 1 << (crc32(pair.encode()) & 63)
    return bits
