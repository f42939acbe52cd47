"""A feed as it is sent: its text, and since when it has been so."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from django.conf import settings
from django.core.cache import cache
from django.urls import reverse
from django.utils import translation

from crawler.api.pages import clean_line
from topics.delivery.mime import html_lang
from topics.feeds.entries import MAX_TITLE, Entry, entries_of
from topics.feeds.items import current_items
from topics.feeds.writing import FeedChannel, write_feed
from topics.models import Feed
from topics.pages.saved_searches import address_of, request_of

#: Requests that one feed answers in a minute.
MAX_A_MINUTE = 30
#: A use is noted at most this often.
NOTED_EVERY_S = 600


@dataclass(frozen=True, slots=True)
class SentFeed:
    """The text of a feed, and what a reader needs to know whether it has changed."""

    text: str
    etag: str
    changed: datetime


def is_too_often(feed: Feed, now: datetime) -> bool:
    """Count a request; True if the feed has answered enough of them in this minute."""
    key = f"feed:{feed.pk}:{int(now.timestamp() // 60)}"
    # Not incr: it fails if the cache dropped the key a moment ago.
    count = cache.get(key, 0) + 1
    cache.set(key, count, 120)
    return bool(count > MAX_A_MINUTE)


def publish_feed(feed: Feed, kind: str, own: str, now: datetime) -> SentFeed:
    """Look for new pages and write the feed, in the language it was made in.

    Parameters
    ----------
    kind : str
        One of `topics.feeds.writing.TYPES`.
    own : str
        The whole URL of the feed.

    Raises
    ------
    SearchError
        If the saved search of the feed cannot be run now.
    """
    items = current_items(feed, now)
    home = f"{settings.BASE_URL.rstrip('/')}{_home(feed)}"
    with translation.override(feed.language):
        entries = entries_of(items, now, home=home)
    title = clean_line(_title(feed), MAX_TITLE) or "FocusWeb"
    digest = _digest(title, entries)
    changed = _note(feed, digest, now)
    channel = FeedChannel(
        # Of the row, not of the address: a new address is the same feed.
        id=uuid.uuid5(uuid.NAMESPACE_OID, f"{feed.pk} {feed.created.isoformat()}").urn,
        title=title,
        home=home,
        own=own,
        language=html_lang(feed.language),
        changed=changed,
    )
    etag = f'"{hashlib.sha256(f"{kind} {own} {digest}".encode()).hexdigest()[:32]}"'
    return SentFeed(write_feed(kind, channel, entries), etag, changed)


def _note(feed: Feed, digest: str, now: datetime) -> datetime:
    """Store what is sent and that the feed was read; since when the content has been so."""
    changes = {}
    if feed.content_digest != digest or feed.changed is None:
        feed.content_digest, feed.changed = digest, now
        changes = {"content_digest": digest, "changed": now}
    if feed.used is None or (now - feed.used).total_seconds() > NOTED_EVERY_S:
        changes["used"] = now
    if changes:
        Feed.objects.filter(pk=feed.pk).update(**changes)
    return feed.changed


def _digest(title: str, entries: Sequence[Entry]) -> str:
    return hashlib.sha256(msgspec.json.encode((title, entries))).hexdigest()


def _title(feed: Feed) -> str:
    if feed.search is not None:
        return feed.search.name
    if feed.rule is not None:
        return feed.rule.name
    topic = feed.topic if feed.newspaper is None else feed.newspaper.topic
    return topic.name if topic is not None else ""


def _home(feed: Feed) -> str:
    """The page of ours that shows the same."""
    if feed.search is not None:
        address = address_of(request_of(feed.search), feed.search.topic)
        return f"{reverse('search')}?{address}"
    if feed.rule is not None:
        return reverse("rule_detail", args=[feed.rule.pk])
    if feed.newspaper is not None:
        return reverse("newspaper", args=[feed.newspaper.name])
    return feed.topic.get_absolute_url() if feed.topic is not None else "/"
