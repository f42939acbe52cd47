"""The page of a topic's sources: what each is, brings, and why it fails."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import Knowledge
from crawler.revisit.rate import FEED
from crawler.revisit.sources import MAX_FAILURES, SourceState
from crawler.sources import ledger
from crawler.sources.ledger import Known
from tests.topics.factories import Scene, scene_of
from tests.topics.views.test_pages import LOCAL, get
from topics.models import SiteControl, Topic
from topics.source_lines import n_failing, source_lines

DAY = timedelta(days=1)


def state(now: datetime, **more: object) -> SourceState:
    return SourceState(now - 9 * DAY, FEED, visited=now - DAY, last_new=now - DAY, **more)  # type: ignore[arg-type]


@pytest.fixture
def watched(ann: User) -> Scene:
    """A topic with a seed, a lively feed, a failing sitemap, a dead feed and a search."""
    scene = scene_of(ann, now=timezone.now())
    now = scene.now
    scene.entry("https://portal.test/")
    scene.entry("https://dead.test/feed", reason="gone")
    failing = {"failing_since": now - 4 * DAY, "failed": now - timedelta(minutes=5)}
    ledger.save(
        scene.crawl,
        {
            "https://live.test/feed": Known(ledger.FEEDS, state(now)),
            "https://ill.test/map.xml": Known(ledger.SITEMAPS, state(now, failures=1, **failing)),
            "https://dead.test/feed": Known(
                ledger.FEEDS, state(now, failures=MAX_FAILURES, **failing)
            ),
            "solar cells": Known(ledger.SEARCHES, SourceState(now)),
        },
    )
    return scene


def test_each_source_says_what_it_is_and_when_it_is_looked_at(
    as_ann: Client, watched: Scene
) -> None:
    html = get(as_ann, f"{LOCAL}sources/")
    for told in (
        *("https://portal.test/", "https://live.test/feed", "“solar cells”", "sitemap", "never"),
        *(
            "Failing since 4\xa0days ago.",
            "Given up; failing since 4\xa0days ago.",
            f"{FEED.per_day:.2f}",
        ),
        "next run",
    ):
        assert told in html, told
    assert html.count(">Look again</button>") == 2
    assert html.index("https://dead.test/feed") < html.index("https://live.test/feed")


def test_the_topic_page_says_how_many_sources_fail(as_ann: Client, watched: Scene) -> None:
    assert "2 fail</span>" in get(as_ann, LOCAL)
    assert n_failing(watched.topic) == 2


def test_to_look_at_the_page_changes_nothing(as_ann: Client, watched: Scene) -> None:
    before = list(Knowledge.objects.values())
    get(as_ann, f"{LOCAL}sources/")
    get(as_ann, LOCAL)

    assert list(Knowledge.objects.values()) == before


def test_a_dead_source_can_be_looked_at_again(as_ann: Client, watched: Scene) -> None:
    answer = as_ann.post(f"/{LOCAL}sources/again", {"key": "https://dead.test/feed"})

    assert answer.status_code == 302
    assert ledger.load(watched.crawl)["https://dead.test/feed"].state.failures == 0
    assert as_ann.post(f"/{LOCAL}sources/again", {"key": "https://x.test/"}).status_code == 404


def test_blocked_sites_can_be_found_and_let_go_there(as_ann: Client, watched: Scene) -> None:
    site = watched.url("https://spam.test/").site
    SiteControl.objects.create(topic=watched.topic, site=site, rule="block")
    html = get(as_ann, f"{LOCAL}sources/")

    assert "<strong>spam.test</strong>" in html
    assert ">blocked</summary>" in html


def test_a_topic_that_never_ran_shows_its_seeds(watched: Scene) -> None:
    Topic.objects.update(crawl=None)
    topic = Topic.objects.get()

    assert [line.url for line in source_lines(topic, watched.now)] == ["https://portal.test/"]
    assert n_failing(topic) == 0
