"""What RFC 4287, RSS 2.0 and JSON Feed 1.1 demand of a feed, as far as ours could break it.

Each function returns the rules that a feed breaks, in words; none for a valid feed.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any

import feedparser  # type: ignore[import-untyped]
import jsonschema  # type: ignore[import-untyped]
from lxml import etree

ATOM = "{http://www.w3.org/2005/Atom}"
#: RFC 3986: characters of a URI, and "%" only before two hexadecimal digits.
URI = re.compile(r"[a-z][a-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+")
#: A date-time of RFC 3339.
DATE_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"
_ADDRESS = {"type": "string", "pattern": "^https?://[^\\s]+$"}
_AUTHORS = {
    "type": "array",
    "items": {"type": "object", "minProperties": 1, "properties": {"name": {"type": "string"}}},
}
#: The schema of https://www.jsonfeed.org/version/1.1/ without the fields that we do not write.
JSON_FEED = {
    "type": "object",
    "required": ["version", "title", "items"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string", "minLength": 1},
        "home_page_url": _ADDRESS,
        "feed_url": _ADDRESS,
        "language": {"type": "string", "pattern": "^[a-z]{2}(-[A-Za-z]+)?$"},
        "authors": _AUTHORS,
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id"],
                "anyOf": [{"required": ["content_html"]}, {"required": ["content_text"]}],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string", "minLength": 1},
                    "url": _ADDRESS,
                    "title": {"type": "string"},
                    "content_html": {"type": "string"},
                    "content_text": {"type": "string"},
                    "date_published": {"type": "string", "pattern": f"^{DATE_TIME}$"},
                    "date_modified": {"type": "string", "pattern": f"^{DATE_TIME}$"},
                    "authors": _AUTHORS,
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}


def broken_rules(kind: str, text: str) -> list[str]:
    """The rules of its format that a feed breaks."""
    if kind == "json":
        return list(_json_rules(text))
    try:
        # The strict parser: it stops at everything that XML 1.0 forbids.
        root = etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False))
    except etree.XMLSyntaxError as error:
        return [f"not well-formed: {error}"]
    found = list(_atom_rules(root) if kind == "atom" else _rss_rules(root))
    read = feedparser.parse(text.encode())
    return [*found, f"feedparser: {read.bozo_exception}"] if read.bozo else found


def _atom_rules(root: Any) -> Iterator[str]:
    if root.tag != f"{ATOM}feed":
        yield "the root is not atom:feed"
    yield from _atom_element(root, "feed")
    links = root.findall(f"{ATOM}link")
    if [link.get("rel") for link in links].count("self") != 1:
        yield "feed: one link to itself"
    ids = Counter(entry.findtext(f"{ATOM}id") for entry in root.iter(f"{ATOM}entry"))
    yield from (f"id of several entries: {one}" for one, count in ids.items() if count > 1)
    has_author = root.find(f"{ATOM}author") is not None
    for entry in root.iter(f"{ATOM}entry"):
        yield from _atom_element(entry, "entry")
        if not has_author and entry.find(f"{ATOM}author") is None:
            yield "entry: an author, as the feed has none"
        alternates = [
            link
            for link in entry.findall(f"{ATOM}link")
            if link.get("rel", "alternate") == "alternate"
        ]
        if not alternates and entry.find(f"{ATOM}content") is None:
            yield "entry: content or an alternate link"
        for name in ("published", "summary", "content", "rights", "source"):
            if len(entry.findall(f"{ATOM}{name}")) > 1:
                yield f"entry: at most one {name}"


def _atom_element(element: Any, where: str) -> Iterator[str]:
    for name in ("id", "title", "updated"):
        if len(element.findall(f"{ATOM}{name}")) != 1:
            yield f"{where}: exactly one {name}"
    number = element.findtext(f"{ATOM}id") or ""
    if not URI.fullmatch(number):
        yield f"{where}: the id is not a URI: {number!r}"
    for name in ("updated", "published"):
        for date in element.findall(f"{ATOM}{name}"):
            if not re.fullmatch(DATE_TIME, date.text or ""):
                yield f"{where}: {name} is not a date of RFC 3339: {date.text!r}"
    for name in ("title", "summary", "content"):
        for text in element.findall(f"{ATOM}{name}"):
            if text.get("type", "text") not in ("text", "html"):
                yield f"{where}: type of {name}"
            elif len(text):
                yield f"{where}: {name} must not have elements"
    for author in element.findall(f"{ATOM}author"):
        if len(author.findall(f"{ATOM}name")) != 1:
            yield f"{where}: an author has exactly one name"
    alternates = Counter(
        (link.get("type"), link.get("hreflang"))
        for link in element.findall(f"{ATOM}link")
        if link.get("rel", "alternate") == "alternate"
    )
    if any(count > 1 for count in alternates.values()):
        yield f"{where}: one alternate link of a type and language"
    for link in element.findall(f"{ATOM}link"):
        if not URI.fullmatch(link.get("href") or ""):
            yield f"{where}: a link is not a URI: {link.get('href')!r}"
    for category in element.findall(f"{ATOM}category"):
        if not category.get("term"):
            yield f"{where}: a category has a term"


def _rss_rules(root: Any) -> Iterator[str]:
    if root.tag != "rss" or root.get("version") != "2.0":
        yield "the root is not rss of version 2.0"
    channels = root.findall("channel")
    if len(channels) != 1:
        yield "exactly one channel"
        return
    channel = channels[0]
    for name in ("title", "link", "description"):
        if len(channel.findall(name)) != 1:
            yield f"channel: exactly one {name}"
    guids = Counter(item.findtext("guid") for item in channel.findall("item"))
    yield from (f"guid of several items: {one}" for one, count in guids.items() if count > 1)
    yield from _rss_values(channel, "channel")
    for item in channel.findall("item"):
        if item.find("title") is None and item.find("description") is None:
            yield "item: a title or a description"
        yield from _rss_values(item, "item")


def _rss_values(element: Any, where: str) -> Iterator[str]:
    for link in element.findall("link"):
        if not URI.fullmatch(link.text or ""):
            yield f"{where}: the link is not a URI: {link.text!r}"
    for name in ("pubDate", "lastBuildDate"):
        for date in element.findall(name):
            if not _is_mail_date(date.text or ""):
                yield f"{where}: {name} is not a date of RFC 822: {date.text!r}"
    for guid in element.findall("guid"):
        if guid.get("isPermaLink", "true") == "true" and not (guid.text or "").startswith("http"):
            yield f"{where}: a guid that is a permanent link is a URL"
    for author in element.findall("author"):
        if "@" not in (author.text or ""):
            yield f"{where}: the author is a mail address"
    for ttl in element.findall("ttl"):
        if not (ttl.text or "").isdecimal():
            yield f"{where}: ttl is a number"
    for name in ("title", "description", "guid", "link", "pubDate"):
        if len(element.findall(name)) > 1 and where == "item":
            yield f"item: at most one {name}"


def _is_mail_date(text: str) -> bool:
    try:
        return parsedate_to_datetime(text).tzinfo is not None
    except ValueError:
        return False


def _json_rules(text: str) -> Iterator[str]:
    try:
        feed = json.loads(text)
    except ValueError as error:
        yield f"not JSON: {error}"
        return
    for problem in jsonschema.Draft202012Validator(JSON_FEED).iter_errors(feed):
        yield f"{problem.json_path}: {problem.message[:200]}"
    items = feed.get("items") or ()
    ids = Counter(item.get("id") for item in items if isinstance(item, dict))
    yield from (f"id of several items: {one}" for one, count in ids.items() if count > 1)
