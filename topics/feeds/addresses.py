"""Secret addresses of feeds: make one, show it to its owner, find its feed, switch it off."""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db.models import Model
from django.urls import reverse
from django.utils import translation
from django.utils.crypto import salted_hmac

from topics.models import AlertRule, Feed, SavedSearch, Topic

#: What has a feed with a secret address, by the name of the feed's column.
KINDS: Final[dict[str, type[Model]]] = {"topic": Topic, "search": SavedSearch, "rule": AlertRule}
FORMATS: Final = {"atom": "Atom", "rss": "RSS", "json": "JSON Feed"}


@dataclass(frozen=True, slots=True)
class FeedAddresses:
    """What a page shows of the feed of one thing.

    Attributes
    ----------
    kind, key
        Of what it is the feed: a name in `KINDS`, and the number of the row.
    addresses : tuple of (str, str)
        Names of the formats and whole URLs.
    is_on : bool
        There is an address. It is on without `addresses` if it was made with a signing key
        that is gone: the address still works, but cannot be shown.
    """

    kind: str
    key: int
    addresses: tuple[tuple[str, str], ...] = ()
    is_on: bool = False
    used: datetime | None = None


def addresses_of(kind: str, target: Any) -> FeedAddresses:
    """Return the addresses of the feed of a topic, saved search or alert rule, for its owner."""
    feed: Feed | None = getattr(target, "feed", None)
    if feed is None or not feed.digest:
        return FeedAddresses(kind, target.pk)
    token = _token_of(feed)
    root = settings.BASE_URL.rstrip("/")
    found = tuple(
        (name, f"{root}{reverse('feed', args=[token, format_])}")
        for format_, name in FORMATS.items()
        if token
    )
    return FeedAddresses(kind, target.pk, found, is_on=True, used=feed.used)


def renew_address(kind: str, target: Any, now: datetime) -> Feed:
    """Give a feed a new address; the old one ends. What was shown before is not new again."""
    feed, _made = Feed.objects.get_or_create(
        **{kind: target}, defaults={"owner": target.owner, "created": now}
    )
    feed.nonce = secrets.token_hex(32)
    feed.digest = digest_of(_token(settings.SECRET_KEY, feed.nonce))
    feed.language = language_now()
    feed.used = None
    feed.save()
    return feed


def language_now() -> str:
    """Return the language of the person who makes a feed: programs that read it name none."""
    language = translation.get_language()
    return language if language in dict(settings.LANGUAGES) else "en"


def switch_off(kind: str, target: Any) -> None:
    """End the address of a feed."""
    Feed.objects.filter(**{kind: target}).update(digest="", nonce="", used=None)


def find_feed(token: str) -> Feed | None:
    """Return the feed of a secret, if its owner may still sign in.

    It is found by the digest: the time it takes does not depend on the secret.
    """
    feeds = Feed.objects.select_related(
        "owner", "topic__crawl", "search__topic", "search__owner", "rule"
    )
    return feeds.filter(digest=digest_of(token), owner__is_active=True).first()


def digest_of(token: str) -> str:
    """Return what is stored of a secret."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _token_of(feed: Feed) -> str:
    """The secret of a feed; "" if it was made with a key that no longer exists."""
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        token = _token(key, feed.nonce)
        if secrets.compare_digest(digest_of(token), feed.digest):
            return token
    return ""


def _token(key: str, nonce: str) -> str:
    mac = salted_hmac("topics.feeds.addresses", nonce, secret=key, algorithm="sha256")
    return "fwf_" + base64.urlsafe_b64encode(mac.digest()).decode().rstrip("=")
