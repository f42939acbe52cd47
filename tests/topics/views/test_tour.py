"""The first five steps: ticked by what is stored, and put away until they are wanted again."""

from datetime import time

from django.contrib.auth.models import User
from django.test import Client

from tests.topics.delivery.rules_and_channels import rule_of
from tests.topics.factories import NOON, Scene, topic_of
from topics.models import Digest, SavedSearch, Thumb, Topic
from topics.pages.tour import tour_steps


def done(user: User) -> list[bool]:
    return [step.done for step in tour_steps(user, list(Topic.objects.visible_to(user)))]


def test_nothing_is_done_with_the_samples_alone(ann: User) -> None:
    topic_of(ann, "sample", sample=True, alert_score=0.3)
    assert done(ann) == [False] * 5


def test_each_step_is_ticked_by_what_the_person_did(ann: User, bob: User, scene: Scene) -> None:
    Topic.objects.update(sample=True)
    topic = topic_of(ann, "own")
    assert done(ann) == [True, False, False, False, False]
    page = scene.url("https://portal.test/")
    Thumb.objects.create(user=ann, topic=scene.topic, url=page, value=1, created=NOON)
    Digest.objects.create(topic=topic, at=time(8), covered_until=NOON, next_due=NOON)
    assert done(ann) == [True, True, True, False, False]
    Topic.objects.filter(pk=topic.pk).update(alert_score=0.4)
    SavedSearch.objects.create(owner=ann, name="x", query="x", created=NOON)
    assert done(ann) == [True] * 5
    assert done(bob) == [False] * 5


def test_a_rule_ticks_the_step_of_alerts(ann: User, scene: Scene) -> None:
    Topic.objects.update(sample=True)
    rule_of(scene)
    assert done(ann) == [False, False, False, True, False]


def test_the_links_lead_to_the_newest_topic_of_ones_own(ann: User) -> None:
    assert tour_steps(ann, list(Topic.objects.visible_to(ann)))[2].address == "/new-topic/"
    topic_of(ann, "sample", sample=True)
    assert (
        tour_steps(ann, list(Topic.objects.visible_to(ann)))[2].address == "/topics/sample/digest/"
    )
    topic_of(ann, "own")
    assert tour_steps(ann, list(Topic.objects.visible_to(ann)))[2].address == "/topics/own/digest/"


def test_the_steps_stay_away_until_they_are_wanted_again(as_ann: Client, ann: User) -> None:
    assert "First steps" in as_ann.get("/").content.decode()
    as_ann.post("/tour", {"do": "away"})
    html = as_ann.get("/").content.decode()
    assert "Rate a page" not in html
    assert "Show the first steps" in html
    as_ann.post("/tour", {"do": "show"})
    assert "Rate a page" in as_ann.get("/").content.decode()
