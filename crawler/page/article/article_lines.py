"""Which lines of a page are its article, and which the frame of its site."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Self

from crawler.page.article.article_labels import (
    MAX_LABEL,
    MAX_REMARK,
    is_label,
    is_remark,
    prompts_in,
)
from crawler.page.article.block_roles import ARTICLE, ASIDE, BODY, FRAME
from crawler.page.collected import Collected
from crawler.page.parsed import ANCHOR

#: Bytes in UTF-8 without links from which on a line with a mark of punctuation is prose. A
#: Chinese character takes three, about as many letters as it stands for.
MIN_PROSE: Final = 80
#: A page with less prose in all is measured by all its text without links.
MIN_ARTICLE: Final = 400
#: A shorter article is one if it is such a share of what does not say to be frame.
_MIN_SHARE: Final = 0.2
#: A block whose class or id may name a part of the frame is one if it holds less prose.
MAX_ASIDE: Final = 200
#: Share of the page's prose that the article's element holds, by what it says of itself.
_SHARES: Final = {BODY: 0.4, ARTICLE: 0.5}
_SHARE: Final = 0.75

_PUNCTUATION = ".,:;!?。，！？；：、…"
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CONTAINERS = frozenset(
    """
    div section article main td th tr table tbody center dd dl li ul form fieldset blockquote
    details
    """.split()
)
#: Elements of which most is links are lists of links, whatever stands around them.
_LISTS = frozenset("ul ol table div section dl p li".split())


@dataclass(slots=True)
class _Lines:
    """For each line of a page its bytes in all, in links, without links, and in prose."""

    size: list[int]
    linked: list[int]
    plain: list[int]
    prose: list[int]

    @classmethod
    def of(cls, found: Collected) -> Self:
        n_lines = found.lines[-1] + 1 if found.lines else 0
        size, linked = [0] * n_lines, [0] * n_lines
        for text, kind, line in zip(found.segments, found.classes, found.lines, strict=True):
            bare = text.strip()
            n_bytes = len(bare if bare.isascii() else bare.encode("utf-8", "replace"))
            size[line] += n_bytes
            if kind == ANCHOR:
                linked[line] += n_bytes
        pairs = zip(size, linked, strict=True)
        plain = [both - link if 2 * link <= both else 0 for both, link in pairs]
        prose = [0] * n_lines
        for text, kind, line in zip(found.segments, found.classes, found.lines, strict=True):
            # To look for one mark after the other takes a part of the time of a pattern.
            if (
                plain[line] >= MIN_PROSE
                and kind != ANCHOR
                and not prose[line]
                and any(map(text.__contains__, _PUNCTUATION))
            ):
                prose[line] = plain[line]
        return cls(size, linked, plain, prose)


@dataclass(frozen=True, slots=True)
class Article:
    """Which lines of a page are its article.

    Attributes
    ----------
    kept, own : bytearray
        1 for each line that is text of the article; 1 for each line whose links are its own.
    is_one : bool
        False for a front page or a list of links: then `kept` is all that does not say of
        itself to be frame.
    """

    kept: bytearray
    own: bytearray
    is_one: bool

    @property
    def ends(self) -> tuple[int, ...]:
        """First and last line; nothing if there is none."""
        return (self.kept.find(1), self.kept.rfind(1)) if any(self.kept) else ()


def find_article(found: Collected) -> Article:
    """Separate a page's article from the frame of its site; a short page is kept whole."""
    lines = _Lines.of(found)
    framed = _framed_lines(found, lines)
    kept, own = _article_lines(found, lines, framed)
    n_bytes = sum(lines.plain[line] for line, keep in enumerate(kept) if keep)
    n_unframed = sum(_outside(lines.size, framed))
    is_one = n_bytes >= min(MIN_ARTICLE, _MIN_SHARE * n_unframed)
    if not is_one or n_unframed < MIN_ARTICLE:
        kept = bytearray(not frame for frame in framed)
        if not any(kept):
            kept = bytearray(b"\1" * len(kept))
        own = kept
    return Article(kept, own, is_one)


def drop_frame(found: Collected, article: Article) -> None:
    """Empty the segments of the frame; its links stay, marked, texts in `found.frame_anchors`."""
    _mark_anchors(found, article.kept, article.own)
    for number, (kind, line) in enumerate(zip(found.classes, found.lines, strict=True)):
        if not article.kept[line]:
            if kind == ANCHOR:
                found.frame_anchors[number] = found.segments[number]
            found.segments[number] = ""


def _mark_anchors(found: Collected, kept: bytearray, own: bytearray) -> None:
    """Mark the links that are not the article's own; what stands above it never is."""
    first = kept.find(1)
    for anchor in found.anchors:
        line = min(anchor.line, len(kept) - 1)
        anchor.in_frame = line >= 0 and (line < first or not own[line])


def _framed_lines(found: Collected, lines: _Lines) -> bytearray:
    """1 for each line in an element that says to be frame, unless that is most of the page."""
    plain, prose = _sums(lines.plain), _sums(lines.prose)
    framed = bytearray(len(lines.plain))
    blocks = zip(found.block_spans, found.blocks.tags, found.blocks.roles, strict=True)
    mains = [span for span, tag, role in blocks if role == BODY or tag == "main"][:9]
    for (first, last), role in zip(found.block_spans, found.blocks.roles, strict=True):
        if (
            role in (FRAME, ASIDE)
            and first < last
            and plain[last] - plain[first] <= max(plain[-1] / 2, MAX_ASIDE)
            and (role == FRAME or prose[last] - prose[first] < MAX_ASIDE)
            and not any(first <= a < b <= last for a, b in mains)
        ):
            framed[first:last] = b"\1" * (last - first)
    return framed


def _article_lines(
    found: Collected, lines: _Lines, framed: bytearray
) -> tuple[bytearray, bytearray]:
    """1 for each line of the article; 1 for those and for the lists of links in it."""
    prose = _outside(lines.prose, framed)
    if sum(prose) < MIN_ARTICLE:
        prose = _outside(lines.plain, framed)
    first, last = _container(found, _sums(prose))
    listed = _listed_lines(found, lines, first, last)
    kept = bytearray(len(prose))
    for line in range(first, last):
        kept[line] = not framed[line] and not listed[line] and lines.plain[line] > 0
    # What introduces the article often stands apart from its body, below the heading.
    start = _introduction(found, first, last)
    while start > 0 and prose[start - 1]:
        start -= 1
    for line in range(start, first):
        kept[line] = prose[line] > 0
    own = bytearray(kept)
    for line in range(first, last):
        own[line] = not framed[line]
    _drop_asides(found, lines, kept, own)
    return kept, own


def _drop_asides(found: Collected, lines: _Lines, kept: bytearray, own: bytearray) -> None:
    """Drop remarks, what follows a line such as "Related articles", and headings of nothing."""
    texts: dict[int, str] = {}
    for text, line in zip(found.segments, found.lines, strict=True):
        if kept[line] and lines.size[line] <= MAX_REMARK:
            texts[line] = texts.get(line, "") + text
    tags = found.blocks.tags
    heads = bytearray(len(kept))
    for line, block in enumerate(found.line_blocks):
        if block >= 0 and tags[block] in _HEADINGS:
            heads[line] = 1
    prompts = prompts_in(texts.values())
    for label, text in texts.items():
        if kept[label] and is_remark(text, prompts):
            kept[label] = own[label] = 0
        elif kept[label] and lines.size[label] <= MAX_LABEL and is_label(text):
            kept[label] = own[label] = 0
            for line in range(label + 1, len(kept)):
                if lines.prose[line] or heads[line]:
                    break
                kept[line] = own[line] = 0
    for line in range(len(kept) - 1, -1, -1):
        if kept[line]:
            if not heads[line] and not texts.get(line, "").rstrip().endswith((":", "：")):
                break
            kept[line] = 0


def _outside(sizes: list[int], framed: bytearray) -> list[int]:
    return [0 if frame else size for size, frame in zip(sizes, framed, strict=True)]


def _container(found: Collected, prose: list[int]) -> tuple[int, int]:
    """The lines of the smallest element that holds most of the prose."""
    best = (0, len(prose) - 1)
    # Most elements are too small whatever they say, which is cheaper to see at once.
    least = min(_SHARES.values()) * prose[-1]
    blocks = zip(found.block_spans, found.blocks.tags, found.blocks.roles, strict=True)
    for (first, last), tag, role in blocks:
        inside = prose[last] - prose[first]
        if (
            inside > least
            and inside > _SHARES.get(role, _SHARE) * prose[-1]
            and last - first <= best[1] - best[0]
            and tag in _CONTAINERS
        ):
            best = (first, last)
    return best


def _listed_lines(found: Collected, lines: _Lines, first: int, last: int) -> bytearray:
    """1 for each line inside an element of which more than half is links."""
    size, linked = _sums(lines.size), _sums(lines.linked)
    listed = bytearray(len(lines.size))
    for (start, end), tag in zip(found.block_spans, found.blocks.tags, strict=True):
        if first <= start < end <= last and tag in _LISTS:
            n_bytes = size[end] - size[start]
            if 2 * (n_bytes - linked[end] + linked[start]) < n_bytes:
                listed[start:end] = b"\1" * (end - start)
    return listed


def _introduction(found: Collected, first: int, last: int) -> int:
    """The line from which on prose above the container belongs to the article."""
    heading = found.clues.heading_line
    start = heading if 0 < heading < first else first
    for (begin, end), role in zip(found.block_spans, found.blocks.roles, strict=True):
        if role in (ARTICLE, BODY) and begin <= first and last <= end:
            start = begin
    return start


def _sums(sizes: list[int]) -> list[int]:
    """For each line the sum of all before it, and the sum of all at the end."""
    return [0, *accumulate(sizes)]
