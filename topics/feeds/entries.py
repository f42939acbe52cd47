"""The entry of a page in a feed: title, link, extract, reason, dates."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlsplit

from crawler.api.pages import clean_line
from topics.models import FeedItem
from topics.pages.explain import why_sentence
from topics.pages.opening import open_address_outside
from topics.pages.rows import ShownPage, rows_of_crawls

MAX_TITLE: Final = 300
MAX_EXTRACT: Final = 2000
MAX_WHY: Final = 500
#: Characters that RFC 3986 allows in a URL; "%" only before two hexadecimal digits.
_STAYS: Final = "/:?#@!$&'()*+,;=-._~%"
_LONE_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in a feed, as plain text that every format can hold.

    Attributes
    ----------
    id : str
        A URN that stays the same whatever becomes of the page.
    link : str
        An http or https URL; the address of the feed's own page for a page without one.
    """

    id: str
    title: str
    link: str
    extract: str
    why: str
    site: str
    topic: str
    published: datetime
    updated: datetime


def entries_of(items: Sequence[FeedItem], now: datetime, *, home: str) -> list[Entry]:
    """What a feed says of its items, in their order and the language that is active."""
    rows = rows_of_crawls(((item.harvest.crawl, item.harvest) for item in items), now)
    return [_entry(item, rows[item.harvest_id], home) for item in items]


def _entry(item: FeedItem, row: ShownPage, home: str) -> Entry:
    url, topic = row.harvest.url.url, getattr(row.harvest.crawl, "topic", None)
    return Entry(
        id=uuid.uuid5(uuid.NAMESPACE_URL, url).urn,
        title=clean_line(row.title, MAX_TITLE) or clean_line(url, MAX_TITLE),
        link=safe_link(open_address_outside(url)) or home,
        extract=clean_line(str(row.extract), MAX_EXTRACT),
        why=clean_line(row.why if item.feed.newspaper_id is None else public_why(row), MAX_WHY),
        site=clean_line(row.site.name, MAX_TITLE),
        topic=clean_line(topic.name, MAX_TITLE) if topic else "",
        published=row.published or row.first_seen,
        updated=row.first_seen,
    )


def public_why(row: ShownPage) -> str:
    """Why a page is here, without what its owner rated or ruled."""
    parts = {name: part for name, part in row.harvest.explanation.items() if name != "site"}
    return why_sentence(parts, terms=row.terms, new_site=row.new_site)


def safe_link(url: str) -> str:
    """Return a web address in characters that RFC 3986 allows; "" for any other address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    head = f"{parts.scheme}://{parts.netloc}"
    return head + _LONE_PERCENT.sub("%25", quote(url[len(head) :], safe=_STAYS))
