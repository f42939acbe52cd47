"""A topic's news as its page lists it: one page a story, with room for new sites."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet

from crawler.models import Harvest
from crawler.ranking.freshness import freshness_weight, is_new_site
from crawler.ranking.new_site_slots import Candidate, with_reserved
from topics.models import Topic
from topics.pages.not_spam import fair_news, stuffed_news
from topics.pages.rows import baseline_end

#: Most screens of news; older pages are found by search.
MAX_NEWS = 3000


def news_in_order(topic: Topic, now: datetime) -> list[int]:
    """Numbers of the harvests to list, best and newest first but for the places of new sites."""
    if topic.crawl is None:
        return []
    began = baseline_end(topic.crawl)
    rows = fair_news(topic, now).one_per_story().order_by("-score", "pk")
    columns = (
        *("pk", "score", "url__page__published", "first_seen"),
        *("url__site__domain", "url__site__first_seen"),
    )
    ranked = []
    for row in rows.values_list(*columns)[:MAX_NEWS]:
        pk, score, published, seen, domain, site_seen = row
        new = is_new_site(site_seen, began, now)
        value = score * freshness_weight(now - (published or seen), topic.fresh_days)
        ranked.append((-value, pk, Candidate(pk, domain, new)))
    return [one.key for one in with_reserved([one for _, _, one in sorted(ranked)])]


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
