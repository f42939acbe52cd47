"""Saved searches: what they say, and what they find now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.http import urlencode

from topics.models import SavedSearch, Topic
from topics.pages.search_facts import resolve
from topics.pages.search_results import FoundPage, scope_of, shown_pages
from topics.pages.search_screen import Order, Request, found_ids, read_request
from topics.search.errors import SearchError
from topics.search.query import parse_query

#: Pages in a feed.
MAX_IN_FEED = 50


@dataclass(frozen=True, slots=True)
class Tile:
    """A saved search on the home page; `count` is None if it cannot be run now."""

    saved: SavedSearch
    address: str
    count: int | None


def request_of(saved: SavedSearch) -> Request:
    """What the address of a saved search says."""
    return read_request(saved.query, order=saved.order, without=saved.without)


def topics_of(saved: SavedSearch) -> list[Topic]:
    """The topics that a saved search looks in."""
    own = Topic.objects.visible_to(saved.owner).select_related("crawl")
    return list(own if saved.topic_id is None else own.filter(pk=saved.topic_id))


def address_of(request: Request, topic: Topic | None) -> str:
    """A search as the part of an address behind the question mark, without the screen."""
    parts = [("q", request.text), ("topic", topic.slug if topic else "")]
    parts.append(("order", "" if request.order is Order.RELEVANCE else request.order.value))
    parts += [("without", name) for name in sorted(request.without)]
    return urlencode([(name, value) for name, value in parts if value])


def tiles_of(user: Any) -> list[Tile]:
    """A person's saved searches for the home page, with what each finds now."""
    saved = SavedSearch.objects.filter(owner=user, on_home=True).select_related("topic", "owner")
    return [Tile(one, address_of(request_of(one), one.topic), _count(one)) for one in saved]


def newest_pages(saved: SavedSearch) -> Sequence[FoundPage]:
    """The newest pages that a saved search finds; raises `SearchError` if it cannot be run."""
    topics = topics_of(saved)
    request = read_request(saved.query, order=Order.NEWEST, without=saved.without)
    ids = found_ids(request, topics)[:MAX_IN_FEED]
    crawls = [topic.crawl for topic in topics if topic.crawl is not None]
    return shown_pages(ids, resolve(parse_query(saved.query), scope_of(topics)), crawls)


def _count(saved: SavedSearch) -> int | None:
    try:
        return len(found_ids(request_of(saved), topics_of(saved)))
    except SearchError:
        return None
