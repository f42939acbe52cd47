"""The best of the day above the list of topics."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import Harvest, Story
from tests.topics.factories import Scene, scene_of
from topics.home.today import MAX_PAGES, best_of_today
from topics.home.topic_lines import topic_lines
from topics.models import Reading


@pytest.fixture
def today(ann: User) -> Scene:
    scene = scene_of(ann, now=timezone.now())
    scene.page("https://a.test/", "Good", score=0.4)
    scene.page("https://b.test/", "Better", score=0.6)
    scene.page("https://c.test/", "Known", score=0.9, baseline=True)
    scene.page("https://d.test/", "Old", score=0.9, first_seen=scene.now - timedelta(days=2))
    scene.page("https://e.test/", "Stuffed", score=0.9, trust=0.1)
    return scene


def titles(scene: Scene) -> list[str]:
    owner = scene.topic.owner
    found = best_of_today(topic_lines(owner, scene.now), owner, scene.now)
    return [one.title for one in found]


def test_the_best_news_of_the_last_day_come_first(today: Scene) -> None:
    assert titles(today) == ["Better", "Good"]


def test_hidden_pages_are_left_out(today: Scene) -> None:
    url = Harvest.objects.get(url__page__title="Better").url
    Reading.objects.create(
        user=today.topic.owner, topic=today.topic, url=url, hidden="old", changed=today.now
    )
    assert titles(today) == ["Good"]


def test_a_story_whose_best_page_is_hidden_does_not_come_back_by_another(today: Scene) -> None:
    story = Story.objects.create(crawl=today.crawl, first_seen=today.now)
    best = today.page("https://f.test/", "Report", score=0.8, story=story)
    today.page("https://g.test/", "Same report", score=0.7, story=story)
    assert titles(today) == ["Report", "Better", "Good"]

    Reading.objects.create(
        user=today.topic.owner, topic=today.topic, url=best.url, hidden="seen", changed=today.now
    )
    assert titles(today) == ["Better", "Good"]


def test_only_so_many_are_shown(today: Scene) -> None:
    for number in range(MAX_PAGES + 3):
        today.page(f"https://more.test/{number}", f"More {number}")
    assert len(titles(today)) == MAX_PAGES


@pytest.mark.parametrize("path", ["/", "/today"])
def test_they_stand_on_the_home_page_with_their_topic(
    as_ann: Client, today: Scene, path: str
) -> None:
    html = as_ann.get(path).content.decode()
    assert html.index("Better") < html.index("Good")
    assert 'href="https://b.test/"' in html
    assert 'href="/topics/chips/"' in html


def test_nobody_sees_those_of_others(client: Client, today: Scene, bob: User) -> None:
    client.force_login(bob)
    assert "Better" not in client.get("/").content.decode()


def test_a_page_without_a_date_says_so(as_ann: Client, today: Scene) -> None:
    published = today.now - timedelta(hours=5)
    Harvest.objects.filter(url__page__title="Good").update(published=published)
    html = as_ann.get("/").content.decode().replace("\xa0", " ")
    assert html.count("date unknown, first seen 3 hours ago") == 1  # Better
    assert f'<time datetime="{published.isoformat()}" title="' in html
    assert ">5 hours ago</time>" in html
