"""The best news of the last day in all topics of a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from crawler.api.tables import Harvest
from topics.models import Reading, Topic
from topics.pages.not_spam import stuffed_pages
from topics.pages.rows import ShownPage, shown_pages

DAY: Final = timedelta(days=1)
MAX_PAGES: Final = 6


@dataclass(frozen=True, slots=True)
class TodayPage:
    """A page of the day, and the topic that found it."""

    topic: Topic
    page: ShownPage


def best_of_today(topics: Sequence[Topic], user: Any, now: datetime) -> list[TodayPage]:
    """The news of the last 24 hours with the highest scores, one a story, best first.

    Hidden pages and pages with keyword stuffing are left out.
    """
    by_crawl = {topic.crawl_id: topic for topic in topics if topic.crawl_id}
    news = Harvest.objects.filter(crawl__in=by_crawl).news(now - DAY, now).not_stuffed()
    hidden = Reading.objects.filter(user_id=user.pk, topic__in=topics).exclude(hidden="")
    dropped = set(hidden.values_list("topic_id", "url_id"))
    rows = news.one_per_story().select_related("url__site", "url__page")
    kept = [
        row
        for row in rows.order_by("-score", "pk")[: 5 * MAX_PAGES]
        if (by_crawl[row.crawl_id].pk, row.url_id) not in dropped
    ]
    farmed = {
        pk for crawl in {row.crawl_id for row in kept} for pk in stuffed_pages(by_crawl[crawl])
    }
    best = [row for row in kept if row.pk not in farmed][:MAX_PAGES]
    shown: dict[int, ShownPage] = {}
    for crawl_id in {row.crawl_id for row in best}:
        crawl = by_crawl[crawl_id].crawl
        assert crawl is not None
        own = [row for row in best if row.crawl_id == crawl_id]
        shown |= {page.harvest.pk: page for page in shown_pages(crawl, own, now)}
    return [TodayPage(by_crawl[row.crawl_id], shown[row.pk]) for row in best]
