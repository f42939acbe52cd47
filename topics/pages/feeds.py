"""Pages as a feed: Atom, RSS and JSON Feed, well-formed whatever titles hold."""

import json
import re
from collections.abc import Sequence
from datetime import datetime

from django.utils.feedgenerator import Atom1Feed, Rss201rev2Feed, SyndicationFeed

from topics.pages.opening import open_address_outside
from topics.pages.search_results import FoundPage

#: What XML 1.0 has no way to write.
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TYPES = {
    "atom": "application/atom+xml",
    "rss": "application/rss+xml",
    "json": "application/feed+json",
}


def write_feed(
    kind: str, name: str, pages: Sequence[FoundPage], *, home: str, own: str, since: datetime
) -> str:
    """Write a feed; the same pages give the same text.

    Parameters
    ----------
    kind : {"atom", "rss", "json"}
    home, own : str
        Addresses of the search and of the feed.
    since : datetime
        When an empty feed was changed last.
    """
    newest = max((page.harvest.first_seen for page in pages), default=since)
    if kind == "json":
        return _json_feed(name, pages, home=home, own=own)
    feed = (Atom1Feed if kind == "atom" else Rss201rev2Feed)(
        title=_clean(name), link=home, description=_clean(name), feed_url=own
    )
    for page in pages:
        _add(feed, page)
    # Without this a feed without pages would be changed now, at each look.
    feed.latest_post_date = lambda: newest  # type: ignore[method-assign]
    return feed.writeString("utf-8")


def _add(feed: SyndicationFeed, page: FoundPage) -> None:
    harvest = page.harvest
    feed.add_item(
        title=_clean(harvest.page.title or harvest.url.url),
        link=_clean(open_address_outside(harvest.url.url)),
        description=_clean(_extract(page)),
        unique_id=_clean(harvest.url.url),
        pubdate=harvest.published or harvest.first_seen,
        updateddate=harvest.first_seen,
        categories=[_clean(page.topic.name)] if page.topic else [],
    )


def _json_feed(name: str, pages: Sequence[FoundPage], *, home: str, own: str) -> str:
    items = [
        {
            "id": page.harvest.url.url,
            "url": open_address_outside(page.harvest.url.url),
            "title": _clean(page.harvest.page.title or page.harvest.url.url),
            "content_text": _clean(_extract(page)),
            "date_published": (page.harvest.published or page.harvest.first_seen).isoformat(),
            "date_modified": page.harvest.first_seen.isoformat(),
        }
        for page in pages
    ]
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": _clean(name),
        "home_page_url": home,
        "feed_url": own,
        "items": items,
    }
    return json.dumps(feed, ensure_ascii=False)


def _extract(page: FoundPage) -> str:
    return " ".join(str(fragment) for fragment in page.fragments)


def _clean(text: str) -> str:
    return _NOT_XML.sub("", text)
