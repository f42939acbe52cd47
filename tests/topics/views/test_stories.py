"""Copies of a story are folded wherever pages are listed; new sites have their places."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from crawler.models import FrontierEntry, Harvest, Run, Site, Story
from crawler.reasons import Reason
from tests.topics.factories import Scene, scene_of, tight
from tests.topics.views.conftest import LOCAL, get
from topics.models import Reading, TopicFigures
from topics.pages.filters import Filters, read_filters
from topics.pages.listing import count_stories, list_pages, stored_news
from topics.pages.news import in_order, known_in_order
from topics.pages.stories import also_at


@pytest.fixture
def in_two_places(ann: User) -> Scene:
    """Three sites report one story, one of them word by word; another page stands alone."""
    scene = scene_of(ann, now=timezone.now())
    story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
    scene.page("https://a.test/x", "Story at A", story=story, score=0.4)
    scene.page("https://b.test/x", "Story at B", story=story, score=0.8)
    scene.page("https://c.test/x", "Story at C", story=story, score=0.9, kept=False)
    scene.page("https://d.test/y", "Alone", score=0.6)
    FrontierEntry.objects.filter(url__url="https://c.test/x").update(reason=Reason.DUPLICATE)
    return scene


def test_the_best_source_is_listed_with_the_others_beside_it(
    as_ann: Client, in_two_places: Scene
) -> None:
    html = tight(get(as_ann, LOCAL))
    assert html.index("Story at B") < html.index("Alone")
    assert "Story at A" not in html
    assert "2 new pages" in html
    assert html.index('">c.test</a>,') < html.index('">a.test</a></p>')
    assert ">2</a>" in get(as_ann, "")


def test_the_page_itself_says_where_else_its_story_stands(
    as_ann: Client, in_two_places: Scene
) -> None:
    page = Harvest.objects.get(url__url="https://a.test/x")
    html = get(as_ann, f"{LOCAL}pages/{page.pk}/")
    assert "Also at" in html
    assert 'href="https://b.test/x"' in html


def test_known_pages_are_put_in_order_by_their_numbers_alone(
    in_two_places: Scene, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Harvest.objects.update(baseline=True)
    with django_assert_num_queries(1) as queries:
        numbers = list(known_in_order(in_two_places.topic, in_two_places.now))

    assert [page.page.title for page in in_order(numbers)] == ["Story at B", "Alone"]
    # Whole rows carry texts and explanations through the sorting of all known pages.
    assert "explanation" not in queries.captured_queries[0]["sql"]


def test_known_copies_are_folded_too(as_ann: Client, in_two_places: Scene) -> None:
    Harvest.objects.update(baseline=True)
    html = get(as_ann, f"{LOCAL}known/")
    assert "Story at B" in html
    assert "Story at A" not in html


def test_a_page_that_was_dropped_is_named_nowhere(in_two_places: Scene) -> None:
    Harvest.objects.filter(url__url="https://b.test/x").update(kept=False)
    page = Harvest.objects.get(url__url="https://a.test/x")

    assert [other.url.url for other in also_at([page])[page.pk]] == ["https://c.test/x"]


def test_copies_on_the_pages_own_site_are_not_reported(in_two_places: Scene) -> None:
    alone = Harvest.objects.get(url__url="https://d.test/y")
    in_two_places.page(
        "https://d.test/z",
        "Alone again",
        story=Story.objects.create(crawl=in_two_places.crawl, first_seen=in_two_places.now),
    )
    Harvest.objects.filter(url__site__name="d.test").update(
        story=Harvest.objects.get(url__url="https://d.test/z").story
    )
    alone.refresh_from_db()

    assert also_at([alone]) == {}


def best_first(scene: Scene) -> list[int]:
    """Numbers of the news as the topic page lists them."""
    began = scene.crawl.baseline_end()
    return list_pages(scene.topic, scene.topic.owner, Filters(), scene.now, began=began).numbers


def test_a_new_site_has_one_of_the_first_places(ann: User) -> None:
    scene = scene_of(ann, now=timezone.now())
    Run.objects.update(ended=scene.now - timedelta(days=60))
    for number in range(12):
        scene.url(f"https://old{number}.test/", seen=scene.now - timedelta(days=90))
        scene.page(f"https://old{number}.test/", "Old", score=0.9 - number / 100)
    young = scene.page("https://young.test/", "Young", score=0.1)

    order = best_first(scene)
    assert order.index(young.pk) == 9
    assert len(order) == 13


def test_what_is_new_stands_before_what_scored_a_little_more_last_week(ann: User) -> None:
    scene = scene_of(ann, now=timezone.now())
    Run.objects.update(ended=scene.now - timedelta(days=60))
    scores = {0: 0.5, 2: 0.6, 9: 0.7, 1: 0.03}
    pages = {}
    for days, score in scores.items():
        url = f"https://site{days}.test/"
        scene.url(url, seen=scene.now - timedelta(days=90))
        pages[days] = scene.page(url, "News", score=score)
        Harvest.objects.filter(pk=pages[days].pk).update(
            first_seen=scene.now - timedelta(days=days)
        )
    # Of a window of 30 days, a score counts half after every 2.
    assert best_first(scene) == [pages[n].pk for n in (0, 2, 9, 1)]


def test_stored_news_are_listed_as_those_in_the_database(in_two_places: Scene, ann: User) -> None:
    scene, topic, now = in_two_places, in_two_places.topic, in_two_places.now
    old = now - timedelta(days=400)
    scene.page("https://e.test/", "Dated", published=now - timedelta(days=2), score=0.7)
    scene.page("https://f.test/", "Stuffed", trust=0.1)
    Site.objects.filter(name="d.test").update(first_seen=old)
    pages = {page.url.url: page for page in Harvest.objects.select_related("url")}
    marks = {"user": ann, "topic": topic, "changed": now}
    Reading.objects.create(url=pages["https://d.test/y"].url, read=now, **marks)
    Reading.objects.create(url=pages["https://e.test/"].url, hidden="dull", **marks)
    stored = json.loads(json.dumps(stored_news(topic, now, [])))
    queries = ("", "show=unread", "show=hidden", "new=1", "site=d.test", "order=newest", "known=1")
    since = f"since={(now - timedelta(days=1)):%Y-%m-%d}"

    for query in (*queries, "order=score", "order=day", "show=starred", "term=CPU", since):
        filters = read_filters(QueryDict(query))
        given = {"began": old, "since": now - timedelta(days=1)}
        live = list_pages(topic, ann, filters, now, **given)  # type: ignore[arg-type]
        assert list_pages(topic, ann, filters, now, stored=stored, **given) == live, query  # type: ignore[arg-type]
    assert count_stories(stored) == 3


def test_stored_news_are_used_until_a_run_does_something(
    as_ann: Client, in_two_places: Scene
) -> None:
    assert "2 new pages" in get(as_ann, LOCAL)  # stores them
    in_two_places.page("https://g.test/", "Just found")
    assert "Just found" not in get(as_ann, LOCAL)

    Run.objects.update(kept=F("kept") + 1)

    assert "Just found" in get(as_ann, LOCAL)
    TopicFigures.objects.update(counted=timezone.now() - timedelta(minutes=16))
    assert "Just found" in get(as_ann, LOCAL)


def test_lists_in_chinese_have_chinese_commas(as_ann: Client, in_two_places: Scene) -> None:
    assert '">c.test</a>、<a' in tight(get(as_ann, LOCAL, "zh-hans"))
