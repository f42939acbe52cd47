"""One pass over a page's tags: what lxml's SAX events add up to."""

import re

from crawler.page.article.block_roles import TAG_ROLES, block_role
from crawler.page.collected import Anchor, Collected
from crawler.page.dates.date_clues import is_published_mark, names_a_date
from crawler.page.head import read_link, read_meta
from crawler.page.parsed import ANCHOR, PLAIN, STRONG

MAX_TEXT_CHARS = 2 * 1024 * 1024
MAX_LINKS = 2000
MAX_ATTRIBUTES = 1000
MAX_DEPTH = 512
MAX_ELEMENTS = 300_000
_MAX_PATH = 24
#: Of longer classes is not remembered from page to page what they say.
_MAX_CLASS_CHARS = 200

_TEXT_BLOCKS = """
    address article aside blockquote button caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form frameset h3 h4 h5 h6 header hgroup hr legend li main
    menu nav ol optgroup option p pre search section select summary table tbody td tfoot th thead
    tr ul
"""
_BLOCK, _HEADING, _STRONG_TAG, _LINK, _UNSEEN, _HEAD, _OTHER = range(1, 8)
_KINDS = {
    **dict.fromkeys(_TEXT_BLOCKS.split(), _BLOCK),
    **dict.fromkeys(("h1", "h2"), _HEADING),
    **dict.fromkeys(("strong", "b"), _STRONG_TAG),
    **dict.fromkeys(("a", "area"), _LINK),
    **dict.fromkeys(("script", "style", "noscript", "template", "iframe", "object"), _UNSEEN),
    **dict.fromkeys(("html", "title", "meta", "link", "base"), _HEAD),
    **dict.fromkeys(("br", "img", "frame", "time"), _OTHER),
}
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_DIGITS = re.compile(r"\d+")


class EnoughError(Exception):
    """The page goes past a limit; what was collected so far stands."""


class TooDeepError(EnoughError):
    """Elements nest deeper than is worth following."""


class Collector:
    """A parser target for lxml: gathers text, links and head data in one pass.

    Invisible elements (script, style, noscript, template, `hidden`, display:none) give neither text
    nor links, only noscript gives links. A page hides links from people either to set traps or to
    repeat them.
    """

    __slots__ = (
        *("found", "_buffer", "_n_chars", "_n_elements", "_line", "_line_used", "_stack"),
        *("_blocks", "_strong", "_anchor", "_unseen", "_in_noscript", "_in_title"),
        *("_spans", "_tags", "_roles"),
    )

    def __init__(self) -> None:
        found = self.found = Collected()
        # They are added to for every second element.
        self._spans, self._tags = found.block_spans, found.blocks.tags
        self._roles = found.blocks.roles
        self._buffer: list[str] = []
        self._n_chars = 0
        self._n_elements = 0
        self._line = 0
        self._line_used = False
        self._stack: list[str] = []
        self._blocks: list[int] = []
        self._strong = 0
        self._anchor: Anchor | None = None
        self._unseen = 0
        self._in_noscript = False
        self._in_title = False

    # The four methods lxml calls.

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Enter an element."""
        self._n_elements += 1
        if self._n_elements > MAX_ELEMENTS:
            self.found.flags.add("truncated")
            raise EnoughError
        if self._unseen:
            self._unseen += 1
            if self._in_noscript and tag == "a":
                self._add_anchor(attributes)
            return
        name, is_date, role, kind = _facts[tag, attributes.get("class")]
        self._stack.append(name)
        if len(self._stack) > MAX_DEPTH:
            raise TooDeepError
        # Most elements have a class alone.
        has_more = len(attributes) > ("class" in attributes)
        if (
            has_more
            and ("hidden" in attributes or "style" in attributes)
            and _is_hidden(attributes)
        ):
            kind = _UNSEEN
        if kind == _BLOCK:
            if self._buffer or self._line_used:
                self._break_line()
            self._blocks.append(len(self._spans))
            self._spans.append([self._line, self._line])
            self._tags.append(tag)
            self._roles.append(_role(tag, attributes, role) if has_more else role)
        elif kind == _LINK:
            if self._buffer:
                self._flush()
            self._start_anchor(attributes)
        elif kind:
            self._start_other(kind, tag, attributes, role)
        if (
            has_more
            and ("itemprop" in attributes or "property" in attributes)
            and is_published_mark(attributes)
        ):
            self._add_time(attributes)
        elif is_date:
            self._flush()
            self.found.clues.add_named(
                attributes, self._stack, self._line, len(self.found.segments)
            )

    def end(self, tag: str) -> None:
        """Leave an element."""
        if self._unseen:
            self._unseen -= 1
            if self._unseen:
                return
            self._in_noscript = self.found.clues.in_script = False
            self._stack.pop()
            return
        self._stack.pop()
        kind = _KINDS.get(tag, 0)
        if kind == _BLOCK:
            if self._buffer or self._line_used:
                self._break_line()
            self._spans[self._blocks.pop()][1] = self._line
        elif kind == _LINK:
            if self._buffer:
                self._flush()
            self._end_anchor()
        elif kind == _STRONG_TAG:
            self._flush()
            self._strong -= 1
        elif kind == _HEADING:
            self._break_line()
            self._strong -= 1
            self._close_block()
        elif tag == "title" and self._in_title:
            self.found.title = "".join(self._buffer)
            self._buffer.clear()
            self._in_title = False

    def data(self, text: str) -> None:
        """Read a piece of text."""
        if self._unseen:
            if self.found.clues.in_script:
                self.found.clues.add_script_text(text)
            return
        self._n_chars += len(text)
        if self._n_chars > MAX_TEXT_CHARS:
            self.found.flags.add("text_cut")
            text = text[: MAX_TEXT_CHARS - self._n_chars]
            self._n_chars = MAX_TEXT_CHARS
        self._buffer.append(text)

    def close(self) -> Collected:
        """Finish the last line and hand over what was found."""
        self._break_line()
        self._end_anchor()
        while self._blocks:
            self._close_block()
        return self.found

    # Text.

    def _flush(self) -> None:
        if not self._buffer:
            return
        text = "".join(self._buffer)
        self._buffer.clear()
        found = self.found
        if text.isspace():
            # One blank is enough: each is added at the cost of a copy.
            if self._line_used and not found.segments[-1].endswith(" "):
                found.segments[-1] += " "
            return
        if text:
            if not self._line_used:
                found.line_blocks.append(self._blocks[-1] if self._blocks else -1)
            found.segments.append(text)
            found.classes.append(ANCHOR if self._anchor else STRONG if self._strong else PLAIN)
            found.lines.append(self._line)
            self._line_used = True

    def _break_line(self) -> None:
        if self._buffer:
            self._flush()
        if self._line_used:
            self._line += 1
            self._line_used = False

    def _open_block(self, tag: str, attributes: dict[str, str], role: int) -> None:
        """Begin a block; `role` is what its tag and class say."""
        self._blocks.append(len(self._spans))
        self._spans.append([self._line, self._line])
        self._tags.append(tag)
        self._roles.append(_role(tag, attributes, role))

    def _close_block(self) -> None:
        self._spans[self._blocks.pop()][1] = self._line

    # Elements.

    def _start_other(self, kind: int, tag: str, attributes: dict[str, str], role: int) -> None:
        if kind == _UNSEEN:
            self._unseen = 1
            self._in_noscript = tag == "noscript"
            if tag == "script":
                self.found.clues.enter_script(attributes)
        elif kind == _STRONG_TAG:
            self._flush()
            self._strong += 1
        elif kind == _HEADING:
            self._break_line()
            self._open_block(tag, attributes, role)
            self._strong += 1
            if tag == "h1" and not self.found.clues.heading_line:
                self.found.clues.heading_line = self._line
        elif tag == "br":
            self._break_line()
        elif tag == "img":
            if self._anchor and not self._anchor.alt:
                self._anchor.alt = attributes.get("alt", "")
        elif tag == "time":
            self._add_time(attributes)
        elif tag == "frame":
            self._add_anchor({"href": attributes.get("src", "")})
        elif kind == _HEAD:
            self._read_head(tag, attributes)

    def _read_head(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "title":
            self._start_title()
        elif tag == "html":
            self.found.language = attributes.get("lang") or attributes.get("xml:lang") or ""
        elif tag == "base":
            self.found.base = self.found.base or attributes.get("href", "")
        elif tag == "meta":
            target = read_meta(self.found, attributes)
            if target:
                self._add_anchor({"href": target})
        else:
            read_link(self.found, attributes)

    def _start_title(self) -> None:
        if self.found.title or "svg" in self._stack:
            self._unseen = 1
        else:
            self._flush()
            self._in_title = True

    def _add_time(self, attributes: dict[str, str]) -> None:
        self._flush()
        self.found.clues.add_time(attributes, self._stack, self._line, len(self.found.segments))

    # Links.

    def _start_anchor(self, attributes: dict[str, str]) -> None:
        self._end_anchor()
        anchor = self._add_anchor(attributes)
        if anchor is not None:
            anchor.alt = attributes.get("alt", "")
            anchor.first = anchor.last = len(self.found.segments)
            anchor.block = self._blocks[-1] if self._blocks else -1
            anchor.line = self._line
            anchor.path = "/".join(self._stack[1:][-_MAX_PATH:])
        self._anchor = anchor

    def _add_anchor(self, attributes: dict[str, str]) -> Anchor | None:
        href = attributes.get("href", "").strip()
        if not href or href[0] == "#":
            return None
        if len(self.found.anchors) >= 2 * MAX_LINKS:
            self.found.flags.add("links_cut")
            return None
        anchor = Anchor(href, attributes.get("rel", "").lower())
        self.found.anchors.append(anchor)
        return anchor

    def _end_anchor(self) -> None:
        if self._anchor is not None:
            self._anchor.last = len(self.found.segments)
            self._anchor = None


_ElementFacts = tuple[str, bool, int, int]


class _FactsByClass(dict[tuple[str, str | None], _ElementFacts]):
    """What tags and classes say: the pages of a site have the same ones.

    The element's name in tag paths, which is the tag with the stem of the first class, if there
    is any; whether the class is a date's; the block's role, and the kind of element.
    """

    MAX_KEPT = 4096

    def __missing__(self, key: tuple[str, str | None]) -> _ElementFacts:
        tag, classes = key
        facts = _read_class(tag, classes)
        if len(tag) + len(classes or "") <= _MAX_CLASS_CHARS:
            if len(self) >= self.MAX_KEPT:
                self.clear()  # A hostile page must not stay in memory.
            self[key] = facts
        return facts


def _read_class(tag: str, classes: str | None) -> _ElementFacts:
    kind = _KINDS.get(tag, 0)
    if classes is None:
        return tag, False, TAG_ROLES.get(tag, 0), kind
    first = classes[:200].split()[:1]
    stem = _DIGITS.sub("", first[0]).strip("-_")[:30] if first else ""
    name = f"{tag}.{stem}" if stem else tag
    role = block_role(tag, classes, None, None, None) if kind in (_BLOCK, _HEADING) else 0
    return name, names_a_date(classes), role, kind


_facts = _FactsByClass()


def _role(tag: str, attributes: dict[str, str], role: int) -> int:
    """A block's role, if its tag and class say `role`."""
    if "id" in attributes or "role" in attributes or "itemprop" in attributes:
        return block_role(tag, *map(attributes.get, ("class", "id", "role", "itemprop")))
    return role


def _is_hidden(attributes: dict[str, str]) -> bool:
    if "hidden" in attributes:
        return True
    return "style" in attributes and _HIDDEN_STYLE.search(attributes["style"]) is not None
