"""Write a feed as Atom 1.0 (RFC 4287), RSS 2.0 or JSON Feed 1.1."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.feedgenerator import Atom1Feed, Rss201rev2Feed, SyndicationFeed
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from topics.feeds.entries import Entry

TYPES: Final = {
    "atom": "application/atom+xml",
    "rss": "application/rss+xml",
    "json": "application/feed+json",
}
#: Who made the feed; the author of each entry is its site.
MAKER: Final = "FocusWeb"
#: Minutes for which an RSS reader may keep what it has.
KEEP_MINUTES: Final = 15


@dataclass(frozen=True, slots=True)
class FeedChannel:
    """A feed as a whole; `changed` is when its content became what it is."""

    id: str
    title: str
    home: str
    own: str
    language: str
    changed: datetime


def write_feed(kind: str, channel: FeedChannel, entries: Sequence[Entry]) -> str:
    """Write entries whose text is clean already; the same entries give the same text.

    `kind` is one of `TYPES`.
    """
    if kind == "json":
        return _json_feed(channel, entries)
    feed = (_Atom if kind == "atom" else _Rss)(
        title=channel.title,
        link=channel.home,
        description=channel.title,
        language=channel.language,
        author_name=MAKER,
        feed_url=channel.own,
        feed_guid=channel.id,
        ttl=KEEP_MINUTES,
        changed=channel.changed,
    )
    for entry in entries:
        _add(feed, entry)
    return feed.writeString("utf-8")


class _Dated(SyndicationFeed):
    """Without this a feed without entries would be changed now, at each look."""

    def latest_post_date(self) -> datetime:
        changed: datetime = self.feed["changed"]
        return changed


class _Atom(_Dated, Atom1Feed):
    pass


class _Rss(_Dated, Rss201rev2Feed):
    pass


def _add(feed: SyndicationFeed, entry: Entry) -> None:
    feed.add_item(
        title=entry.title,
        link=entry.link,
        description=_html(entry),
        author_name=entry.site,
        unique_id=entry.id,
        unique_id_is_permalink=False,
        pubdate=entry.published,
        updateddate=entry.updated,
        categories=[entry.topic] if entry.topic else [],
    )


def _html(entry: Entry) -> SafeString:
    """The extract and the reason. Readers take the text of an entry for HTML."""
    paragraphs = ((text,) for text in (entry.extract, entry.why) if text)
    return format_html_join("", "<p>{}</p>", paragraphs)


def _json_feed(channel: FeedChannel, entries: Sequence[Entry]) -> str:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "home_page_url": channel.home,
        "feed_url": channel.own,
        "language": channel.language,
        "authors": [{"name": MAKER}],
        "items": [_json_item(entry) for entry in entries],
    }
    return json.dumps(feed, ensure_ascii=False)


def _json_item(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "url": entry.link,
        "title": entry.title,
        "content_html": str(_html(entry)),
        "content_text": "\n\n".join(filter(None, (entry.extract, entry.why))),
        "date_published": entry.published.isoformat(),
        "date_modified": entry.updated.isoformat(),
        "authors": [{"name": entry.site}],
        "tags": [entry.topic] if entry.topic else [],
    }
