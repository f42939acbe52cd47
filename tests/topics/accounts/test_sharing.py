"""Topics that others read: named by owner, with marks of the reader's own, never changed."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.topics.factories import NOON, Scene, topic_of
from topics.accounts.sharing import find_shared, share, shared_with
from topics.errors import TopicError
from topics.models import Reading, TopicReader


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
