"""Copies of an issue for channels: who gets which pages, once, and when a copy ends."""

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from focusweb.hookspecs import hookimpl
from focusweb.testing import LoadPlugin
from tests.topics.delivery.issues import DAY, change_of, digest_of, news, work
from tests.topics.delivery.post_office import PostOffice, texts
from tests.topics.delivery.receiver import Receiver, receiver
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import NOON, Scene, prove
from topics.delivery import writing
from topics.delivery.channels import deliveries
from topics.delivery.channels.base import Message, Target
from topics.delivery.channels.notes import NoteCause
from topics.delivery.copies import WRITING_PAUSE
from topics.delivery.delivery_notes import part_notes
from topics.delivery.handover import SendResult
from topics.delivery.ledger import send_again
from topics.delivery.unsubscription import stop_digest
from topics.models import Delivery, DigestIssue
from topics.models.ledger import LedgerState as State


@pytest.fixture
def hook(settings: Settings) -> Iterator[Receiver]:
    with receiver() as running:
        settings.WEBHOOK_HOSTS = frozenset({running.host})
        yield running


def send_copies(now: datetime) -> None:
    for pk in deliveries.waiting_deliveries(now):
        deliveries.send_one(pk, lambda: now)


def test_readers_get_copies_that_cannot_act_for_its_owner(
    scene: Scene, ann: User, post: PostOffice, hook: Receiver
) -> None:
    page = news(scene, "Cache <lines>")
    digest = digest_of(scene)
    for channel in (
        channel_of(ann, target="friend@reader.test"),
        channel_of(ann, "webhook", hook.url()),
        channel_of(ann, target="unasked@reader.test", confirmed=None),
    ):
        digest.channels.add(channel)
    work(digest, NOON)
    send_copies(NOON)
    send_copies(NOON)

    mails = texts(post)
    assert set(mails) == {"ann@reader.test", "friend@reader.test"}
    assert "/m/" in mails["ann@reader.test"]
    copy = mails["friend@reader.test"]
    assert "/m/" not in copy
    assert "/unsubscribe/" not in copy  # that one stops the digest for its owner
    assert re.search(r"Stop all messages to this address: \S+/stop-channel/", copy)
    assert "Unsubscribe" not in copy.replace("List-Unsubscribe", "")
    assert "ann sends you this digest" in copy
    [call] = hook.calls
    reported_items = json.loads(call.body)
    assert reported_items["type"] == "digest"
    assert [item["url"] for item in reported_items["items"]] == [page.url.url]


def test_a_copy_that_went_out_keeps_its_pages_from_coming_again(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    news(scene, "Once")
    scene.topic.owner.email = "unknown@reader.test"
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann, target="friend@reader.test"))

    prove(ann, "unknown@reader.test")
    now = NOON
    work(digest, now)
    send_copies(now)
    work(digest, NOON + DAY)
    send_copies(NOON + DAY)
    assert [letter.recipients for letter in post.letters()] == [("friend@reader.test",)]
    assert Delivery.objects.count() == 1


def test_a_copy_of_a_failed_issue_does_not_bring_its_pages_a_second_time(
    scene: Scene, ann: User, post: PostOffice, hook: Receiver
) -> None:
    prove(ann, "unknown@reader.test")
    news(scene, "Once")
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann, "webhook", hook.url()))
    for hours in range(12):
        work(digest, NOON + timedelta(hours=hours))
    prove(ann, "ann@reader.test")
    work(digest, NOON + DAY)
    send_copies(NOON + DAY)

    states = digest.issues.order_by("pk").values_list("state", "copies__state")
    assert list(states) == [(State.FAILED, State.MERGED), (State.SENT, State.SENT)]
    [call] = hook.calls
    assert [item["title"] for item in json.loads(call.body)["items"]] == ["Once"]


@pytest.mark.parametrize("skip_empty", [True, False])
def test_an_issue_that_has_only_changes_is_empty_for_other_readers(
    scene: Scene, ann: User, post: PostOffice, *, skip_empty: bool
) -> None:
    digest = digest_of(scene, skip_empty=skip_empty)
    digest.channels.add(channel_of(ann, target="friend@reader.test"))
    change_of(scene, NOON - timedelta(hours=1))
    issue = work(digest, NOON)
    assert issue is not None
    assert issue.subject == "Computing 计算机: 1 watched page changed"
    subjects = [copy.subject for copy in issue.copies.all()]
    assert subjects == ([] if skip_empty else ["Computing 计算机: nothing new"])


def test_an_issue_that_is_sent_again_goes_to_no_reader_who_was_added_later(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    news(scene)
    digest = digest_of(scene)
    User.objects.update(email="")
    issue = work(digest, NOON)
    assert issue is not None
    assert issue.state == State.FILED
    prove(ann, "ann@reader.test")
    digest.channels.add(channel_of(ann, target="friend@reader.test"))

    assert send_again(DigestIssue.objects.get())
    work(digest, NOON + DAY / 2)
    send_copies(NOON + DAY / 2)

    assert set(texts(post)) == {"ann@reader.test"}


class Board:
    """A kind of channel of a plugin; it fails while `broken`."""

    name = "board"
    label = hint = "board"
    signs = needs_consent = repeatable = False
    retry_delays = ()
    broken = False

    def check(self, address: str) -> str:
        return address

    def write(self, message: Message, target: Target) -> bytes:
        if self.broken:
            raise ValueError("broken")
        return f"{message.heading}: {[item.title for item in message.items]}".encode()

    def send(self, body: bytes, target: Target) -> SendResult:
        return SendResult(True)


class BoardPlugin:
    def __init__(self, board: Board) -> None:
        self.board = board

    @hookimpl
    def channels(self) -> list[Board]:
        return [self.board]


def test_a_copy_waits_for_a_plugin_that_is_missing_or_fails(
    scene: Scene, ann: User, post: PostOffice, load_plugin: LoadPlugin
) -> None:
    news(scene, "Cache lines")
    digest, board = digest_of(scene), Board()
    digest.channels.add(channel_of(ann, "board", "wall"))
    issue = work(digest, NOON)
    assert issue is not None
    send_copies(NOON)

    assert (issue.state, issue.copies.get().state) == (State.SENT, State.FROZEN)
    causes = [note.cause for note in part_notes(digest, NOON)]
    assert causes == [NoteCause.MISSING, NoteCause.WAITING]
    board.broken = True
    load_plugin(BoardPlugin(board), "board_plugin")
    assert writing.write_copies(NOON) == 0
    [note] = part_notes(digest, NOON)
    assert "is not written yet, because the plugin of “board 0” fails" in note.text
    board.broken = False
    assert writing.write_copies(NOON) == 0
    later = NOON + WRITING_PAUSE
    assert (writing.write_copies(later), writing.write_copies(later)) == (1, 0)
    send_copies(NOON + DAY)

    copy = issue.copies.get()
    assert copy.state == State.SENT
    assert bytes(copy.message).decode().endswith(f"{NOON:%Y-%m-%d}: ['Cache lines']")


def test_a_copy_that_is_not_written_ends_with_its_digest(
    scene: Scene, ann: User, post: PostOffice, load_plugin: LoadPlugin
) -> None:
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(ann, "board", "wall"))
    issue = work(digest, NOON)
    assert issue is not None

    stop_digest(digest)
    load_plugin(BoardPlugin(Board()), "board_plugin")

    assert writing.write_copies(NOON) == 0
    assert issue.copies.get().state == State.STOPPED


def test_a_copy_ends_with_its_pages_if_they_are_not_news_any_more(
    scene: Scene, ann: User, post: PostOffice, load_plugin: LoadPlugin
) -> None:
    prove(ann, "later@reader.test")
    row = news(scene)
    digest = digest_of(scene)
    digest.channels.set([channel_of(ann), channel_of(ann, "board", "wall")])
    work(digest, NOON)
    row.kept = False
    row.save()
    issue = work(digest, NOON + DAY / 24)
    assert issue is not None
    load_plugin(BoardPlugin(Board()), "board_plugin")

    assert writing.write_copies(NOON + DAY) == 0
    send_copies(NOON + DAY)
    states = issue.copies.values_list("state", flat=True)
    assert (issue.state, list(states)) == (State.EMPTY, [State.EMPTY, State.EMPTY])
    assert "not news any more" in part_notes(digest, NOON)[0].text
    assert post.letters() == []
