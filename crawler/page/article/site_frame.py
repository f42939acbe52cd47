"""The part of a site's frame that repeats over its pages, and articles without it.

A notice of cookies or an appeal to readers may stand inside the article's own element, in sentences
like any other. Only other pages of the site show that it belongs to the frame.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Self
from zlib import crc32

import msgspec

from crawler.page.article.article_lines import Article
from crawler.page.collected import Collected
from crawler.page.parsed import ANCHOR

#: A shorter line is not compared, in bytes of UTF-8: what it says may be said by many articles.
MIN_LINE: Final = 60
#: Only so many such lines at the beginning and at the end of an article are compared.
EDGE_LINES: Final = 8
#: A line is frame if it stands on so many pages of the site, and on this share of the last ones.
MIN_PAGES: Final = 3
MIN_SHARE: Final = 1 / 3
#: A page loses no line if less than this share of its article, in bytes, would be left.
MIN_LEFT: Final = 0.25
#: After so many pages all counts are halved: a site may get a new frame.
WINDOW: Final = 32
#: Lines that are counted for a site, and pages that are known to be counted.
MAX_LINES: Final = 128
MAX_KNOWN: Final = 64
#: A page with more headings that are links is a list of articles: each is repeated elsewhere.
MAX_LINKED_HEADINGS: Final = 1

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LEFT_OUT = _HEADINGS | {"pre"}
_Packed = tuple[int, dict[int, int], list[int]]


@dataclass(slots=True)
class SiteFrame:
    """On how many of a site's last pages each line of their articles stands.

    Attributes
    ----------
    n_pages : int
        Pages that are counted, at most `WINDOW`.
    counts : dict of int to int
        For each line, by its hash, the pages it stands on; the line seen last comes last.
    known : list of int
        Hashes of the addresses of the last pages.
    """

    n_pages: int = 0
    counts: dict[int, int] = field(default_factory=dict)
    known: list[int] = field(default_factory=list)

    def learn(self, url: str, lines: Collection[int]) -> bool:
        """Count the lines of a page's article. Return False if the page does not count.

        A page counts once. A page on which every line is known is a copy of others.
        """
        page = crc32(url.encode("utf-8", "replace"))
        if page in self.known or all(line in self.counts for line in lines):
            return False
        self.known = [*self.known[1 - MAX_KNOWN :], page]
        self.n_pages += 1
        for line in lines:
            self.counts[line] = self.counts.pop(line, 0) + 1
        if len(self.counts) > MAX_LINES:
            # Of lines on as many pages, those seen last stay.
            best = {*sorted(self.counts, key=self.counts.__getitem__)[-MAX_LINES:]}
            self.counts = {line: n for line, n in self.counts.items() if line in best}
        if self.n_pages >= WINDOW:
            self.n_pages //= 2
            self.counts = {line: (n + 1) // 2 for line, n in self.counts.items() if n > 1}
        return True

    def lines(self) -> frozenset[int]:
        """Hashes of the lines that are frame."""
        least = max(MIN_PAGES, MIN_SHARE * self.n_pages)
        return frozenset(line for line, n in self.counts.items() if n >= least)

    def dump(self) -> bytes:
        """Pack what was learnt, in about 1 KiB at most."""
        return msgspec.msgpack.encode((self.n_pages, self.counts, self.known))

    @classmethod
    def load(cls, packed: bytes) -> Self:
        """Unpack what was learnt; `packed` is empty for a site without pages so far."""
        return cls(*msgspec.msgpack.decode(packed, type=_Packed)) if packed else cls()


def article_lines(found: Collected, article: Article) -> dict[int, int]:
    """Return the lines of an article that may be frame, by number, and the hash of each.

    Empty for a page without an article and for a list of articles. Headings, code and short
    lines are left out.
    """
    if not article.is_one:
        return {}
    kept = [line for line, keep in enumerate(article.kept) if keep]
    if not kept:
        return {}
    headings = [line for line in range(kept[0], kept[-1]) if _tag(found, line) in _HEADINGS]
    if sum(_is_linked(found, line) for line in headings) > MAX_LINKED_HEADINGS:
        return {}
    lines: dict[int, int] = {}
    for some in (kept, kept[::-1]):
        left = EDGE_LINES
        for line in some:
            if left == 0 or line in lines:
                break
            if _tag(found, line) in _LEFT_OUT:
                continue
            said = (
                "".join(found.segments[_segments(found, line)]).strip().encode("utf-8", "replace")
            )
            if len(said) >= MIN_LINE:
                lines[line] = crc32(said)
                left -= 1
    return lines


def without_frame(
    found: Collected, article: Article, lines: Mapping[int, int], frame: Collection[int]
) -> Article:
    """Return the article without the lines that are frame, and without headings of nothing else.

    A page of which hardly anything would be left is a copy, or says what its site always says:
    it stays as it is.
    """
    repeated = {line for line, hashed in lines.items() if hashed in frame}
    if not repeated:
        return article
    sizes = [0] * len(article.kept)
    for text, line in zip(found.segments, found.lines, strict=True):
        if article.kept[line]:
            sizes[line] += _n_bytes(text)
    n_left = sum(sizes) - sum(sizes[line] for line in repeated)
    if n_left < MIN_LEFT * sum(sizes):
        return article
    kept, own = bytearray(article.kept), bytearray(article.own)
    for line in repeated | _emptied_headings(found, article, repeated):
        kept[line] = own[line] = 0
    return Article(kept, own, article.is_one)


def _emptied_headings(found: Collected, article: Article, repeated: set[int]) -> set[int]:
    """Headings below which nothing is left up to the next heading."""
    n_lines = len(found.line_blocks)
    emptied: set[int] = set()
    for line in repeated:
        above = line - 1
        while above >= 0 and (above in repeated or not article.kept[above]):
            above -= 1
        below = line + 1
        while below < n_lines and (below in repeated or not article.kept[below]):
            below += 1
        is_end = below == n_lines or _tag(found, below) in _HEADINGS
        if above >= 0 and is_end and _tag(found, above) in _HEADINGS:
            emptied.add(above)
    return emptied


def _tag(found: Collected, line: int) -> str:
    """The tag of the block that holds a line; "" for none, as on pages of mere line breaks."""
    block = found.line_blocks[line]
    return found.blocks.tags[block] if block >= 0 else ""


def _is_linked(found: Collected, line: int) -> bool:
    return all(kind == ANCHOR for kind in found.classes[_segments(found, line)])


def _segments(found: Collected, line: int) -> slice:
    """Where the segments of a line stand."""
    first = bisect_left(found.lines, line)
    return slice(first, bisect_right(found.lines, line, first))


def _n_bytes(text: str) -> int:
    return len(text.strip().encode("utf-8", "replace"))
