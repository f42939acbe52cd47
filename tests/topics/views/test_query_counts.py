"""No page reads the database more often than is allowed, however much there is to show."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from crawler.models import Harvest, Site, Story
from tests.topics.factories import Scene, explanation, person, scene_of
from tests.topics.views.test_access import OWN, address
from topics.accounts.sharing import share
from topics.models import Reading, ReadingTag, SiteControl, Thumb, Visit
from topics.search.outbox import rebuild

#: The pages that people open all day, and the most queries of each.
DAILY = 12
#: All others; a preview of a digest writes a whole mail.
OTHERS = 75
PERSONAL_PAGES = (
    *("topic_list", "topics_today", "alert_list", "search", "saved_searches", "new_topic"),
    "ontology_list",
)


def fill(scene: Scene, n_pages: int, first: int = 0) -> Harvest:
    """Give a topic pages of every kind, with marks, tags, ratings and rules."""
    owner, topic = scene.topic.owner, scene.topic
    keys = {"user": owner, "topic": topic}
    for number in range(first, first + n_pages):
        parent = f"https://site{number - 1}.test/a" if number else None
        address = f"https://site{number}.test/a"
        story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
        page = scene.page(address, f"Page {number}", parent, explanation=explanation(), story=story)
        scene.page(f"https://known{number}.test/", f"Known {number}", parent, baseline=True)
        scene.page(f"https://stuffed{number}.test/", f"Stuffed {number}", parent, trust=0.1)
        row = Reading.objects.create(url=page.url, starred=scene.now, changed=scene.now, **keys)
        ReadingTag.objects.create(reading=row, name=f"tag {number}")
        Thumb.objects.create(url=page.url, value=1, created=scene.now, **keys)
        rule = {"topic": topic, "rule": SiteControl.Rule.RAISE}
        SiteControl.objects.create(site=Site.objects.get(name=f"site{number}.test"), **rule)
    Visit.objects.get_or_create(defaults={"latest": scene.now}, **keys)
    return page


@pytest.fixture
def counted(as_ann: Client) -> Callable[[str], int]:
    """Open a page twice and count the queries of the second time."""

    def count(path: str) -> int:
        assert as_ann.get(path).status_code == 200, path
        with CaptureQueriesContext(connection) as queries:
            as_ann.get(path)
        return len(queries)

    return count


@pytest.mark.parametrize("n_pages", [1, 12])
@pytest.mark.parametrize("n_topics", [1, 5])
def test_the_pages_of_every_day_read_little(
    ann: User, counted: Callable[[str], int], n_topics: int, n_pages: int
) -> None:
    scenes = [scene_of(ann, f"chips{n}", now=timezone.now()) for n in range(n_topics)]
    pages = [fill(scene, n_pages) for scene in scenes[:1]]
    for scene in scenes[1:]:
        scene.urls = scenes[0].urls
        Harvest.objects.create(
            crawl=scene.crawl,
            url=pages[0].url,
            run=scene.run,
            kept=True,
            score=0.4,
            explanation=explanation(),
            first_seen=scene.now,
        )
    rebuild()
    pk = pages[0].pk
    paths = ["/", "/topics/chips0/", "/search/?q=page", f"/topics/chips0/pages/{pk}/read"]
    counts = {path: counted(path) for path in [*paths, f"/topics/chips0/pages/{pk}/"]}

    assert max(counts.values()) <= DAILY, counts


def test_topics_that_others_share_cost_a_search_no_query(
    ann: User, counted: Callable[[str], int]
) -> None:
    fill(scene_of(ann, "chips0", now=timezone.now()), 3)
    rebuild()
    alone = counted("/search/?q=page")
    for number in range(3):
        scene = scene_of(person(f"owner{number}"), f"chips{number + 1}", now=timezone.now())
        harvest = Harvest.objects.filter(crawl__topic__owner=ann).earliest("pk")
        Harvest.objects.create(
            crawl=scene.crawl, url=harvest.url, run=scene.run, kept=True, first_seen=scene.now
        )
        share(scene.topic, "ann", scene.now)
    rebuild()

    assert counted("/search/?q=page") == alone


def test_no_page_reads_the_database_often(scene: Scene, counted: Callable[[str], int]) -> None:
    names = [name for name, method in OWN.items() if method == "get"]
    paths = {name: address(name, scene) for name in names}
    paths |= {name: reverse(name) for name in PERSONAL_PAGES}
    fill(scene, 3)
    few = {name: counted(path) for name, path in paths.items()}
    fill(scene, 9, first=3)
    many = {name: counted(path) for name, path in paths.items()}
    worst = sorted(many.items(), key=lambda one: -one[1])
    grown = {name: (few[name], n) for name, n in many.items() if n > few[name] + 1}

    assert worst[0][1] <= OTHERS, worst[:10]
    assert grown == {}
