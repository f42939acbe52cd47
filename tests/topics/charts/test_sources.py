"""The chart of sources: what each brought, and how late."""

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
