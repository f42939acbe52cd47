"""The best news of the last day in all topics of a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from crawler.api.ranking import is_new_site
from crawler.api.tables import Harvest
from focusweb.database import number_list
from focusweb.prepared import prepared
from topics.home.topic_lines import TopicLine
from topics.models import Reading, Topic
from topics.pages.extracts import TopicWords, quotes_of, words_of
from topics.pages.news import in_order
from topics.pages.not_spam import is_trusted
from topics.pages.opening import open_address
from topics.search.snippet import Fragment

DAY: Final = timedelta(days=1)
MAX_PAGES: Final = 6
_COLUMNS: Final = ("pk", "crawl", "url__site__domain", "is_trusted")


@dataclass(frozen=True, slots=True)
class TodayPage:
    """A page of the day, and the topic that found it."""

    topic: Topic
    harvest: Harvest
    title: str
    new_site: bool
    extract: Fragment
    opens: str


def best_of_today(lines: Sequence[TopicLine], user: Any, now: datetime) -> list[TodayPage]:
    """Return the news of the last 24 hours with the highest scores, one a story, best first.

    Hidden pages and pages with keyword stuffing are left out. Takes two queries: to choose among
    whole rows takes the database several times as long as to choose among their numbers.
    """
    by_crawl = {line.topic.crawl_id: line for line in lines if line.topic.crawl_id}
    fair = [
        number
        for number, crawl, domain, is_trusted in _candidates([*by_crawl], user.pk, now - DAY, now)
        if is_trusted or domain not in by_crawl[crawl].farms
    ]
    rows = in_order(fair[:MAX_PAGES])
    return [_shown(row, by_crawl[row.crawl_id], now) for row in rows]


@prepared
def _candidates(
    crawls: Sequence[int], user: int, since: datetime, now: datetime
) -> QuerySet[Any, Any]:
    same = {"topic__crawl": OuterRef("crawl"), "url": OuterRef("url")}
    hidden = Reading.objects.filter(user_id=user, **same).exclude(hidden="")
    news = Harvest.objects.filter(crawl__in=number_list(crawls)).news(since, now).not_stuffed()
    # First the best page of each story, as in the list of a topic: who hides that page has hidden
    # the story, and is not shown it again by another site's page.
    best = news.order_by().one_per_story().values("pk")
    rows = Harvest.objects.filter(~Exists(hidden), pk__in=best).order_by("-score", "pk")
    rows = rows.annotate(is_trusted=is_trusted())
    return rows.values_list(*_COLUMNS)[: 5 * MAX_PAGES]


def _shown(row: Harvest, line: TopicLine, now: datetime) -> TodayPage:
    crawl = line.topic.crawl
    return TodayPage(
        topic=line.topic,
        harvest=row,
        title=row.title,
        new_site=is_new_site(row.url.site.first_seen, line.watched_since, now),
        extract=quotes_of(row, words_of(crawl) if crawl else TopicWords()).extract,
        opens=open_address(row.url.url),
    )
