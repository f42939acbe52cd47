"""Group pages that report one story on several sites: by title and by what texts share."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from crawler.page.duplicates.copies import NEAR_BITS, n_differing_bits
from crawler.page.duplicates.shingles import N_WORDS, Shingles, containment
from crawler.page.parsed import ParsedPage
from crawler.text.fold import fold

#: Titles this alike, in [0, 1], over texts that differ in at most so many bits lead to a comparison
#: of the texts. Unrelated texts differ in about 30 bits, but one pair in three of long English ones
#: in at most 24. So fingerprints find candidates, and the texts themselves decide.
SAME_TITLE: Final = 0.8
FRAME_BITS: Final = 24
AKIN_TITLE: Final = 0.4
REWRITTEN_BITS: Final = 18
#: How much of the shorter text must stand in the longer one, by shingles: under the same
#: title, as a reprint is cut and framed anew, and under another one. Articles on neighbouring
#: subjects share up to 0.6 and nearly their titles.
SHARED_UNDER_TITLE: Final = 0.3
SHARED: Final = 2 / 3
#: Under like titles as much is forgiven as so many edits break, or lines of a frame: that is
#: much of a short text, and nothing in a long one.
EDITS: Final = 3
#: The same of what two pages of one site under the very same title say themselves, without
#: their links: as much as a sixth more text moves, or two numbers of a short text.
MOVED_BITS: Final = 8
#: The same of all their text, where one does not say what is its own.
EDITED_BITS: Final = 12

#: Fewer letters say too little: "News", "首页".
MIN_TITLE_PAIRS: Final = 5

#: Pages are compared with the first pages of so many groups, the latest. Copies of an older
#: story begin a new one: a report is reprinted within days.
MAX_FIRSTS: Final = 5000
#: And closely with so many of them, and with so many pages of one title of their site.
MAX_COMPARED: Final = 100
#: Pairs of letters that titles share one string of; those of English letters are 1,300.
MAX_PAIRS: Final = 20_000

_PIECES = re.compile(r"\s+[-–—|·]\s+|[_|｜]")
_PREFIXES = re.compile(r":\s+|：")
_NUMBERS = re.compile(r"\d+")
_LETTERS = re.compile(r"\w")


class _Title(NamedTuple):
    """A title folded, and what of it is compared."""

    whole: str
    pairs: tuple[str, ...]
    numbers: frozenset[str]
    headline: str


_one_string = lru_cache(maxsize=MAX_PAIRS)(str)


# Each time that pages are grouped, the first pages of all stories are read again.
@lru_cache(maxsize=MAX_FIRSTS)
def _read_title(title: str) -> _Title:
    whole = fold(title)
    core = max(_PIECES.split(whole), key=len)
    letters = "".join(_LETTERS.findall(core))
    return _Title(
        whole,
        # A set of 40 pairs takes 2 kB more, and their strings 2 kB.
        pairs=tuple({_one_string(letters[i : i + 2]) for i in range(len(letters) - 1)}),
        numbers=frozenset(_NUMBERS.findall(core)),
        headline="".join(_LETTERS.findall(max(_PREFIXES.split(core), key=len))),
    )


@dataclass(frozen=True, slots=True)
class StoryFeatures:
    """The features of a page that decide which story it reports.

    Attributes
    ----------
    fingerprint : int
        64-bit SimHash of its text, unsigned; 0 for hardly any text.
    pairs : tuple of str
        The different pairs of letters that follow each other in its title, in any order.
    numbers : frozenset of str
        Numbers in its title: two reports of a series differ in nothing else.
    site : str, default ""
        "" for unknown: then it is taken for another site than any.
    title : str, default ""
        All of its title, the site's name too, folded.
    own_fingerprint : int, default 0
        64-bit SimHash of what it says itself, unsigned; 0 for too little, or unknown.
    headline : str, default ""
        Letters of its title without the site's name and what stands before a colon.
    shingles : Shingles, optional
        What of its text stands in others. Without them only near fingerprints are believed.
    """

    key: int
    fingerprint: int
    pairs: tuple[str, ...]
    numbers: frozenset[str]
    site: str = ""
    title: str = ""
    own_fingerprint: int = 0
    headline: str = ""
    shingles: Shingles | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls,
        key: int,
        title: str,
        fingerprint: int,
        site: str = "",
        *,
        own_fingerprint: int = 0,
        shingles: Shingles | None = None,
    ) -> "StoryFeatures":
        """Of a page's title and fingerprints; the site's name in the title does not count."""
        read = _read_title(title)
        return cls(
            key,
            fingerprint,
            read.pairs,
            read.numbers,
            site,
            read.whole,
            own_fingerprint,
            read.headline,
            shingles,
        )

    @classmethod
    def of_parsed(cls, key: int, page: ParsedPage, site: str) -> "StoryFeatures":
        """Of a page as parsed."""
        own, shingles = page.own_fingerprint, Shingles(lambda: page.terms)
        return cls.of(
            key, page.title, page.fingerprint, site, own_fingerprint=own, shingles=shingles
        )


def title_likeness(one: StoryFeatures, other: StoryFeatures) -> float:
    """Share of the shorter title's letter pairs that the longer has, in [0, 1].

    0 if a title is too short to say anything, or if their numbers differ.
    """
    n_shorter, n_longer = len(one.pairs), len(other.pairs)
    if n_shorter > n_longer:
        n_shorter, n_longer = n_longer, n_shorter
    if n_shorter < MIN_TITLE_PAIRS or one.numbers != other.numbers:
        return 0.0
    n_shared = len(set(one.pairs).intersection(other.pairs))
    # A headline that is part of a much longer one may be another's.
    return n_shared / (n_longer if n_longer > 2 * n_shorter else n_shorter)


def is_same_story(one: StoryFeatures, other: StoryFeatures) -> bool:
    """True if two pages report one story: most of their text is the same.

    Neither similar titles nor similar fingerprints suffice. *Internet Explorer* has the title of
    *Internet*, and long texts of one language have much the same fingerprint. Pages of one site
    share its frame, and those of a series most of their titles. So on one site both are needed:
    near texts under similar titles. The other case is the same title over texts whose own words
    agree, as of a page that moved and got another date and other links.
    """
    return _may_be_same_story(one, other) and _is_same_text(one, other)


def _is_same_text(one: StoryFeatures, other: StoryFeatures) -> bool:
    """Compare the texts of two pages that may be one story."""
    if one.site and one.site == other.site:
        return _says_the_same(one, other)
    return _share_most(one, other)


def _may_be_same_story(one: StoryFeatures, other: StoryFeatures) -> bool:
    """Return False for pages whose texts need no comparison, by title and fingerprint."""
    if not one.fingerprint or not other.fingerprint:
        return False
    n_bits = n_differing_bits(one.fingerprint, other.fingerprint)
    if one.site and one.site == other.site:
        if one.title != other.title and n_bits > NEAR_BITS:
            return False  # as `_says_the_same` would find, at less cost
        return title_likeness(one, other) >= SAME_TITLE
    if n_bits > FRAME_BITS or one.numbers != other.numbers:
        return False
    if n_bits <= NEAR_BITS:
        return True
    likeness = title_likeness(one, other)
    return likeness >= SAME_TITLE or (likeness >= AKIN_TITLE and n_bits <= REWRITTEN_BITS)


def _share_most(one: StoryFeatures, other: StoryFeatures) -> bool:
    """True if enough of the shorter text stands in the longer one, as their titles want it."""
    if one.shingles is None or other.shingles is None:
        return n_differing_bits(one.fingerprint, other.fingerprint) <= NEAR_BITS
    mine, theirs = one.shingles.sketch(), other.shingles.sketch()
    of_shorter, of_longer = containment(mine, theirs)
    if one.headline == other.headline and len(one.pairs) >= MIN_TITLE_PAIRS:
        return of_shorter >= SHARED_UNDER_TITLE
    if title_likeness(one, other) >= AKIN_TITLE:
        forgiven = EDITS * N_WORDS / max(min(len(mine), len(theirs)), 1)
        return of_shorter > 0 and of_shorter + forgiven >= SHARED
    # Under titles with nothing in common: what a short text quotes of a long one is not it.
    return of_longer >= SHARED


def _says_the_same(one: StoryFeatures, other: StoryFeatures) -> bool:
    """True if texts of one site, under like titles, are near enough to be one."""
    if one.title != other.title:
        # Neighbours in a manual differ in a word of the title and some of a short text.
        n_bits = n_differing_bits(one.fingerprint, other.fingerprint)
        if n_bits > NEAR_BITS or one.shingles is None or other.shingles is None:
            return n_bits <= NEAR_BITS
        return containment(one.shingles.sketch(), other.shingles.sketch())[1] >= SHARED
    if one.own_fingerprint and other.own_fingerprint:
        return n_differing_bits(one.own_fingerprint, other.own_fingerprint) <= MOVED_BITS
    # Pages stored by earlier versions, and lists of links: all of the text must do.
    return n_differing_bits(one.fingerprint, other.fingerprint) <= EDITED_BITS


@dataclass(slots=True)
class StoryGroups:
    """Groups of pages, one per story; a page once placed never moves.

    Each page is compared with the first of each group. Groups neither merge nor chain when new
    copies arrive, so a list that a user has seen stays as it was. Each page is also compared with
    pages of its own site under the same title: a page that moved is recognised.

    What many pages share identifies none of them: of more than `MAX_COMPARED` candidates only
    the nearest are compared, of one title of a site only the latest.

    Attributes
    ----------
    n_compared : int
        Pairs of pages that were compared so far.
    """

    n_compared: int = 0
    _firsts: "_FirstPages" = field(default_factory=lambda: _FirstPages())
    _by_title: dict[tuple[str, str], deque[tuple[int, StoryFeatures]]] = field(default_factory=dict)

    def place(self, page: StoryFeatures) -> int:
        """Put a page into its group; the key of the group's first page, its own if it is new."""

        def rank(candidate: tuple[int, StoryFeatures]) -> tuple[float, int, int]:
            key, other = candidate
            n_bits = n_differing_bits(page.fingerprint, other.fingerprint)
            return -title_likeness(page, other), n_bits, key

        candidates = list(self._candidates(page))
        self.n_compared += len(candidates)
        near = [one for one in candidates if _may_be_same_story(page, one[1])]
        for group, other in sorted(near, key=rank):
            if _is_same_text(page, other):
                self.join(page, group)
                return group
        self.begin(page)
        return page.key

    def begin(self, page: StoryFeatures) -> None:
        """Begin a group with a page, without comparing it."""
        if page.fingerprint:
            self._firsts.add(page)
        self.join(page, page.key)

    def join(self, page: StoryFeatures, group: int) -> None:
        """Remember that a page is in a group; `place` and `begin` do."""
        if page.site:
            pages = self._by_title.setdefault((page.site, page.title), deque(maxlen=MAX_COMPARED))
            pages.append((group, page))

    def _candidates(self, page: StoryFeatures) -> Iterator[tuple[int, StoryFeatures]]:
        """Groups with a page of theirs that may report the same story.

        First pages with a near text or a similar title; and pages of the site with this title.
        """
        for first in self._firsts.near(page):
            yield first.key, first
        if page.site:
            yield from self._by_title.get((page.site, page.title), ())


class _FirstPages:
    """The first pages of groups, and what rules most of them out at once, in arrays.

    Of more than `MAX_FIRSTS` the latest are known.
    """

    def __init__(self) -> None:
        self._pages: list[StoryFeatures] = []
        self._prints = np.zeros(MAX_FIRSTS, np.uint64)
        #: By title: its pairs as a set of 64 bits, how many pairs it has, and its numbers.
        self._signs = np.zeros(MAX_FIRSTS, np.uint64)
        self._n_pairs = np.zeros(MAX_FIRSTS, np.int64)
        self._numbers = np.zeros(MAX_FIRSTS, np.int64)
        self._sites = np.zeros(MAX_FIRSTS, np.int64)
        self._titles = np.zeros(MAX_FIRSTS, np.int64)

    def add(self, page: StoryFeatures) -> None:
        """Take up a page in the place of the oldest one, if there is none left."""
        place = len(self._pages) % MAX_FIRSTS
        self._pages.append(page)
        self._prints[place] = page.fingerprint
        self._signs[place] = _sign(page.pairs)
        self._n_pairs[place] = len(page.pairs)
        self._numbers[place] = hash(page.numbers)
        self._sites[place] = hash(page.site)
        self._titles[place] = hash(page.title)

    def near(self, page: StoryFeatures) -> list[StoryFeatures]:
        """Pages that `is_same_story` may take for the same by text and title; the nearest ones.

        Its bounds, on less: of the pairs of the shorter title that the longer one has, each
        may share its bit with another pair of its own title, and then is not seen.
        """
        n_known = min(len(self._pages), MAX_FIRSTS)
        n_bits = np.bitwise_count(self._prints[:n_known] ^ np.uint64(page.fingerprint))
        found = np.flatnonzero(n_bits <= FRAME_BITS)
        found = found[self._numbers[found] == hash(page.numbers)]
        if page.site:
            # As `_may_be_same_story` finds of one site, at less cost.
            other_site = self._sites[found] != hash(page.site)
            same_title = self._titles[found] == hash(page.title)
            found = found[other_site | same_title | (n_bits[found] <= NEAR_BITS)]
        n_bits, n_pairs = n_bits[found], self._n_pairs[found]
        sign, signs = np.uint64(_sign(page.pairs)), self._signs[found]
        is_shorter = n_pairs <= len(page.pairs)
        n_shorter = np.where(is_shorter, n_pairs, len(page.pairs))
        n_signed = np.bitwise_count(np.where(is_shorter, signs, sign)).astype(np.int64)
        n_shared = np.bitwise_count(signs & sign) + n_shorter - n_signed
        least = np.where(n_bits <= REWRITTEN_BITS, AKIN_TITLE, SAME_TITLE)
        found = found[(n_bits <= NEAR_BITS) | (n_shared >= least * n_shorter - 1e-9)]
        return [self._latest(place) for place in self._nearest(found, page).tolist()]

    def _nearest(self, places: NDArray[np.int64], page: StoryFeatures) -> NDArray[np.int64]:
        if len(places) <= MAX_COMPARED:
            return places
        n_bits = np.bitwise_count(self._prints[places] ^ np.uint64(page.fingerprint))
        return places[np.argsort(n_bits, kind="stable")[:MAX_COMPARED]]

    def _latest(self, place: int) -> StoryFeatures:
        """The page that holds a place now."""
        return self._pages[place + (len(self._pages) - 1 - place) // MAX_FIRSTS * MAX_FIRSTS]


@lru_cache(maxsize=MAX_FIRSTS)
def _sign(pairs: tuple[str, ...]) -> int:
    """Different pairs as 64 bits, one for each pair; two may have the same."""
    bits = 0
    for pair in pairs:
        bits |= 1 << (crc32(pair.encode()) & 63)
    return bits
