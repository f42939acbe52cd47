"""Topics that others read: named by owner, with marks of the reader's own, never changed."""

from datetime import time, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.models import Story
from tests.topics.delivery.issues import DAY, change_of, digest_of, news, titles_of, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import (
    MINUTE,
    channel_of,
    page,
    rule_of,
    work_rules,
)
from tests.topics.factories import NOON, Scene, prove, topic_of
from topics.accounts.removal import remove_account
from topics.accounts.sharing import find_shared, follow_owner, share, shared_with
from topics.errors import TopicError
from topics.feeds.addresses import addresses_of, find_feed, renew_address
from topics.feeds.items import current_items
from topics.feeds.newspaper import publish_newspaper
from topics.models import Digest, DigestIssue, Feed, Newspaper, Notice, Reading, Topic, TopicReader


def test_the_owner_shares_and_the_reader_finds_it(as_ann: Client, scene: Scene, bob: User) -> None:
    assert as_ann.post("/topics/chips/sharing/", {"username": "bob"}).status_code == 302
    reader = Client()
    reader.force_login(bob)
    assert "/topics/ann~chips/" in reader.get("/").content.decode()
    html = reader.get("/topics/ann~chips/").content.decode()
    assert "ann shares this topic with you" in html
    assert "Crawl now" not in html and "Not relevant" not in html
    assert "/topics/ann~chips/charts/" in html


def test_a_reader_may_have_a_topic_of_the_same_name(scene: Scene, bob: User) -> None:
    own = topic_of(bob, name="My own")
    share(scene.topic, "bob", NOON)
    client = Client()
    client.force_login(bob)
    assert "My own" in client.get(own.get_absolute_url()).content.decode()
    assert "My own" not in client.get("/topics/ann~chips/").content.decode()


def test_marks_are_the_readers_own(scene: Scene, ann: User, bob: User) -> None:
    share(scene.topic, "bob", NOON)
    page = scene.crawl.harvests.first()
    assert page is not None
    client = Client()
    client.force_login(bob)
    client.post(f"/topics/ann~chips/pages/{page.pk}/mark", {"do": "star"})
    assert Reading.objects.get().user == bob


def test_the_owner_ends_it_and_the_reader_may_leave(
    as_ann: Client, scene: Scene, bob: User
) -> None:
    reader = share(scene.topic, "bob", NOON)
    as_ann.post(f"/topics/chips/sharing/{reader.pk}/remove")
    assert find_shared(bob, "ann~chips") is None
    share(scene.topic, "bob", NOON)
    client = Client()
    client.force_login(bob)
    client.post("/topics/ann~chips/leave")
    assert shared_with(bob) == []


def test_a_shared_topic_is_never_saved(scene: Scene, bob: User) -> None:
    share(scene.topic, "bob", NOON)
    topic = find_shared(bob, "ann~chips")
    assert topic is not None
    with pytest.raises(TopicError, match="read only"):
        topic.save()


@pytest.mark.parametrize(("name", "message"), [("unknown", "no user"), ("ann", "yours already")])
def test_who_cannot_read_it_is_named(as_ann: Client, scene: Scene, name: str, message: str) -> None:
    answer = as_ann.post("/topics/chips/sharing/", {"username": name})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert not TopicReader.objects.exists()


def given_to(bob: User, scene: Scene) -> Topic:
    """The topic after an administrator gave it to Bob."""
    Topic.objects.filter(pk=scene.topic.pk).update(owner=bob)
    topic = Topic.objects.get(pk=scene.topic.pk)
    follow_owner(topic, NOON)
    return topic


def test_the_public_page_of_a_topic_that_went_to_another_owner_keeps_its_feed(
    scene: Scene, ann: User, bob: User, client: Client
) -> None:
    story = Story.objects.create(crawl=scene.crawl, first_seen=NOON)
    scene.page("https://news.test/", "News", story=story)
    publish_newspaper(Newspaper(topic=scene.topic, name="chips-today"), NOON)
    assert [one.harvest.url.url for one in current_items(Feed.objects.get(), NOON)] == [
        "https://news.test/"
    ]

    given_to(bob, scene)
    assert len(current_items(Feed.objects.get(), NOON)) == 1
    remove_account(ann, NOON)

    assert client.get("/paper/chips-today/feed.atom").status_code == 200


def test_another_owner_gets_a_feed_of_their_own(scene: Scene, bob: User) -> None:
    story = Story.objects.create(crawl=scene.crawl, first_seen=NOON)
    scene.page("https://news.test/", "News", story=story)
    former = addresses_of("topic", renew_address("topic", scene.topic, NOON).topic)
    token = former.addresses[0][1].rpartition("/")[2].partition(".")[0]
    assert find_feed(token) is not None

    topic = given_to(bob, scene)

    assert find_feed(token) is None
    assert not addresses_of("topic", topic).is_on
    assert len(current_items(renew_address("topic", topic, NOON), NOON)) == 1


def test_copies_of_the_digest_go_to_no_channel_of_the_former_owner(
    scene: Scene, ann: User, bob: User
) -> None:
    digest = Digest(topic=scene.topic, at=time(8), covered_until=NOON)
    digest.plan_next(NOON)
    digest.save()
    digest.channels.add(channel_of(ann))

    given_to(bob, scene)

    assert not digest.channels.exists()


def test_a_reader_who_becomes_the_owner_has_the_topic_once(scene: Scene, bob: User) -> None:
    share(scene.topic, "bob", NOON)

    given_to(bob, scene)

    assert shared_with(bob) == []


def test_an_issue_that_waits_does_not_go_to_the_former_owner(
    scene: Scene, ann: User, bob: User, post: PostOffice
) -> None:
    prove(ann, "later@reader.test")
    prove(bob, "bob@reader.test")
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann, target="later@copies.test"))
    news(scene, "News")
    issue = work(digest, NOON)
    assert issue is not None and issue.state == "rendered"

    given_to(bob, scene)
    DigestIssue.objects.filter(pk=issue.pk).update(recipient="ann@reader.test")  # taken from now on
    for hours in range(6):
        work(digest, NOON + timedelta(hours=hours + 1))
    next_issue = work(digest, NOON + DAY)

    issue.refresh_from_db()
    assert (issue.state, issue.copies.get().state) == ("merged", "stopped")
    assert titles_of(next_issue) == ["News"]
    assert [letter.recipients for letter in post.letters()] == [("bob@reader.test",)]


def test_what_waits_for_a_channel_of_the_former_owner_is_not_sent(
    scene: Scene, ann: User, bob: User, post: PostOffice
) -> None:
    quiet = {"quiet_from": time(0), "quiet_until": time(13)}
    rule_of(scene, channel_of(ann), **quiet)
    rule_of(scene, channel_of(ann), watches="changes", **quiet)
    page(scene)
    change_of(scene, NOON - MINUTE)
    assert work_rules(NOON) == []
    assert Notice.objects.count() == 2

    given_to(bob, scene)

    assert work_rules(NOON + timedelta(hours=2)) == []
    assert post.letters() == []
