"""The problems that the home page lists."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.models import Run, Story
from crawler.models.values import save_value
from crawler.page.page_terms import text_terms
from tests.topics.factories import Scene, prove, scene_of, topic_of
from topics.home.attention import needs_attention
from topics.home.figures import MANY_PAGES, figures_of, renew_due
from topics.home.topic_lines import topic_lines
from topics.models import Digest, DigestIssue, Thumb, Topic, TopicFigures, Visit
from topics.pages.filters import Filters
from topics.pages.listing import list_pages


@pytest.fixture
def kept(ann: User) -> Scene:
    """A topic with news of the last hours, in which nothing is wrong."""
    scene = scene_of(ann, now=timezone.now())
    scene.page("https://a.test/", "Good")
    return scene


def attention_lines(scene: Scene, *, has_server: bool = True) -> list[str]:
    owner = scene.topic.owner
    lines = topic_lines(owner, scene.now)
    found = needs_attention(lines, owner, scene.now, has_server=has_server)
    return [f"{one.topic.name}: {one.text}" if one.topic else one.text for one in found]


def digest_of(scene: Scene) -> Digest:
    return Digest.objects.create(
        topic=scene.topic, at="08:00", covered_until=scene.now, next_due=scene.now
    )


def issue_of(scene: Scene, state: str, day: int = 0) -> None:
    DigestIssue.objects.create(
        digest=scene.topic.digest,
        local_date=(scene.now + timedelta(days=day)).date(),
        slot="08:00",
        covers_from=scene.now,
        covers_until=scene.now,
        state=state,
        created=scene.now,
    )


def test_nothing_wrong_says_nothing(kept: Scene) -> None:
    assert attention_lines(kept) == []


def test_a_run_that_saw_nothing_is_named(kept: Scene) -> None:
    Run.objects.update(stop_reason="no_contact", fetched=0)
    [line] = attention_lines(kept)
    assert line.startswith("Computing 计算机: ")
    assert "contact" in line


def test_failing_sources_are_counted(kept: Scene) -> None:
    figures_of(kept.topic, kept.now)
    TopicFigures.objects.update(n_failing=3)
    assert attention_lines(kept) == ["Computing 计算机: 3 sources fail."]
    TopicFigures.objects.update(seeds_since=kept.now)
    assert attention_lines(kept) == ["Computing 计算机: None of the seeds responds."]


def test_a_topic_that_finds_nothing_is_named(ann: User) -> None:
    scene = scene_of(ann, now=timezone.now())
    assert attention_lines(scene) == ["Computing 计算机: No relevant page was found yet."]
    Run.objects.update(started=scene.now - timedelta(days=99), ended=scene.now - timedelta(days=98))
    scene.page("https://a.test/", "Old", baseline=True)
    TopicFigures.objects.forget(scene.crawl)
    assert attention_lines(scene) == ["Computing 计算机: Nothing new in the last 30 days."]
    Topic.objects.update(active=False)
    assert attention_lines(scene) == []


def test_a_topic_whose_words_stand_nowhere_is_named(kept: Scene) -> None:
    seen = DocumentFrequencies()
    seen.add([text_terms("football league goal")])
    save_value(kept.crawl, "library", seen.dump())
    assert attention_lines(kept) == [
        "Computing 计算机: No fetched page contains a word of this topic."
    ]
    seen.add([text_terms("我的计算机")])
    save_value(kept.crawl, "library", seen.dump())
    TopicFigures.objects.forget(kept.crawl)
    assert attention_lines(kept) == []


def test_a_run_that_has_just_begun_may_find_a_word_later(kept: Scene) -> None:
    Run.objects.update(ended=None)
    seen = DocumentFrequencies()
    seen.add([text_terms("football league goal")] * (MANY_PAGES - 1))
    save_value(kept.crawl, "library", seen.dump())
    assert not figures_of(kept.topic, kept.now).lacks_words
    seen.add([text_terms("football league goal")])
    save_value(kept.crawl, "library", seen.dump())
    TopicFigures.objects.forget(kept.crawl)
    assert figures_of(Topic.objects.get(), kept.now).lacks_words


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (["sent"], []),
        (["failed"], ["Computing 计算机: The last digest could not be sent."]),
        (["failed", "sent"], []),
        (["uncertain", "sent"], ["Computing 计算机: It is unknown whether a digest was sent."]),
    ],
)
def test_held_digests_are_named(kept: Scene, states: list[str], said: list[str]) -> None:
    digest_of(kept)
    prove(kept.topic.owner, "ann@example.org")
    for day, state in enumerate(states):
        issue_of(kept, state, day)
    assert attention_lines(kept) == said


def test_mail_that_cannot_be_sent_is_named_once(kept: Scene) -> None:
    digest_of(kept)
    assert attention_lines(kept, has_server=False) == [
        "No mail server is set up, so digests are stored as files."
    ]
    assert attention_lines(kept) == ["Your mail address is not confirmed, so no digest is sent."]
    prove(kept.topic.owner, "ann@example.org")
    assert attention_lines(kept) == []


@pytest.mark.parametrize("path", ["/", "/today"])
def test_the_home_page_leads_to_each(
    as_ann: Client, kept: Scene, settings: Settings, path: str
) -> None:
    settings.MAIL_SERVER = None
    digest_of(kept)
    html = as_ann.get(path).content.decode()
    assert "Needs attention" in html
    assert '<a href="/topics/chips/digest/">No mail server is set up' in html


def test_a_topic_says_what_came_since_the_reader_was_there(kept: Scene) -> None:
    owner = kept.topic.owner
    assert [line.n_since for line in topic_lines(owner, kept.now)] == [None]
    Visit.objects.create(user=owner, topic=kept.topic, latest=kept.now - timedelta(hours=4))
    assert [line.n_since for line in topic_lines(owner, kept.now)] == [1]
    Visit.objects.update(latest=kept.now - timedelta(hours=2))
    assert [line.n_since for line in topic_lines(owner, kept.now)] == [0]


def n_since(scene: Scene) -> tuple[int | None, int]:
    """What came since the reader's visit, as the home page and as the topic's list count it."""
    topic, owner = scene.topic, scene.topic.owner
    visited = Visit.objects.get(user=owner, topic=topic).latest
    [line] = topic_lines(owner, scene.now)
    listed = list_pages(
        topic, owner, Filters(), scene.now, began=None, farms=line.farms, since=visited
    )
    return line.n_since, listed.n_since


@pytest.mark.parametrize(("score", "count"), [(0.3, 0), (0.9, 1)], ids=["worse", "better"])
def test_a_copy_that_came_counts_only_if_it_stands_for_its_story(
    kept: Scene, score: float, count: int
) -> None:
    Visit.objects.create(
        user=kept.topic.owner, topic=kept.topic, latest=kept.now - timedelta(hours=2)
    )
    copy = kept.page(
        "https://b.test/", "Copy", score=score, first_seen=kept.now - timedelta(hours=1)
    )
    story = Story.objects.create(crawl=kept.crawl, first_seen=kept.now)
    kept.crawl.harvests.update(story=story)

    assert copy.first_seen > kept.now - timedelta(hours=2)
    assert n_since(kept) == (count, count)


def test_pages_of_farms_that_came_are_not_counted(kept: Scene) -> None:
    Visit.objects.create(
        user=kept.topic.owner, topic=kept.topic, latest=kept.now - timedelta(hours=2)
    )
    for number, trust in enumerate((0.1, 0.1, 0.1, 1.0)):
        came = kept.now - timedelta(hours=1)
        kept.page(f"https://farm.test/{number}", f"Page {number}", trust=trust, first_seen=came)

    assert n_since(kept) == (0, 0)
    fair = kept.url("https://farm.test/3")
    Thumb.objects.create(
        user=kept.topic.owner, topic=kept.topic, url=fair, value=1, created=kept.now
    )
    assert n_since(kept) == (1, 1)


def test_the_timer_counts_again_what_changed_and_what_is_old(kept: Scene, ann: User) -> None:
    topic_of(ann, "new")
    assert renew_due(kept.now) == 2
    assert renew_due(kept.now) == 0
    Run.objects.update(kept=12)
    assert renew_due(kept.now) == 1
    assert renew_due(kept.now + timedelta(minutes=20)) == 2
    assert TopicFigures.objects.get(topic=kept.topic).n_news == 1
