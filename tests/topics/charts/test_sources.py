"""The chart of sources: what each brought, and how late."""

from crawler.models import FrontierEntry, Source
from tests.topics.factories import NOON, Scene
from topics.charts.news_rows import news_rows
from topics.charts.sources import sources_by_yield


def test_pages_are_counted_by_source_and_delay(news: Scene) -> None:
    chart = sources_by_yield(news.topic, news_rows(news.topic, NOON))
    feed, others = chart.rows
    # Of six pages of the feed three came within a day, and one has no date.
    assert [cell.value for cell in feed][2:] == [6, 0.25, 3, 2, 1]
    assert feed[2].href == "/topics/chips/sources/pages?key=https%3A%2F%2Fportal.test%2Ffeed"
    assert others[0].value == "links on other pages"
    assert others[2].value == 2
    assert chart.says == "portal.test/feed brought most new pages: 6."


def test_of_sources_that_brought_as_many_pages_none_is_named_first(news: Scene) -> None:
    address = "https://second.test/feed"
    Source.objects.create(crawl=news.crawl, kind="feeds", address=address, since=news.now, rate={})
    moved = [f"https://{site}.test/{n}" for site, n in [("young", 3), ("portal", 4), ("young", 5)]]
    entries = FrontierEntry.objects.filter(crawl=news.crawl, url__url__in=moved)
    entries.update(parent=news.url(address))

    chart = sources_by_yield(news.topic, news_rows(news.topic, NOON))

    assert chart.says == "2 sources brought most new pages: 3 each."


def test_without_sources_all_pages_came_from_links(news: Scene) -> None:
    Source.objects.all().delete()

    chart = sources_by_yield(news.topic, news_rows(news.topic, NOON))

    assert chart.says == "All new pages came from links on other pages: 8."
