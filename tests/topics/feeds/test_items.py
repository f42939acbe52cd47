"""A feed shows each story once, and nothing again as new."""

from datetime import timedelta

import pytest

from crawler.models import Harvest
from tests.topics.delivery.rules_and_channels import rule_of
from tests.topics.factories import Scene, scene_of
from tests.topics.feeds.conftest import Add, days_after
from topics.delivery.rules.firing import fire_rule
from topics.feeds.addresses import renew_address
from topics.feeds.items import MAX_ITEMS, current_items
from topics.models import AlertRule, Feed, FeedItem, SavedSearch
from topics.search.outbox import rebuild
from topics.sources.site_rules import set_rule


def titles(feed: Feed, scene: Scene, days: float = 0) -> list[str]:
    """What the feed shows on a day, the latest first."""
    feed.refresh_from_db()
    return [item.harvest.page.title for item in current_items(feed, days_after(scene, days))]


@pytest.fixture
def feed(scene: Scene) -> Feed:
    """The feed of the topic. Pages without a story, as the scene has, are not shown yet."""
    return renew_address("topic", scene.topic, scene.now)


def test_a_story_is_one_entry_with_its_best_page(feed: Feed, scene: Scene, add: Add) -> None:
    first = add("a.test/x", score=0.4)
    add("b.test/x", score=0.6, story=first.story)
    add("c.test/y")

    assert set(titles(feed, scene)) == {"b.test/x", "c.test/y"}


def test_a_better_page_of_the_same_story_is_not_new(feed: Feed, scene: Scene, add: Add) -> None:
    first = add("a.test/x", score=0.4)
    assert titles(feed, scene) == ["a.test/x"]
    add("b.test/x", score=0.9, story=first.story)

    assert titles(feed, scene, 1) == ["a.test/x"]


def test_a_page_that_left_and_returns_is_not_shown_again(
    feed: Feed, scene: Scene, add: Add
) -> None:
    page = add("a.test/x")
    assert titles(feed, scene) == ["a.test/x"]
    Harvest.objects.filter(pk=page.pk).update(kept=False)
    assert titles(feed, scene, 1) == []
    Harvest.objects.filter(pk=page.pk).update(kept=True)

    assert titles(feed, scene, 2) == []


def test_known_stuffed_and_unranked_pages_are_not_shown(feed: Feed, scene: Scene, add: Add) -> None:
    add("known.test/", baseline=True)
    add("stuffed.test/", trust=0.1)
    add("low.test/", kept=False)
    add("good.test/")

    assert titles(feed, scene) == ["good.test/"]


def test_new_pages_are_sought_once_a_minute(feed: Feed, scene: Scene, add: Add) -> None:
    add("a.test/")
    titles(feed, scene)
    add("b.test/")

    assert titles(feed, scene, 30 / 86400) == ["a.test/"]
    assert titles(feed, scene, 61 / 86400) == ["b.test/", "a.test/"]


def test_a_feed_holds_so_many(feed: Feed, scene: Scene, add: Add) -> None:
    for number in range(MAX_ITEMS + 3):
        add(f"a{number}.test/", first_seen=scene.now - timedelta(minutes=number + 1))

    shown = titles(feed, scene)

    assert shown == [f"a{number}.test/" for number in range(MAX_ITEMS)]


def test_a_new_address_makes_nothing_new(feed: Feed, scene: Scene, add: Add) -> None:
    page = add("a.test/")
    titles(feed, scene)
    again = renew_address("topic", scene.topic, scene.now)

    assert again.pk == feed.pk
    assert [item.harvest_id for item in current_items(again, days_after(scene, 1))] == [page.pk]
    assert FeedItem.objects.count() == 1


def test_nothing_is_shown_twice_in_30_days(feed: Feed, scene: Scene, add: Add) -> None:
    """Pages come, leave, return and get better copies; the reader forgets what is gone."""
    pages: list[Harvest] = []
    shown_before: set[str] = set()
    announced: list[str] = []
    for day in range(30):
        now = days_after(scene, day)
        for number in range(3):
            story = pages[-2].story if number == 2 and len(pages) > 2 else None
            score = 0.4 + day / 100
            pages.append(add(f"d{day}n{number}.test/", first_seen=now, story=story, score=score))
        # Every third page leaves for a day.
        Harvest.objects.filter(pk__in=[page.pk for page in pages[day % 3 :: 3]]).update(kept=False)
        back = [page.pk for index, page in enumerate(pages) if index % 3 != day % 3]
        Harvest.objects.filter(pk__in=back).update(kept=True)
        for hour in (1, 7, 13):
            shown = set(titles(feed, scene, day + hour / 24))
            announced += shown - shown_before
            shown_before = shown
    stories = Harvest.objects.filter(url__page__title__in=announced).values_list("story", flat=True)

    assert len(announced) == len(set(announced)) == len(set(stories))
    assert len(announced) > 30


def test_a_saved_search_is_a_feed(scene: Scene, add: Add) -> None:
    add("a.test/", "Pipelines of a CPU", text="pipelines")
    add("b.test/", "Something else")
    rebuild()
    search = SavedSearch.objects.create(
        owner=scene.topic.owner, name="P", query="pipelines", created=scene.now
    )

    assert titles(renew_address("search", search, scene.now), scene) == ["Pipelines of a CPU"]


def test_a_page_of_two_topics_is_one_entry_of_a_search(scene: Scene, add: Add) -> None:
    page = add("a.test/", "Pipelines of a CPU", text="pipelines")
    other = scene_of(scene.topic.owner, "other")
    story = other.crawl.stories.create(first_seen=scene.now)
    copy = Harvest.objects.create(
        crawl=other.crawl, url=page.url, kept=True, score=0.2, first_seen=scene.now, story=story
    )
    rebuild()
    search = SavedSearch.objects.create(
        owner=scene.topic.owner, name="P", query="pipelines", created=scene.now
    )
    feed = renew_address("search", search, scene.now)
    assert titles(feed, scene) == ["Pipelines of a CPU"]
    Harvest.objects.filter(pk=copy.pk).update(score=0.9)

    assert titles(feed, scene, 1) == ["Pipelines of a CPU"]


def test_a_rule_is_a_feed_of_its_alerts(scene: Scene, add: Add) -> None:
    rule = rule_of(scene, min_score=0.5)
    AlertRule.objects.update(begins=scene.now - timedelta(days=1))
    rule.refresh_from_db()
    add("good.test/", score=0.8)
    add("poor.test/", score=0.3)
    fire_rule(rule, scene.now)

    assert titles(renew_address("rule", rule, scene.now), scene) == ["good.test/"]


def test_pages_of_a_topic_that_went_to_somebody_else_leave(
    feed: Feed, scene: Scene, add: Add, bob: object
) -> None:
    rule = rule_of(scene)
    AlertRule.objects.update(begins=scene.now - timedelta(days=1))
    rule.refresh_from_db()
    add("a.test/")
    fire_rule(rule, scene.now)
    own = renew_address("rule", rule, scene.now)
    assert titles(own, scene) == ["a.test/"]
    scene.topic.owner = bob  # type: ignore[assignment]
    scene.topic.save()

    assert titles(own, scene, 1) == []


def test_pages_of_a_site_that_was_blocked_since_leave(feed: Feed, scene: Scene, add: Add) -> None:
    rule = rule_of(scene)
    AlertRule.objects.update(begins=scene.now - timedelta(days=1))
    rule.refresh_from_db()
    page = add("a.test/")
    fire_rule(rule, scene.now)
    own, site = renew_address("rule", rule, scene.now), page.url.site
    assert titles(own, scene) == titles(feed, scene) == ["a.test/"]

    set_rule(scene.topic, site, "block", scene.now)

    assert titles(own, scene, 1) == titles(feed, scene, 1) == []
