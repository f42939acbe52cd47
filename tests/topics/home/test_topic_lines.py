"""What the home page says of each topic is found by the indexes made for it."""

import re
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crawler.models import Story
from tests import databases
from tests.topics.factories import scene_of
from topics.home.topic_lines import topic_lines
from topics.models import Visit

_BY_FIND = r"USING INDEX news_by_find \(crawl_id=\? AND first_seen>\?\)"


def test_news_since_a_visit_are_found_by_their_index(ann: User) -> None:
    scenes = [scene_of(ann, f"chips{n}", now=timezone.now()) for n in range(3)]
    for n, scene in enumerate(scenes):
        scene.page(f"https://{n}.test/", "News", first_seen=scene.now - timedelta(minutes=5))
        # The last topic was opened after its page came.
        visited = scene.now - timedelta(hours=1 if n < 2 else 0)
        Visit.objects.create(user=ann, topic=scene.topic, latest=visited)
    topic_lines(ann, scenes[0].now)  # stores the figures

    with CaptureQueriesContext(connection) as queries:
        lines = topic_lines(ann, scenes[0].now)

    [counted] = [one["sql"] for one in queries.captured_queries if "COALESCE" in one["sql"]]
    assert [line.n_since for line in lines] == [1, 1, 0]
    # The planner of PostgreSQL goes by the sizes of the tables, so that on these tiny ones
    # its choice says nothing of large ones.
    if not databases.SERVER:
        plan = databases.plan_of(counted)
        assert re.search(_BY_FIND, plan), plan


def test_other_pages_of_their_stories_are_found_by_the_index_of_stories(ann: User) -> None:
    scene = scene_of(ann, now=timezone.now())
    page = scene.page("https://a.test/", "News", first_seen=scene.now - timedelta(minutes=5))
    page.story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
    page.save()
    Visit.objects.create(user=ann, topic=scene.topic, latest=scene.now - timedelta(hours=1))
    topic_lines(ann, scene.now)  # stores the figures

    with CaptureQueriesContext(connection) as queries:
        [line] = topic_lines(ann, scene.now)

    *_, counted = (one["sql"] for one in queries.captured_queries if "COALESCE" in one["sql"])
    assert line.n_since == 1
    if not databases.SERVER:
        plan = databases.plan_of(counted)
        assert re.search(r"crawler_harvest USING INDEX \w*story\w* \(story_id=\?\)", plan), plan
