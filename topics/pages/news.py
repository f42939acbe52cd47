"""Pages of a topic that stand apart from its news, one a story."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet

from crawler.api.tables import Harvest
from topics.models import Topic
from topics.pages.not_spam import stuffed_news


def stuffed_in_order(topic: Topic, now: datetime) -> QuerySet[Harvest, int]:
    """Numbers of the news that stand apart as stuffed, one a story, best first."""
    return stuffed_news(topic, now).one_per_story().values_list("pk", flat=True)


def known_in_order(topic: Topic, now: datetime) -> QuerySet[Harvest, int]:
    """Numbers of the kept pages that are not news, one a story, best first.

    Only numbers: to choose among whole rows takes the database four times as long.
    """
    return topic.known_pages(now).one_per_story().values_list("pk", flat=True)


def in_order(numbers: Sequence[int]) -> list[Harvest]:
    """The harvests of these numbers, in their order."""
    rows = Harvest.objects.select_related("url", "url__site", "url__page").in_bulk(list(numbers))
    return [rows[number] for number in numbers if number in rows]
