"""Which pages a feed shows: each story once, and never again as new."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from crawler.api.ranking import LEAST_TRUST
from crawler.api.tables import Harvest
from topics.models import Feed, FeedItem, SavedSearch, Topic
from topics.pages.not_spam import fair_news
from topics.pages.saved_searches import topics_of
from topics.pages.search_results import best_harvests
from topics.pages.search_screen import SearchOrder, found_views, read_request

#: Pages in a feed, the latest.
MAX_ITEMS: Final = 50
#: New pages are sought at most this often, however often a feed is read.
LOOK_EVERY: Final = timedelta(minutes=1)


def current_items(feed: Feed, now: datetime) -> list[FeedItem]:
    """Look for new pages if it is time, and return what the feed shows, the latest first.

    Raises
    ------
    SearchError
        If the saved search of the feed cannot be run now.
    """
    if feed.looked is None or not timedelta(0) <= now - feed.looked < LOOK_EVERY:
        _add_new(feed, now)
        Feed.objects.filter(pk=feed.pk).update(looked=now)
    rows = feed.items.filter(dropped=False).select_related(
        "harvest__url__site", "harvest__url__page", "harvest__crawl__topic"
    )
    items = list(rows.order_by("-pk")[:MAX_ITEMS])
    gone = [item.pk for item in items if not _is_shown(feed, item)]
    if gone:
        # A reader forgets what it no longer sees: it would take the page for a new one later.
        FeedItem.objects.filter(pk__in=gone).update(dropped=True)
    return [item for item in items if item.pk not in gone]


def _is_shown(feed: Feed, item: FeedItem) -> bool:
    """False for a page that is not kept any more, or whose topic has another owner now."""
    topic: Topic | None = getattr(item.harvest.crawl, "topic", None)
    return item.harvest.kept and topic is not None and topic.owner_id == feed.owner_id


def _add_new(feed: Feed, now: datetime) -> None:
    fresh: dict[int, Harvest] = {}
    for harvest in _candidates(feed, now):
        if harvest.story_id is not None:
            fresh.setdefault(harvest.story_id, harvest)
    known = FeedItem.objects.filter(feed=feed).filter(
        Q(story__in=list(fresh)) | Q(harvest__url__in=[one.url_id for one in fresh.values()])
    )
    seen = set[int]()
    for story, url in known.values_list("story_id", "harvest__url_id"):
        seen |= {story, -url}
    new = [(story, one) for story, one in fresh.items() if not {story, -one.url_id} & seen]
    new.sort(key=lambda item: (item[1].published or item[1].first_seen, item[1].pk))
    # Two readers may read it at the same moment: what the other has added stays as it is.
    FeedItem.objects.bulk_create(
        (FeedItem(feed=feed, harvest=one, story_id=story, added=now) for story, one in new),
        ignore_conflicts=True,
    )


def _candidates(feed: Feed, now: datetime) -> Iterable[Harvest]:
    """The latest pages that belong into a feed."""
    if feed.search is not None:
        return _found(feed.search)
    if feed.rule is not None:
        matches = feed.rule.matches.select_related("harvest").order_by("-pk")[:MAX_ITEMS]
        return [match.harvest for match in matches]
    topic = feed.topic if feed.newspaper is None else feed.newspaper.topic
    assert topic is not None
    news = fair_news(topic, now).exclude(story=None).one_per_story().select_related(None)
    return news.order_by("-first_seen", "-pk")[:MAX_ITEMS]


def _found(search: SavedSearch) -> list[Harvest]:
    topics = topics_of(search)
    request = read_request(search.query, order=SearchOrder.NEWEST, without=search.without)
    ids, fitting = found_views(request, topics)
    ids = ids[:MAX_ITEMS]
    crawls = [topic.crawl for topic in topics if topic.crawl is not None]
    found = best_harvests(ids, crawls, fitting)
    best = [found[number] for number in ids if number in found]
    return [harvest for harvest in best if harvest.trust >= LEAST_TRUST]
