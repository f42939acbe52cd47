"""A second reader for pages the parser cannot take: no tree, linear time."""

import html
import re

from crawler.page.collect import Collector

# No quantifier here can run over a '<', so hostile input stays linear.
_TAG = re.compile(r"<!--|<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})\b([^<>]*)>|<[!?][^<>]*>")
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(href|rel|lang|name|content|hidden|style|src|alt)(?![\w-])"
    r"(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+)))?",
    re.IGNORECASE,
)
_RAW_ENDS = {
    tag: re.compile(f"</{tag}", re.IGNORECASE)
    for tag in ("script", "style", "template", "noscript", "iframe", "object", "svg")
}
_PAIRED = frozenset({"a", "title", "b", "strong"})
_SINGLE = frozenset({"html", "base", "meta", "link", "br", "img", "frame"})
_BREAK_TAGS = """
    article aside blockquote body dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li main
    nav ol p pre section table td th tr ul
"""
_BREAKS = frozenset(_BREAK_TAGS.split())
_MAX_ATTRIBUTE_CHARS = 20_000


def scan_flat(text: str, collector: Collector) -> None:
    """Feed a page to a collector without building on its nesting.

    Block elements only break lines, headings count as plain text; anchors,
    bold text, the title and head data are understood. The collector's
    EnoughError passes through.
    """
    place = 0
    open_tags: list[str] = []
    while match := _TAG.search(text, place):
        if match.start() > place:
            collector.data(html.unescape(text[place : match.start()]))
        place = match.end()
        if match[0] == "<!--":
            end = text.find("-->", place)
            place = len(text) if end < 0 else end + 3
        elif match[2]:
            tag = match[2].lower()
            if tag in _RAW_ENDS and not match[1]:
                raw_end = _RAW_ENDS[tag].search(text, place)
                place = raw_end.start() if raw_end else len(text)
            else:
                _pass_on(tag, match[1] == "", match[3], open_tags, collector)
    collector.data(html.unescape(text[place:]))
    for tag in reversed(open_tags):
        collector.end(tag)


def _pass_on(
    tag: str, is_start: bool, attributes: str, open_tags: list[str], collector: Collector
) -> None:
    if tag in _PAIRED:
        if tag in open_tags:
            open_tags.remove(tag)
            collector.end(tag)
        if is_start:
            open_tags.append(tag)
            collector.start(tag, _attributes(attributes))
    elif tag in _BREAKS:
        collector.start("p", {})
        collector.end("p")
    elif tag in _SINGLE and is_start:
        collector.start(tag, _attributes(attributes))
        collector.end(tag)


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text[:_MAX_ATTRIBUTE_CHARS]):
        value = match[2] or match[3] or match[4] or ""
        found.setdefault(match[1].lower(), html.unescape(value))
    return found
