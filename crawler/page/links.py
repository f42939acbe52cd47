"""A page's links: resolved, each once, with anchor and block tokens."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from crawler.page.clean import clean_line
from crawler.page.collect import MAX_LINKS
from crawler.page.collected import Anchor, Collected
from crawler.page.parsed import PageLink
from crawler.page.url import MAX_REMEMBERED, find_canonical, normalise_link
from crawler.text.tokens import tokenize

MAX_ANCHOR_CHARS = 200
#: A block element of more tokens says little about one link in it: then the
#: link's own line stands for the block, cut into pieces of `MAX_LINE_TOKENS`.
MAX_BLOCK_TOKENS = 60
MAX_LINE_TOKENS = 200

#: Longer addresses are not remembered from page to page.
MAX_REMEMBERED_CHARS = 500

_NOFOLLOW = frozenset({"nofollow", "ugc", "sponsored"})
_OTHER_SCHEMES = ("javascript:", "mailto:", "tel:", "data:", "blob:", "about:", "file:")


def _resolved(href: str, base: str) -> str:
    if not href or href[:11].lower().startswith(_OTHER_SCHEMES):
        return ""
    # One bad href must not lose the others; it is skipped.
    return normalise_link(find_canonical(href, base or None))


# A menu's links come with every page.
_resolved_again = lru_cache(maxsize=MAX_REMEMBERED)(_resolved)


def _origin_of(url: str) -> str:
    """What a path is resolved by: all before the path, and its first slash."""
    return url[: url.index("/", url.index("/") + 2) + 1]


class LinkBuilder:
    """Makes the `PageLink` values of one page.

    Parameters
    ----------
    url : str
        Canonical URL of the page.
    tokens : list of str
        Tokens of the page's segments.
    ends : sequence of int
        For each of ``found.segments``, the number of `tokens` up to its end.
    start : int
        Number of `tokens` before the first segment.
    frame : mapping of int to list of str
        The tokens of ``found.frame_anchors``.
    """

    def __init__(
        self,
        url: str,
        found: Collected,
        *,
        tokens: list[str],
        ends: Sequence[int],
        start: int,
        frame: Mapping[int, list[str]],
    ) -> None:
        self.blocks: list[list[str]] = []
        self.spans: list[tuple[int, int]] = []
        self._found = found
        self._tokens = tokens
        self._frame = frame
        self._offsets = [start, *ends]
        self._url = url
        self._base = url
        self._resolved: dict[str, str] = {}
        self._block_ids: dict[tuple[int, int], int] = {}
        self._origin = _origin_of(url)
        if found.base:
            self._base = self.resolve(found.base) or url
            self._origin = _origin_of(self._base)

    def resolve(self, href: str) -> str:
        """Return the canonical absolute URL of an href, "" if it is not one to follow."""
        known = self._resolved.get(href)
        if known is None:
            known = self._resolved[href] = self._resolve(href)
        return known

    def _resolve(self, href: str) -> str:
        if len(href) <= MAX_REMEMBERED_CHARS:
            if href.startswith(("http://", "https://")):
                return _resolved_again(href, "")
            if href[:1] == "/" and href[:2] != "//":
                return _resolved_again(href, self._origin)
        return _resolved(href, self._base)

    def links(self) -> list[PageLink]:
        """Build the links in page order, without those to the page itself."""
        links: list[PageLink] = []
        places: dict[str, int] = {}
        for anchor in self._found.anchors:
            url = self.resolve(anchor.href)
            if not url or url == self._url:
                continue
            place = places.get(url)
            if place is not None:
                links[place] = self._merge(links[place], anchor)
            elif len(links) < MAX_LINKS:
                places[url] = len(links)
                links.append(self._link(url, anchor))
            else:
                self._found.flags.add("links_cut")
        return links

    def _merge(self, link: PageLink, again: Anchor) -> PageLink:
        """Take a later anchor if the first had no text; nofollow only if both say so."""
        if link.anchor and not link.nofollow and link.in_frame <= again.in_frame:
            return link
        other = self._link(link.url, again)
        best = min(other, link, key=lambda one: (one.in_frame, not one.anchor, one is other))
        return replace(best, nofollow=link.nofollow and other.nofollow)

    def _link(self, url: str, anchor: Anchor) -> PageLink:
        text, tokens = self._said(anchor)
        text = clean_line(text, MAX_ANCHOR_CHARS)
        if not text and anchor.alt:
            text = clean_line(anchor.alt, MAX_ANCHOR_CHARS)
            tokens = tokenize(text)
        return PageLink(
            url=url,
            anchor=text,
            tokens=tokens,
            block=-1 if anchor.in_frame else self._block(anchor),
            path=anchor.path,
            nofollow=bool(anchor.rel) and not _NOFOLLOW.isdisjoint(anchor.rel.split()),
            in_frame=anchor.in_frame,
        )

    def _said(self, anchor: Anchor) -> tuple[str, list[str]]:
        found, first, last = self._found, anchor.first, anchor.last
        tokens = self._tokens[self._offsets[first] : self._offsets[last]]
        if last - first == 1 and found.segments[first]:
            return found.segments[first], tokens
        # A link may stand across the border of the article: then both parts are its text.
        framed = [i for i in range(first, last) if i in found.frame_anchors]
        texts = [*found.segments[first:last], *map(found.frame_anchors.get, framed)]
        for i in framed:
            tokens += self._frame[i]
        return " ".join(filter(None, texts)), tokens

    def _block(self, anchor: Anchor) -> int:
        """Index in `blocks` of the text around an anchor, -1 if there is none."""
        start, end = self._block_range(anchor)
        if start == end:
            return -1
        block = self._block_ids.get((start, end))
        if block is None:
            block = self._block_ids[start, end] = len(self.blocks)
            self.blocks.append(self._tokens[start:end])
            self.spans.append((start, end))
        return block

    def _block_range(self, anchor: Anchor) -> tuple[int, int]:
        """Range of tokens of the block element around an anchor, or of its line."""
        if anchor.block >= 0:
            start, end = self._line_range(*self._found.block_spans[anchor.block])
            if end - start <= MAX_BLOCK_TOKENS:
                return start, end
        if anchor.first == anchor.last:
            return 0, 0
        lines = self._found.lines
        start, end = self._line_range(lines[anchor.first], lines[anchor.last - 1] + 1)
        piece = (self._offsets[anchor.first] - start) // MAX_LINE_TOKENS
        start += piece * MAX_LINE_TOKENS
        return start, min(end, start + MAX_LINE_TOKENS)

    def _line_range(self, first: int, after_last: int) -> tuple[int, int]:
        lines, offsets = self._found.lines, self._offsets
        return offsets[bisect_left(lines, first)], offsets[bisect_left(lines, after_last)]
