"""Pages of a topic that stand apart from its news, one a story."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db.models import Q, QuerySet

from crawler.api.tables import Harvest
from focusweb.database import number_list
from focusweb.prepared import prepared
from topics.models import Reading, Topic

#: Columns of a page that no list shows; they are long.
UNLISTED: Final = ("url__page__packed_terms", "url__page__packed_links", "url__page__packed_checks")


def is_news(topics: Sequence[Topic], now: datetime) -> Q:
    """Return the condition for kept pages that are news of one of some topics, stuffed or not."""
    crawls = defaultdict[datetime, list[int]](list)
    for topic in topics:
        if topic.crawl_id is not None:
            crawls[topic.window_start(now)].append(topic.crawl_id)
    pages = Harvest.objects.all()
    windows = (Q(crawl__in=some) & pages.is_news(start, now) for start, some in crawls.items())
    return reduce(or_, windows, Q(pk__in=[]))


def known_in_order(topic: Topic, now: datetime, *, reader: Any = None) -> QuerySet[Harvest, int]:
    """Numbers of the kept pages that are not news, one a story, best first.

    Stories of which the reader hid a page are left out. Only numbers: to choose among whole rows
    takes the database four times as long.
    """
    pages = topic.known_pages(now)
    if reader is not None:
        hidden = Reading.objects.of(reader, topic).exclude(hidden="").values("url")
        stories = Harvest.objects.filter(crawl=topic.crawl, url__in=hidden, story__isnull=False)
        pages = pages.exclude(url__in=hidden).exclude(story__in=stories.values("story"))
    return pages.one_per_story().values_list("pk", flat=True)


def in_order(numbers: Sequence[int]) -> list[Harvest]:
    """Return the harvests of these numbers, in their order."""
    found = {row.pk: row for row in _numbered(list(numbers))}
    return [found[number] for number in numbers if number in found]


@prepared
def _numbered(numbers: Sequence[int]) -> QuerySet[Harvest]:
    rows = Harvest.objects.select_related("url__site", "url__page").defer(*UNLISTED)
    return rows.filter(pk__in=number_list(numbers))
