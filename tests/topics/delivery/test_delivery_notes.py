"""Where is my digest? There is always an answer."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.topics.delivery.issues import DAY, digest_of, news, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import channel_of, work_rules
from tests.topics.factories import NOON, Scene, prove
from topics.delivery.channels.notes import NoteCause
from topics.delivery.delivery_notes import DeliveryStatus, delivery_notes, part_notes
from topics.models import Digest, DigestIssue, SavedSearch


def ways(digest: Digest, *, worker: bool = True, server: bool = True) -> list[DeliveryStatus]:
    digest.refresh_from_db()
    return [a.way for a in delivery_notes(digest, NOON, worker_up=worker, has_server=server)]


def test_nothing_is_due_yet(scene: Scene) -> None:
    digest = digest_of(scene)
    digest.plan_next(NOON)
    digest.save()
    assert ways(digest) == [DeliveryStatus.NOT_YET]


def test_one_is_due(scene: Scene) -> None:
    assert ways(digest_of(scene)) == [DeliveryStatus.LATE]


def test_switched_off(scene: Scene) -> None:
    assert ways(digest_of(scene, active=False)) == [DeliveryStatus.OFF]


def test_the_worker_is_down(scene: Scene) -> None:
    assert ways(digest_of(scene), worker=False) == [DeliveryStatus.WORKER_DOWN, DeliveryStatus.LATE]


def test_there_is_no_mail_server(scene: Scene) -> None:
    assert ways(digest_of(scene), server=False) == [DeliveryStatus.NO_SERVER, DeliveryStatus.LATE]


def test_there_is_no_address(scene: Scene) -> None:
    scene.topic.owner.email = ""
    scene.topic.owner.save()
    assert ways(digest_of(scene)) == [DeliveryStatus.NO_ADDRESS, DeliveryStatus.LATE]


def test_nothing_was_new(scene: Scene) -> None:
    digest = digest_of(scene)
    work(digest, NOON)
    assert ways(digest) == [DeliveryStatus.EMPTY, DeliveryStatus.NOT_YET]


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("ann", DeliveryStatus.SENT),
        ("later", DeliveryStatus.RETRYING),
        ("lost", DeliveryStatus.UNCERTAIN),
    ],
)
def test_what_the_mail_server_did(
    scene: Scene, post: PostOffice, name: str, way: DeliveryStatus
) -> None:
    prove(scene.topic.owner, f"{name}@reader.test")
    news(scene)
    digest = digest_of(scene)
    work(digest, NOON)
    assert ways(digest) == [way, DeliveryStatus.NOT_YET]


@pytest.mark.parametrize("state", DigestIssue.State.values)
def test_every_state_has_an_answer(scene: Scene, state: str) -> None:
    digest = digest_of(scene)
    issue = work(digest, NOON)
    DigestIssue.objects.update(state=state)
    found = delivery_notes(digest, NOON, worker_up=True, has_server=True)
    merged = state == DigestIssue.State.MERGED
    assert [answer.issue for answer in found if answer.issue] == ([] if merged else [issue])


def test_the_newest_issue_counts(scene: Scene) -> None:
    digest = digest_of(scene)
    news(scene)
    work(digest, NOON - timedelta(hours=1))
    work(digest, NOON + DAY)
    assert ways(digest)[0] is DeliveryStatus.EMPTY


def test_an_older_issue_in_doubt_is_not_forgotten(scene: Scene) -> None:
    digest = digest_of(scene)
    work(digest, NOON - timedelta(hours=1))
    DigestIssue.objects.update(state=DigestIssue.State.UNCERTAIN)
    work(digest, NOON + DAY)
    assert ways(digest) == [DeliveryStatus.EMPTY, DeliveryStatus.UNCERTAIN, DeliveryStatus.NOT_YET]


def test_a_digest_names_its_broken_searches(scene: Scene, ann: User, as_ann: Client) -> None:
    digest = digest_of(scene)
    for name, query in (("Fine", "cache"), ("Old", "topic:gone")):
        search = SavedSearch.objects.create(owner=ann, name=name, query=query, created=NOON)
        digest.searches.add(search)
    [note] = part_notes(digest, NOON)
    assert note.cause is NoteCause.SEARCH
    assert "“Old”" in note.text
    assert "“Old”" in as_ann.get("/topics/chips/digest/").content.decode()


@pytest.mark.parametrize(
    ("values", "cause"),
    [
        ({"confirmed": None}, NoteCause.UNCONFIRMED),
        ({"stopped": NOON}, NoteCause.STOPPED),
        ({"active": False}, NoteCause.OFF),
    ],
)
def test_a_digest_says_why_a_reader_gets_no_copy(
    scene: Scene, ann: User, post: PostOffice, values: dict[str, Any], cause: NoteCause
) -> None:
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann, target="friend@reader.test", **values))
    work(digest, NOON)
    [note] = part_notes(digest, NOON)
    assert note.cause is cause
    assert "gets no copy" in note.text
    assert digest.channels.get().deliveries.count() == 0


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (DigestIssue.State.MERGED, "was not sent in time"),
        (DigestIssue.State.STOPPED, "because its digest was switched off"),
    ],
)
def test_a_digest_says_why_a_copy_was_not_sent(
    scene: Scene, ann: User, as_ann: Client, state: str, said: str
) -> None:
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann))
    issue = work(digest, NOON)
    assert issue is not None
    DigestIssue.objects.update(state=state)
    issue.copies.update(state=state)

    assert [note.cause for note in part_notes(digest, NOON)][-1:] == [NoteCause.DROPPED]
    assert said in as_ann.get("/topics/chips/digest/").content.decode()


def test_a_digest_says_what_became_of_a_copy(scene: Scene, ann: User, post: PostOffice) -> None:
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann, target="later@reader.test"))
    work(digest, NOON)
    work_rules(NOON)
    assert [note.cause for note in part_notes(digest, NOON)] == [NoteCause.RETRYING]
