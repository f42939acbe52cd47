"""Saved searches: what they say, and what they find now."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crawler.api.tables import HarvestQuerySet, Page, chunks
from topics.models import SavedSearch, Topic
from topics.pages.blocks import Line
from topics.pages.search_concepts import with_other_names
from topics.pages.search_facts import Scope, resolve
from topics.pages.search_results import FoundPage, scope_of, shown_pages
from topics.pages.search_screen import Order, Request, found_ids, read_request
from topics.search.errors import SearchError
from topics.search.matching import PageText
from topics.search.query import parse_query

#: Pages in a feed.
MAX_IN_FEED = 50


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


class SavedSearchTile:
    """A user's saved searches on the home page, with what each finds now."""

    name = "saved_searches"

    def heading(self) -> str:
        """Its heading."""
        return _("Saved searches")

    def lines(self, user: Any, now: datetime) -> list[Line]:
        """One line for each search that the user wants there."""
        saved = SavedSearch.objects.filter(owner=user, on_home=True)
        return [_line(one) for one in saved.select_related("topic", "owner")]


def _line(saved: SavedSearch) -> Line:
    count = _count(saved)
    if count is None:
        note = _("cannot be searched now")
    else:
        note = ngettext("%(n)s page", "%(n)s pages", count) % {"n": count}
    address = address_of(request_of(saved), saved.topic)
    return Line(saved.name, f"{reverse('search')}?{address}", note)


def newest_pages(saved: SavedSearch) -> Sequence[FoundPage]:
    """The newest pages that a saved search finds; raises `SearchError` if it cannot be run."""
    topics = topics_of(saved)
    request = read_request(saved.query, order=Order.NEWEST, without=saved.without)
    ids = found_ids(request, topics)[:MAX_IN_FEED]
    crawls = [topic.crawl for topic in topics if topic.crawl is not None]
    return shown_pages(ids, resolve(parse_query(saved.query), scope_of(topics)), crawls)


def fitting(saved: SavedSearch, pages: HarvestQuerySet, topic: Topic, now: datetime) -> set[int]:
    """Return the keys of those of a topic's pages that a saved search finds.

    For a section of a digest and the scope of an alert. It reads the texts and not the
    index, so a page that was stored a moment ago is found too.

    Raises
    ------
    QueryError
        If the query cannot be run any more, such as after a topic that it names is gone.
    """
    own = topics_of(saved)
    if topic not in own:
        return set()
    scope = Scope([topic], now, ZoneInfo(topic.zone), named=own)
    query, _others = with_other_names(parse_query(saved.query), [topic], without=saved.without)
    tree = resolve(query, scope).tree
    indexed = pages.filter(crawl__topic=topic, url__page__noindex=False).order_by()
    keys = dict(indexed.values_list("url_id", "pk"))
    return {
        keys[page.pk]
        for some in chunks(sorted(keys))
        for page in Page.objects.filter(pk__in=some)
        if PageText(page.pk, page.title, page.text).holds(tree)
    }


def _count(saved: SavedSearch) -> int | None:
    try:
        return len(found_ids(request_of(saved), topics_of(saved)))
    except SearchError:
        return None
