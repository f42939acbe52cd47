"""The pages of an issue: news, each story once, room for new sites, nothing twice."""

from datetime import time, timedelta
from typing import Any

import pytest

from crawler.models import Run, Story
from tests.topics.delivery.issues import DAY, digest_of, news, titles_of, work
from tests.topics.factories import NOON, Scene
from topics.delivery.plan import save_digest
from topics.delivery.sections import Choice, choose_pages
from topics.models import Digest, DigestIssue


def titles(scene: Scene, **more: object) -> list[str]:
    """The pages of an issue made now."""
    pages = [one.harvest for one in choose_pages(digest_of(scene, **more), NOON - DAY, NOON).pages]
    return [page.page.title for page in pages]


def test_the_best_comes_first(scene: Scene) -> None:
    news(scene, "good", score=0.5)
    news(scene, "better", score=0.6)
    assert titles(scene) == ["better", "good"]


@pytest.mark.parametrize(
    "more",
    [
        {"baseline": True},
        {"kept": False},
        {"published": NOON - timedelta(days=31)},
        {"published": NOON + timedelta(days=1)},
        {"first_seen": NOON - timedelta(days=31)},
        # Delivered by earlier issues, or by none: it has had its chance.
        {"first_seen": NOON - timedelta(days=4)},
    ],
)
def test_what_is_no_news_is_not_reported(scene: Scene, more: dict[str, Any]) -> None:
    news(scene, "no news", **more)
    assert titles(scene) == []


def test_a_page_waits_until_its_crawl_has_given_it_a_story(scene: Scene) -> None:
    page = news(scene, "fresh from the net")
    story, page.story = page.story, None
    page.save()
    digest = digest_of(scene)
    assert choose_pages(digest, NOON - DAY, NOON) == Choice([], 0)
    page.story = story
    page.save()
    assert [one.harvest for one in choose_pages(digest, NOON - DAY, NOON).pages] == [page]


def test_a_story_is_reported_once_by_its_best_page(scene: Scene) -> None:
    story = Story.objects.create(crawl=scene.crawl, first_seen=NOON)
    news(scene, "copy", site="copy.test", story=story, score=0.4)
    news(scene, "original", site="first.test", story=story, score=0.6)
    issue = work(digest_of(scene), NOON)
    assert titles_of(issue) == ["original"]
    assert issue is not None
    assert issue.items.get().shown["also"] == ["copy.test"]
    assert issue.n_more == 0


def test_a_later_copy_of_a_reported_story_is_not_reported(scene: Scene) -> None:
    page = news(scene)
    digest = digest_of(scene)
    work(digest, NOON)
    news(scene, "copy", story=page.story, first_seen=NOON + timedelta(hours=1), score=0.9)
    assert choose_pages(digest, NOON, NOON + DAY) == Choice([], 0)


def test_one_site_gets_three_places_at_most(scene: Scene) -> None:
    for number in range(6):
        news(scene, f"big {number}", site="big.test", score=0.9 - number / 100)
    news(scene, "small", score=0.1)
    issue = work(digest_of(scene), NOON)
    assert titles_of(issue) == ["big 0", "big 1", "big 2", "small"]
    assert issue is not None
    assert issue.n_more == 3


def test_new_sites_get_a_fifth_of_the_places(scene: Scene) -> None:
    Run.objects.update(ended=NOON - timedelta(days=60))
    for number in range(12):
        address = f"old{number}.test"
        scene.url(f"https://{address}/", seen=NOON - timedelta(days=90))
        news(scene, "old", site=address, score=0.9)
    for number in range(4):
        news(scene, f"young {number}", score=0.2 - number / 100)
    chosen = titles(scene, max_items=10)
    assert chosen == ["old"] * 8 + ["young 0", "young 1"]


def test_what_found_no_place_may_come_the_next_day(scene: Scene) -> None:
    news(scene, "first", score=0.9)
    news(scene, "second", score=0.5)
    digest = digest_of(scene, max_items=1)
    first = work(digest, NOON)
    assert titles_of(first) == ["first"]
    assert titles_of(work(digest, NOON + DAY)) == ["second"]


def test_other_topics_are_not_reported_of(scene: Scene) -> None:
    news(scene)
    digest = digest_of(scene)
    scene.topic.crawl = None
    scene.topic.save()
    digest.refresh_from_db()
    assert choose_pages(digest, NOON - DAY, NOON) == Choice([], 0)


def test_an_empty_issue_is_noted_and_not_sent(scene: Scene) -> None:
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    assert (issue.state, issue.ended, bytes(issue.message)) == ("empty", NOON, b"")


def test_an_empty_issue_is_sent_to_who_wants_it(scene: Scene) -> None:
    issue = work(digest_of(scene, skip_empty=False), NOON)
    assert issue is not None
    assert issue.state == "filed"
    assert issue.subject == "Computing 计算机: nothing new"


def test_switched_off_makes_nothing(scene: Scene) -> None:
    news(scene)
    assert work(digest_of(scene, active=False), NOON) is None


def test_an_issue_that_is_due_stays_due_when_settings_are_saved(scene: Scene) -> None:
    digest = digest_of(scene)
    due = digest.next_due
    digest.max_items = 7
    save_digest(digest, NOON)
    assert digest.next_due == due
    digest.at = time(9)
    save_digest(digest, NOON)
    assert digest.next_due > NOON


def test_settings_that_are_saved_while_an_issue_is_made_do_not_undo_it(scene: Scene) -> None:
    digest = digest_of(scene)
    read_before = Digest.objects.get(pk=digest.pk)
    work(digest, NOON)
    read_before.max_items = 7
    save_digest(read_before, NOON + timedelta(minutes=1))
    digest.refresh_from_db()
    assert (digest.max_items, digest.covered_until) == (7, NOON)
    assert digest.next_due > NOON


def test_before_its_time_nothing_is_made(scene: Scene) -> None:
    news(scene)
    digest = digest_of(scene)
    assert work(digest, digest.next_due - timedelta(seconds=1)) is None
    assert work(digest, digest.next_due) is not None


def test_a_day_that_had_its_issue_gets_no_second_when_the_clock_goes_back(scene: Scene) -> None:
    digest = digest_of(scene)
    news(scene)
    work(digest, NOON)
    digest.plan_next(NOON - DAY)
    digest.save()
    work(digest, NOON + timedelta(minutes=1))
    assert DigestIssue.objects.count() == 1
    assert digest.next_due > NOON
