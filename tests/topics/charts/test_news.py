"""Charts of the news: their numbers are those of the topic's list."""

from collections.abc import Sequence
from datetime import date, timedelta

from django.utils import timezone

from crawler.models import Page
from tests.topics.factories import NOON, Scene
from topics.charts import news as charts
from topics.charts.chart import Chart, Value
from topics.charts.news_rows import list_address, news_rows
from topics.pages.filters import Filters
from topics.pages.listing import list_pages


def values(chart: Chart) -> list[Sequence[Value]]:
    return [tuple(cell.value for cell in row) for row in chart.rows]


def test_days_count_new_and_known_sites_apart(news: Scene) -> None:
    chart = charts.news_over_time(news.topic, news_rows(news.topic, NOON), NOON)
    assert chart.columns[1:] == ("new sites", "known sites", "Pages")
    counted = {row[0]: row[1:] for row in values(chart)}
    assert sum(row[3] for row in values(chart)) == 8  # type: ignore[misc]
    assert counted["2026-04-30"] == (1, 2, 3)
    assert counted["2026-05-01"] == (0, 0, 0)
    assert "4 of them are on new sites" in chart.says


def test_days_are_those_of_the_readers_time_zone(news: Scene) -> None:
    with timezone.override("Pacific/Kiritimati"):  # 14 hours ahead
        chart = charts.news_over_time(news.topic, news_rows(news.topic, NOON), NOON)
    assert "Pacific/Kiritimati" in chart.note
    assert values(chart)[-1][0] == "2026-05-02"


def test_a_day_leads_to_the_pages_that_it_counts_when_another_topic_knows_an_earlier_date(
    news: Scene,
) -> None:
    Page.objects.filter(title="=News 0").update(published=NOON - timedelta(days=4))

    chart = charts.news_over_time(news.topic, news_rows(news.topic, NOON), NOON)

    for cells in chart.rows:
        day = date.fromisoformat(str(cells[0].value))
        filters = Filters(since=day, until=day)
        listed = list_pages(news.topic, news.topic.owner, filters, NOON, began=None)
        assert cells[-1].value == listed.n_pages, day


def test_a_long_time_is_shown_by_weeks(news: Scene) -> None:
    rows = news_rows(news.topic, NOON)
    later = NOON + 60 * charts._DAY
    steps = charts.periods_of(rows, later)
    assert len(steps) <= charts.MAX_DAYS
    assert (steps[0].last - steps[0].first).days == 6
    assert steps[-1].last == timezone.localdate(later)


def test_few_pages_are_not_compared(news: Scene) -> None:
    rows = news_rows(news.topic, NOON)
    chart = charts.new_against_old(news.topic, rows, NOON)
    assert "too few" in chart.says
    assert [row[:3] for row in values(chart)] == [("new sites", 1, 4), ("known sites", 1, 4)]


def test_with_enough_pages_it_says_who_holds_the_best_places(news: Scene) -> None:
    rows = news_rows(news.topic, NOON)
    chart = charts.new_against_old(news.topic, [*rows, *rows], NOON)
    assert chart.says == "New sites hold 50 % of the best 20 places with 50 % of the pages."


def test_terms_lead_to_the_pages_that_hold_them(news: Scene) -> None:
    chart = charts.terms_over_time(news.topic, news_rows(news.topic, NOON), NOON)
    counts = {row[0].value: row[1] for row in chart.rows}
    assert counts["CPU"].value == 8
    assert counts["cache"].href == "/topics/chips/?term=cache"


def test_languages_are_named_in_their_own_words(news: Scene) -> None:
    chart = charts.languages(news.topic, news_rows(news.topic, NOON))
    assert values(chart) == [("English", 6, 0.75), ("中文", 2, 0.25)]


def test_a_topic_without_a_crawl_has_no_numbers(news: Scene) -> None:
    news.topic.crawl = None
    assert news_rows(news.topic, NOON) == []
    assert charts.news_over_time(news.topic, [], NOON).rows == ()
    assert charts.terms_over_time(news.topic, [], NOON).rows == ()


def test_an_address_leaves_out_empty_filters(news: Scene) -> None:
    assert (
        list_address(news.topic, site="", term="电网") == "/topics/chips/?term=%E7%94%B5%E7%BD%91"
    )
