"""HTML for a page of which only the parsed form is stored.

The parser finds the same again: title, tokens, links with their anchors, and the block
around each. What is lost: strong words within a line, scripts, pictures, layout.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from itertools import accumulate

from crawler.page.parsed import PLAIN, PageLink, ParsedPage
from crawler.text.tokens import tokenize


def page_markup(page: ParsedPage, text: str, published: datetime | None = None) -> str:
    """Write a page that is parsed to what it was.

    Parameters
    ----------
    page : ParsedPage
        With its links, `spans` and terms; its own `text` is not used.
    text : str
        One line per block element.
    """
    lines = _lines(page, text)
    lost = [link for link in page.links if not _place(link, page.spans, lines)]
    body = _body(lines, _outer_blocks(page, lines))
    body += [f"<p>{_picture(link)}</p>" for link in lost]
    return "\n".join([*_head(page, lines, published), "<body>", *body, "</body></html>", ""])


@dataclass(slots=True)
class _Line:
    """A line of text: its place among the page's tokens, and the links found in it."""

    text: str
    first: int
    after_last: int
    is_heading: bool
    links: list[tuple[int, int, PageLink]] = field(default_factory=list)
    pictures: list[PageLink] = field(default_factory=list)
    is_bare: bool = False

    def markup(self) -> str:
        """Return its text with its links, escaped."""
        parts, done = [], 0
        for start, end, link in sorted(self.links, key=lambda found: found[:2]):
            parts.append(escape(self.text[done:start], quote=False))
            parts.append(f"{_open(link)}{escape(self.text[start:end], quote=False)}</a>")
            done = end
        parts.append(escape(self.text[done:], quote=False))
        return "".join(parts) + "".join(map(_picture, self.pictures))


def _lines(page: ParsedPage, text: str) -> list[_Line]:
    """Cut the text into lines, and find the position of each among the tokens."""
    texts = text.split("\n") if text else []
    counts = [len(tokenize(line)) for line in texts]
    # Title and meta texts come first; what is left over is theirs.
    start = max(len(page.terms) - sum(counts), page.terms.n_title)
    ends = list(accumulate(counts, initial=start))
    classes = page.terms.classes
    return [
        _Line(line, first, last, last > first and PLAIN not in classes[first:last])
        for line, first, last in zip(texts, ends, ends[1:], strict=False)
    ]


def _place(link: PageLink, spans: Sequence[tuple[int, int]], lines: list[_Line]) -> bool:
    """Find a link's anchor in the lines of its block; False if it does not occur."""
    if link.block < 0 or link.block >= len(spans):
        return False
    inside = _lines_of(spans[link.block], lines)
    for number in inside:
        line = lines[number]
        start = _free_place(line, link.anchor)
        if start >= 0:
            line.links.append((start, start + len(link.anchor), link))
            return True
    if not inside:
        return False
    # No text of its own: a picture, or an anchor that goes over several lines.
    lines[inside[-1]].pictures.append(link)
    return True


def _lines_of(span: tuple[int, int], lines: list[_Line]) -> range:
    """Numbers of the lines that a span of tokens touches."""
    first = bisect_right(lines, span[0], key=lambda line: line.first) - 1
    after_last = bisect_right(lines, span[1] - 1, key=lambda line: line.first)
    return range(max(first, 0), after_last)


def _free_place(line: _Line, anchor: str) -> int:
    """Where an anchor stands in a line behind the links found there already, else -1."""
    if not anchor:
        return -1
    taken = max((end for _, end, _ in line.links), default=0)
    found = line.text.find(anchor, taken)
    if found >= 0 or not line.links:
        return found
    # A link may be listed behind one that stands after it: its first anchor had no text.
    found = line.text.find(anchor)
    is_free = all(found + len(anchor) <= start or found >= end for start, end, _ in line.links)
    return found if is_free else -1


def _outer_blocks(page: ParsedPage, lines: list[_Line]) -> list[tuple[int, int]]:
    """Blocks of links that hold several lines: their first line, and the one after the last."""
    used = sorted({link.block for link in page.links if 0 <= link.block < len(page.spans)})
    found: set[tuple[int, int]] = set()
    for block in used:
        inside = _lines_of(page.spans[block], lines)
        # A piece of a long line is not a block of its own.
        if len(inside) > 1 and lines[inside[0]].first == page.spans[block][0]:
            found.add((inside.start, inside.stop))
            for number in inside:
                lines[number].is_bare |= any(
                    link.block == block for *_, link in lines[number].links
                ) or any(link.block == block for link in lines[number].pictures)
    return sorted(found, key=lambda block: (block[0], -block[1]))


def _body(lines: list[_Line], blocks: Sequence[tuple[int, int]]) -> list[str]:
    parts: list[str] = []
    for number, line in enumerate(lines):
        parts += ["<div>" for first, _ in blocks if first == number]
        if line.is_bare:
            parts.append(f"{line.markup()}<br>")
        else:
            tag = "h2" if line.is_heading else "p"
            parts.append(f"<{tag}>{line.markup()}</{tag}>")
        parts += ["</div>" for _, after_last in blocks if after_last == number + 1]
    return parts


def _head(page: ParsedPage, lines: list[_Line], published: datetime | None) -> list[str]:
    language = f' lang="{escape(page.language)}"' if page.language else ""
    head = ["<!DOCTYPE html>", f'<html{language}><head><meta charset="utf-8">']
    head.append(f"<title>{escape(page.title, quote=False)}</title>")
    after_last = lines[0].first if lines else len(page.terms)
    about = list(page.terms.tokens())[page.terms.n_title : after_last]
    if about:
        head.append(f'<meta name="description" content="{escape(" ".join(about))}">')
    if published is not None:
        date = published.isoformat()
        head.append(f'<meta property="article:published_time" content="{date}">')
    if page.canonical:
        head.append(f'<link rel="canonical" href="{escape(page.canonical)}">')
    if page.noindex:
        head.append('<meta name="robots" content="noindex">')
    return [*head, "</head>"]


def _open(link: PageLink) -> str:
    return f'<a href="{escape(link.url)}">'


def _picture(link: PageLink) -> str:
    """A link without text: its anchor is what its picture shows."""
    if not link.anchor:
        return f"{_open(link)}</a>"
    return f'{_open(link)}<img alt="{escape(link.anchor)}"></a>'
