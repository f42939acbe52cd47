"""The best news of the last day in all topics of a person."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists, OuterRef

from crawler.api.ranking import is_new_site
from crawler.api.tables import Crawl, Harvest
from topics.home.topic_lines import TopicLine
from topics.models import Reading, SiteControl, Thumb, Topic
from topics.pages.extracts import choose_fragment, word_weights
from topics.pages.opening import open_address
from topics.search.snippet import Fragment

DAY: Final = timedelta(days=1)
MAX_PAGES: Final = 6


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
    """The news of the last 24 hours with the highest scores, one a story, best first.

    Hidden pages and pages with keyword stuffing are left out. Takes one query.
    """
    by_crawl = {line.topic.crawl_id: line for line in lines if line.topic.crawl_id}
    candidates = list(_candidates(by_crawl, user, now)[: 5 * MAX_PAGES])
    fair = [
        row
        for row in candidates
        if _is_trusted(row) or row.url.site.domain not in by_crawl[row.crawl_id].farms
    ]
    return [_shown(row, by_crawl[row.crawl_id], now) for row in fair[:MAX_PAGES]]


def _candidates(crawls: Collection[int], user: Any, now: datetime) -> Any:
    same = {"topic__crawl": OuterRef("crawl"), "url": OuterRef("url")}
    hidden = Reading.objects.filter(user_id=user.pk, **same).exclude(hidden="")
    liked = Thumb.objects.filter(value__gt=0, **same)
    raised = SiteControl.objects.filter(
        topic__crawl=OuterRef("crawl"),
        site=OuterRef("url__site"),
        rule__in=(SiteControl.Rule.RAISE, SiteControl.Rule.PIN),
    )
    news = Harvest.objects.filter(crawl__in=crawls).news(now - DAY, now).not_stuffed()
    rows = news.filter(~Exists(hidden)).one_per_story().order_by("-score", "pk")
    return rows.annotate(is_trusted=Exists(liked) | Exists(raised)).select_related(
        "url__site", "url__page"
    )


def _is_trusted(row: Harvest) -> bool:
    """Whether a person's word makes it fair, as `_candidates` read it."""
    return bool(getattr(row, "is_trusted", False))


def _shown(row: Harvest, line: TopicLine, now: datetime) -> TodayPage:
    crawl, page = line.topic.crawl, row.page
    return TodayPage(
        topic=line.topic,
        harvest=row,
        title=page.title or row.url.url,
        new_site=is_new_site(row.url.site.first_seen, line.watched_since, now),
        extract=choose_fragment(page, _weights(crawl)),
        opens=open_address(row.url.url),
    )


def _weights(crawl: Crawl | None) -> Mapping[str, float]:
    return word_weights(crawl) if crawl else {}
