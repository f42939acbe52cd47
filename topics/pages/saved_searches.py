"""Saved searches: what they say, and what they find now."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crawler.api.tables import HarvestQuerySet, Page, chunks
from focusweb.database import write_transaction
from focusweb.prepared import prepared
from topics.models import SavedSearch, Topic
from topics.models.searches import MAX_SAVED
from topics.pages.blocks import Line
from topics.pages.search_concepts import with_other_names
from topics.pages.search_facts import Scope, resolve
from topics.pages.search_results import readable_topics
from topics.pages.search_screen import SearchOrder, SearchRequest, found_views, read_request
from topics.search.errors import SearchError
from topics.search.matching import PageText
from topics.search.query import parse_query

#: How often the timer counts what a search on a home page finds, and how many it counts at once.
COUNT_EVERY = timedelta(minutes=5)
MAX_COUNTED = 20


def request_of(saved: SavedSearch) -> SearchRequest:
    """Return what the address of a saved search says."""
    return read_request(saved.query, order=saved.order, without=saved.without)


def topics_of(saved: SavedSearch) -> list[Topic]:
    """Return the owner's topics that a saved search looks in."""
    own = Topic.objects.visible_to(saved.owner).select_related("crawl")
    return list(own if saved.topic_id is None else own.filter(pk=saved.topic_id))


def address_of(request: SearchRequest, topic: Topic | None) -> str:
    """Return a search as the part of an address behind the question mark, without the screen."""
    parts = [("q", request.text), ("topic", topic.slug if topic else "")]
    parts.append(("order", "" if request.order is SearchOrder.RELEVANCE else request.order.value))
    parts += [("without", name) for name in sorted(request.without)]
    return urlencode([(name, value) for name, value in parts if value])


@write_transaction()
def keep_search(owner: Any, name: str, values: dict[str, Any], now: datetime) -> SavedSearch | None:
    """Save a search under a name, or replace the one of this name; None if there are too many.

    `values` are fields of the row. If it finds other pages than before, its rules begin again.
    """
    own = SavedSearch.objects.filter(owner=owner)
    before = own.filter(name=name).first()
    if before is None and own.count() >= MAX_SAVED:
        return None
    saved, _made = own.update_or_create(
        owner=owner, name=name, defaults=values | {"created": now, "counted": None}
    )
    if before is not None and saved.conditions != before.conditions:
        saved.restart_rules(now)
    return saved


class SavedSearchTile:
    """A user's saved searches on the home page, with what each found lately."""

    name = "saved_searches"

    def heading(self) -> str:
        """Return its heading."""
        return _("Saved searches")

    def lines(self, user: Any, now: datetime) -> list[Line]:
        """One line for each search that the user wants there."""
        saved = _on_home(user.pk)
        for one in saved:
            if one.counted is None:
                count(one, now)
        return [_line(one) for one in saved]


@prepared
def _on_home(user: int) -> QuerySet[SavedSearch]:
    return SavedSearch.objects.filter(owner=user, on_home=True).select_related("topic")


def _line(saved: SavedSearch) -> Line:
    if saved.n_found is None:
        note = _("cannot be searched now")
    else:
        note = ngettext("%(n)s page", "%(n)s pages", saved.n_found) % {"n": saved.n_found}
    address = address_of(request_of(saved), saved.topic)
    return Line(saved.name, f"{reverse('search')}?{address}", note)


def count_due(now: datetime) -> int:
    """Count again what the searches on home pages find, those counted longest ago first."""
    old = SavedSearch.objects.filter(on_home=True, counted__lte=now - COUNT_EVERY)
    due = list(old.select_related("topic", "owner").order_by("counted")[:MAX_COUNTED])
    for saved in due:
        count(saved, now)
    return len(due)


def count(saved: SavedSearch, now: datetime) -> None:
    """Run a saved search and store how many pages it finds, as the search page shows them.

    So topics that are shared with its owner count, unless it is of one topic.
    """
    topics = topics_of(saved) if saved.topic_id else readable_topics(saved.owner)
    try:
        ids, _fitting = found_views(request_of(saved), topics, saved.owner_id)
        saved.n_found = len(ids)
    except SearchError:
        saved.n_found = None
    saved.counted = now
    SavedSearch.objects.filter(pk=saved.pk).update(n_found=saved.n_found, counted=now)


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
    query, _others = with_other_names(
        parse_query(saved.query), [topic.owner_id], without=saved.without
    )
    tree = resolve(query, scope).tree
    indexed = pages.filter(crawl__topic=topic, url__page__noindex=False).order_by()
    keys = dict(indexed.values_list("url_id", "pk"))
    return {
        keys[page.pk]
        for some in chunks(sorted(keys))
        for page in Page.objects.filter(pk__in=some)
        if PageText(page.pk, page.title, page.text).holds(tree)
    }
