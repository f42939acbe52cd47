"""A page that names a day and no time is of that day, whatever the reader's zone."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import Harvest, Page
from tests.topics.factories import Scene, scene_of
from topics.accounts.sign_ins import ZONE_KEY
from topics.charts.news import news_over_time
from topics.charts.news_rows import news_rows
from topics.delivery.channels.base import Message, MessageItem
from topics.models import Topic
from topics.pages.filters import Filters
from topics.pages.listing import list_pages
from topics.pages.search_export import as_markdown, exported_pages
from topics.pages.search_facets import facets_of, read_rows
from topics.pages.search_facts import Scope, resolve
from topics.search.query import parse_query
from topics.search.tree import Ids
from topics.templatetags.delivery_tags import page_age
from topics.templatetags.topic_tags import age

#: The 22nd in every zone.
NOON = datetime(2025, 11, 22, 12, tzinfo=UTC)
DAY, TIME = datetime(2025, 11, 22, tzinfo=UTC), datetime(2025, 11, 22, 3, tzinfo=UTC)
ZONES = ("UTC", "America/Los_Angeles", "Asia/Shanghai")
pytestmark = pytest.mark.parametrize("zone", ZONES)


@pytest.fixture
def scene(ann: User) -> Scene:
    """A page of the 22nd, and one of three o'clock UTC, which is the evening before in the west."""
    scene = scene_of(ann, now=NOON)
    Harvest.objects.update(baseline=True)
    for name, published in (("day", DAY), ("time", TIME)):
        scene.page(f"https://{name}.test/", name, first_seen=NOON, published=published)
        Page.objects.filter(title=name).update(published=published)
    return scene


def day_of_time(zone: str) -> str:
    return "2025-11-21" if zone == "America/Los_Angeles" else "2025-11-22"


def found(text: str, scope: Scope) -> set[str]:
    tree = resolve(parse_query(text), scope).tree
    assert isinstance(tree, Ids)
    pages = Harvest.objects.filter(url__in=tree.ids, baseline=False)
    return set(pages.values_list("url__page__title", flat=True))


def scope_in(zone: str, scene: Scene, now: datetime = NOON) -> Scope:
    return Scope([scene.topic], now, ZoneInfo(zone))


def test_a_search_finds_it_on_that_day(scene: Scene, zone: str) -> None:
    scope = scope_in(zone, scene)
    for day in ("2025-11-21", "2025-11-22", "2025-11-23"):
        expected = {"day"} if day == "2025-11-22" else set()
        expected |= {"time"} if day == day_of_time(zone) else set()
        assert found(f"pub:{day}", scope) == expected, day
    for condition in ("before:2025-11-23", "after:2025-11-21", "pub:today", "pub:>=2025-11-22"):
        assert "day" in found(condition, scope), condition
    for condition in ("before:2025-11-22", "after:2025-11-22", "pub:yesterday", "pub:<2025-11-22"):
        assert "day" not in found(condition, scope), condition


def test_facets_count_it_as_the_search_finds_it(scene: Scene, zone: str) -> None:
    ids = {url.pk for url in scene.urls.values()}
    for days in (1, 2, 7, 8):
        scope = scope_in(zone, scene, NOON + timedelta(days=days))
        rows = [row for row in read_rows(ids, scope) if row.page_id in new_pages()]
        facets = {x.condition: x.count for one in facets_of(rows, scope) for x in one.values}
        for condition, count in facets.items():
            if condition.startswith("after:"):
                assert len(found(condition, scope)) == count, (days, condition)


def new_pages() -> set[int]:
    return set(Harvest.objects.filter(baseline=False).values_list("url_id", flat=True))


def test_the_list_and_the_charts_have_it_on_that_day(scene: Scene, zone: str) -> None:
    day = date(2025, 11, 22)
    with timezone.override(zone):
        filters = Filters(since=day, until=day)
        listed = list_pages(scene.topic, scene.topic.owner, filters, NOON, began=None).numbers
        rows = news_rows(scene.topic, NOON)
        chart = news_over_time(scene.topic, rows, NOON)

    assert {row.title: row.day.isoformat() for row in rows} == {
        "day": "2025-11-22",
        "time": day_of_time(zone),
    }
    assert len(listed) == sum(row.day == day for row in rows)
    assert sum(int(str(row[-1].value)) for row in chart.rows) == 2


def test_charts_have_it_where_its_day_has_not_begun(scene: Scene, zone: str) -> None:
    now = DAY + timedelta(hours=1)  # still the 21st in the west
    Harvest.objects.filter(url__page__title="day").update(first_seen=now)
    with timezone.override(zone):
        chart = news_over_time(scene.topic, news_rows(scene.topic, now), now)

    assert (chart.rows[-1][0].value, chart.rows[-1][-1].value) == ("2025-11-22", 1)


def test_pages_mails_and_files_show_that_day(scene: Scene, zone: str, as_ann: Client) -> None:
    session = as_ann.session
    session[ZONE_KEY] = zone
    session.save()
    harvest = Harvest.objects.get(url__page__title="day")
    item = MessageItem("", "", "", "", "", "", 0.5, NOON, DAY)
    mail = Message("alerts", "u", "", "", "en", NOON, [item], zone=zone)

    detail = as_ann.get(f"/topics/chips/pages/{harvest.pk}/").content.decode()
    with timezone.override(zone):
        file = as_markdown("q", exported_pages(Topic.objects.get()))

    assert "2025-11-22</time>" in detail and "2025-11-21<" not in detail
    assert "2025-11-22" in page_age(item, mail)
    assert "day.test, 2025-11-22" in file.replace("\\", "")


def test_its_age_counts_the_readers_days(zone: str) -> None:
    late = DAY.replace(tzinfo=ZoneInfo(zone)) + timedelta(hours=22)
    with timezone.override(zone):
        assert age(DAY, late) == "today"
        assert age(DAY, late + timedelta(hours=4)) == "1\xa0day ago"
        assert age(DAY, late - timedelta(days=1)) == "today", "no day is to come"
