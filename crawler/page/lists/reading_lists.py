"""Lists of addresses people keep elsewhere: OPML of feed readers, bookmarks of browsers."""

import html
import re
from dataclasses import dataclass
from typing import Final

from crawler.errors import ParseError
from crawler.page.clean import clean_line
from crawler.page.lists.xml_text import local_name, parse_xml
from crawler.page.url import find_canonical
from crawler.reasons import Reason

#: A list somebody really reads is shorter.
MAX_ENTRIES: Final = 2000
MAX_CHARS: Final = 4 * 1024 * 1024
_MAX_TITLE_CHARS = 300

_BOOKMARK = re.compile(r"<a\s([^<>]*)>([^<]{0,2000})", re.IGNORECASE)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_LINE = re.compile(r"https?://\S+")


@dataclass(frozen=True, slots=True)
class ListedAddress:
    """An entry: its canonical URL, and what the list calls it."""

    url: str
    title: str = ""


def read_reading_list(text: str) -> list[ListedAddress]:
    """Read what a person pasted or uploaded.

    Parameters
    ----------
    text : str
        OPML, a browser's bookmark file, or plain text with addresses in it.

    Returns
    -------
    list of ListedAddress
        Each URL once, in the list's order, at most `MAX_ENTRIES`. Feeds are entries themselves: a
        crawl that begins at one follows its entries. Other schemes than http and https are left
        out.

    Raises
    ------
    ParseError
        EMPTY if it holds no URL; `detail` says what was read.
    """
    text = text[:MAX_CHARS]
    start = text[:2000].lower()
    if "<opml" in start:
        kind, found = "OPML", _outlines(text)
    elif "<!doctype netscape-bookmark" in start or "<a " in start:
        kind, found = "a bookmark file", _bookmarks(text)
    else:
        kind, found = "plain text", [(address, "") for address in _LINE.findall(text)]
    entries: dict[str, ListedAddress] = {}
    for address, title in found:
        # place:, javascript:, file: and the like are not seeds.
        url = find_canonical(address.strip())
        if url and url not in entries and len(entries) < MAX_ENTRIES:
            entries[url] = ListedAddress(url, clean_line(title, _MAX_TITLE_CHARS))
    if not entries:
        raise ParseError(Reason.EMPTY, f"read as {kind}, it holds no web address")
    return list(entries.values())


def is_reading_list(text: str) -> bool:
    """True for OPML and for a browser's bookmark file."""
    start = text[:2000].lower()
    return "<opml" in start or "<!doctype netscape-bookmark" in start


def _outlines(text: str) -> list[tuple[str, str]]:
    # The mark says that these are characters already, whatever the declaration claims.
    root = parse_xml(b"\xef\xbb\xbf" + text.encode("utf-8", "replace"))
    found = []
    for element in [] if root is None else root.iter("*"):
        if local_name(element) == "outline":
            values = {name.lower(): value for name, value in element.items()}
            address = values.get("xmlurl") or values.get("url") or values.get("htmlurl") or ""
            found.append((address, values.get("title") or values.get("text") or ""))
    return found


def _bookmarks(text: str) -> list[tuple[str, str]]:
    found = []
    for match in _BOOKMARK.finditer(text):
        if href := _HREF.search(match[1]):
            address = href[1] if href[1] is not None else href[2]
            found.append((html.unescape(address), html.unescape(match[2])))
    return found
