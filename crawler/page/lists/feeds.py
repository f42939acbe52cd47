"""Read feeds: RSS of every version, Atom, RDF, CDF and JSON Feed, well-formed or not."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from crawler.errors import ParseError
from crawler.page.clean import clean_line
from crawler.page.lists.xml_text import local_name, parse_xml, text_of
from crawler.page.url import find_canonical, normalise_link
from crawler.reasons import Reason

#: The newest come first; what follows so many is an archive.
MAX_ITEMS: Final = 500
MAX_TITLE_CHARS: Final = 300
MAX_SUMMARY_CHARS: Final = 1000
_MAX_DATE_CHARS = 100

_ROOTS: Final = frozenset({"rss", "feed", "rdf", "channel"})
_ITEMS: Final = frozenset({"item", "entry"})
# Titles and links of pictures and films that belong to an entry.
_OF_MEDIA: Final = ("{http://search.yahoo.com/mrss", "{http://www.itunes.com/")
_MARKUP = re.compile(r"<[^<>]*>")
_PUBLISHED: Final = ("published", "pubdate", "issued", "created", "date")
_SUMMARIES: Final = ("summary", "description", "abstract", "content", "encoded")


@dataclass(frozen=True, slots=True)
class ParsedFeedItem:
    """An entry of a feed.

    Attributes
    ----------
    url : str
        Canonical, http or https.
    title, summary : str
        Cleaned, without markup; may be empty.
    published : str
        As written; "" for none. The date of the last change is not among them: an old page
        that was edited is not new.
    """

    url: str
    title: str = ""
    summary: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed's title and its entries, each URL once, in the feed's order.

    `note` says why there are no entries, if the feed is empty.
    """

    title: str = ""
    items: tuple[ParsedFeedItem, ...] = ()
    note: str = ""


def read_feed(body: bytes, url: str, content_type: str = "") -> ParsedFeed:
    """Read a feed.

    Parameters
    ----------
    body : bytes
        Of the answer, without content encoding.
    url : str
        Canonical URL it came from.
    content_type : str, default ""
        The Content-Type header.

    Returns
    -------
    ParsedFeed
        At most `MAX_ITEMS` entries. An entry without an http or https address is left out.

    Raises
    ------
    ParseError
        EMPTY for no bytes but white space, UNREADABLE_LIST for other formats; `detail` says what
        the body is instead.
    """
    start = body[:200].lstrip(b"\xef\xbb\xbf\xff\xfe\xfe\xff\x00 \t\r\n")
    if not start:
        raise ParseError(Reason.EMPTY, f"{len(body)} bytes, no feed in them")
    title, found = _json_feed(body) if start[:1] == b"{" else _xml_feed(body, url, content_type)
    items: dict[str, ParsedFeedItem] = {}
    n_found = 0
    for entry in found:
        n_found += 1
        address = _canonical(entry.url, entry.base or url) or _canonical(entry.url, url)
        if address and address not in items:
            items[address] = ParsedFeedItem(
                address,
                _plain(entry.title, MAX_TITLE_CHARS),
                _plain(entry.summary, MAX_SUMMARY_CHARS),
                " ".join(entry.published.split())[:_MAX_DATE_CHARS],
            )
        if len(items) >= MAX_ITEMS:
            break
    note = ""
    if not items:
        note = f"none of its {n_found} entries has a web address" if n_found else "it has no entry"
    return ParsedFeed(_plain(title, MAX_TITLE_CHARS), tuple(items.values()), note)


@dataclass(slots=True)
class _Entry:
    """An entry as written."""

    url: str = ""
    base: str = ""
    title: str = ""
    summary: str = ""
    published: str = ""


def _xml_feed(body: bytes, url: str, content_type: str) -> tuple[str, Iterator[_Entry]]:
    root = parse_xml(body, content_type, url)
    if root is None:
        raise ParseError(Reason.UNREADABLE_LIST, f"no feed: no element in {len(body)} bytes")
    name = local_name(root)
    if name not in _ROOTS and next(root.iter("{*}item", "{*}entry"), None) is None:
        raise ParseError(Reason.UNREADABLE_LIST, f"no feed: its root element is <{name[:40]}>")
    channel = next((child for child in root if local_name(child) == "channel"), root)
    title = next((text_of(child) for child in channel if local_name(child) == "title"), "")
    entries = (element for element in root.iter() if local_name(element) in _ITEMS)
    return title, map(_xml_entry, entries)


def _xml_entry(element: Any) -> _Entry:
    entry = _Entry(base=element.base or "", url=element.get("HREF") or element.get("href") or "")
    texts: dict[str, str] = {}
    links: dict[str, str] = {}
    for child in element.iterchildren("*"):
        name = local_name(child)
        if child.tag.startswith(_OF_MEDIA):
            continue
        if name == "link":
            kind = child.get("rel", "alternate").lower()
            links.setdefault(kind, (child.get("href") or text_of(child)).strip())
            entry.base = child.base or entry.base
        elif name == "guid" and child.get("isPermaLink", "true").lower() != "false":
            links.setdefault("guid", text_of(child).strip())
        elif name == "content" and child.get("src"):
            links.setdefault("content", child.get("src").strip())
        elif name in ("origlink", "id"):
            links.setdefault(name, text_of(child).strip())
        elif name not in texts and (text := text_of(child)).strip():
            texts[name] = text
    about = next((value for key, value in element.items() if key.endswith("}about")), "")
    entry.url = _first_link(links) or entry.url or about
    entry.title = texts.get("title", "")
    entry.summary = next((texts[name] for name in _SUMMARIES if name in texts), "")
    entry.published = next((texts[n] for n in _PUBLISHED if n in texts), "")
    return entry


def _first_link(links: dict[str, str]) -> str:
    """The surest address of an entry; an id is one only if it looks like one.

    Where the content lies elsewhere (RFC 4287, 4.1.3.2) its place is the entry's page. Links to
    films, licences and the entry as XML are none to follow.
    """
    for kind in ("origlink", "alternate", "content", "guid", "id", "related", "via"):
        link = links.get(kind, "")
        if link and (kind not in ("guid", "id") or link[:4].lower() == "http"):
            return link
    return ""


def _json_feed(body: bytes) -> tuple[str, Iterator[_Entry]]:
    try:
        # Line breaks inside strings and the like are mistakes that cost a feed nothing.
        data = json.loads(body.decode("utf-8-sig", "replace").lstrip(), strict=False)
    except (ValueError, RecursionError) as error:
        raise ParseError(Reason.UNREADABLE_LIST, f"no feed: broken JSON ({error})") from error
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        raise ParseError(Reason.UNREADABLE_LIST, "no feed: JSON without items")
    items = (item for item in data["items"] if isinstance(item, dict))
    return _string(data, "title"), map(_json_entry, items)


def _json_entry(item: dict[str, Any]) -> _Entry:
    links = {"origlink": _string(item, "url"), "alternate": _string(item, "external_url")}
    return _Entry(
        url=_first_link({**links, "id": _string(item, "id")}),
        title=_string(item, "title"),
        summary=_string(item, "summary") or _string(item, "content_text"),
        published=_string(item, "date_published"),
    )


def _string(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    # An escaped half of a surrogate pair is not a character.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _plain(text: str, max_chars: int) -> str:
    """Feeds put markup into titles and summaries, escaped once or twice."""
    text = text[: 20 * max_chars]
    if "<" in text or "&" in text:
        text = html.unescape(_MARKUP.sub(" ", html.unescape(text)))
    return clean_line(text, max_chars)


def _canonical(address: str, base: str) -> str:
    address = address.strip()
    return normalise_link(find_canonical(address, base)) if address else ""
