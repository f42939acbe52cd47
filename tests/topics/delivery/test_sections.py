"""One mail for several topics and searches, several times a day, to several readers."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from email import message_from_bytes
from email.policy import SMTP

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from crawler.models import Harvest
from focusweb.hookspecs import hookimpl
from focusweb.testing import LoadPlugin
from tests.topics.delivery.issues import DAY, change_of, digest_of, news, titles_of, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.receiver import Receiver, receiver
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import NOON, Scene, prove, scene_of
from topics.delivery import writing
from topics.delivery.channels import deliveries
from topics.delivery.channels.base import Message, Target
from topics.delivery.channels.notes import NoteCause
from topics.delivery.copies import WRITING_PAUSE
from topics.delivery.delivery_notes import part_notes
from topics.delivery.handover import SendResult
from topics.delivery.ledger import send_again
from topics.delivery.sections import choose_pages
from topics.delivery.unsubscription import stop_digest
from topics.models import Delivery, Digest, DigestIssue, Reading, SavedSearch, Thumb
from topics.models.ledger import LedgerState as State


@pytest.fixture
def hook(settings: Settings) -> Iterator[Receiver]:
    with receiver() as running:
        settings.WEBHOOK_HOSTS = frozenset({running.host})
        yield running


def texts(post: PostOffice) -> dict[str, str]:
    """The text part of each mail, by its recipient."""
    found = {}
    for letter in post.letters():
        part = message_from_bytes(letter.content, policy=SMTP).get_body(("plain",))
        found[letter.recipients[0]] = part.get_content()  # type: ignore[union-attr]
    return found


def send_copies(now: datetime) -> None:
    for pk in deliveries.waiting_deliveries(now):
        deliveries.send_one(pk, lambda: now)


def search_of(owner: User, query: str, name: str) -> SavedSearch:
    return SavedSearch.objects.create(owner=owner, name=name, query=query, created=NOON)


def test_sections_share_the_places_and_no_page_stands_twice(scene: Scene, ann: User) -> None:
    other = scene_of(ann, "energy")
    for number in range(4):
        news(scene, f"chips {number}", score=0.9 - number / 100)
    for number in range(2):
        news(other, f"storage {number}", score=0.5 - number / 100)
    digest = digest_of(scene, max_items=5)
    digest.also_topics.add(other.topic)
    digest.searches.add(search_of(ann, "chips OR storage", "All of it"))

    choice = choose_pages(digest, NOON - DAY, NOON)

    shown = [(page.section, page.harvest.page.title) for page in choice.pages]
    assert [title for _section, title in shown] == [
        *("chips 0", "chips 1", "chips 2"),
        *("storage 0", "storage 1"),
    ]
    assert choice.n_more == 1


def test_a_saved_search_is_a_section(scene: Scene, ann: User, post: PostOffice) -> None:
    other = scene_of(ann, "energy")
    news(other, "Pumped storage", text="Pumped storage stores power.")
    news(other, "Solar", text="Cells.")
    digest = digest_of(scene)
    digest.searches.add(search_of(ann, "storage", "Storage anywhere"))
    assert titles_of(work(digest, NOON)) == ["Pumped storage"]
    [text] = texts(post).values()
    assert "== Storage anywhere ==" in text
    assert titles_of(work(digest, NOON + DAY)) == []


def test_a_broken_search_stops_no_digest(scene: Scene, ann: User, post: PostOffice) -> None:
    news(scene, "Chips")
    digest = digest_of(scene)
    digest.searches.add(search_of(ann, "topic:gone", "Broken"))
    assert titles_of(work(digest, NOON)) == ["Chips"]


def test_the_limit_for_one_site_is_said(scene: Scene, post: PostOffice) -> None:
    for number in range(8):
        news(scene, str(number), site="rich.test")
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    assert (issue.items.count(), issue.n_more, issue.n_of_full_sites) == (3, 5, 5)
    [text] = texts(post).values()
    assert "5 more on the topic's page" in text
    assert "(5 of them because a digest has at most 3 pages of one site.)" in text


def test_it_comes_at_each_of_its_times_once(scene: Scene, post: PostOffice) -> None:
    digest = digest_of(scene, at=time(8), also_at="12:30, 18:00", skip_empty=False)
    now = datetime(2026, 4, 30, 16, 0, tzinfo=UTC)  # midnight in Shanghai
    digest.plan_next(now)
    digest.save()
    for minute in range(0, 48 * 60, 5):
        work(digest, now + timedelta(minutes=minute))
    slots = digest.issues.order_by("pk").values_list("local_date", "slot")
    assert [f"{day:%d} {slot:%H:%M}" for day, slot in slots] == [
        *("01 08:00", "01 12:30", "01 18:00"),
        *("02 08:00", "02 12:30", "02 18:00"),
    ]


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


def acting_path(post: PostOffice) -> str:
    found = re.search(r"https://\S+(/m/\S+)", texts(post)["ann@reader.test"])
    assert found is not None
    return found[1]


def test_a_page_is_rated_and_starred_from_the_mail_by_post_only(
    scene: Scene, post: PostOffice
) -> None:
    page = news(scene)
    work(digest_of(scene), NOON)
    path, reader = acting_path(post), Client()
    for verb in ("up", "down", "star"):
        assert reader.get(f"{path}?do={verb}").status_code == 200
    assert not Thumb.objects.exists()
    assert not Reading.objects.exists()

    assert b"Saved: Read later." in reader.post(path, {"do": "star"}).content
    reader.post(path, {"do": "up"})

    assert Reading.objects.get().starred is not None
    assert Thumb.objects.get().value == 1
    assert Thumb.objects.get().url_id == page.url_id
    assert reader.post(path, {"do": "delete"}).status_code == 404
    assert reader.post(path.rstrip("/") + "x/", {"do": "up"}).status_code == 404
    Harvest.objects.all().delete()
    assert b"not stored any more" in reader.post(path, {"do": "up"}).content


def test_the_links_of_a_deactivated_account_lead_nowhere(scene: Scene, post: PostOffice) -> None:
    news(scene)
    work(digest_of(scene), NOON)
    path, reader = acting_path(post), Client()
    User.objects.update(is_active=False)

    assert reader.get(path).status_code == 404
    assert reader.post(path, {"do": "up"}).status_code == 404
    assert not Thumb.objects.exists()


def test_the_form_offers_only_what_is_the_owners(
    as_ann: Client, scene: Scene, ann: User, bob: User
) -> None:
    mine, theirs = scene_of(ann, "energy").topic, scene_of(bob, "theirs").topic
    data = {
        "frequency": "daily",
        "at": "08:00",
        "also_at": "18:00，12:30",
        "zone": "UTC",
        "language": "en",
        "max_items": "20",
        "active": "on",
    }
    path = "/topics/chips/digest/"
    assert as_ann.post(path, data | {"also_topics": [theirs.pk]}).status_code == 422
    assert as_ann.post(path, data | {"also_at": "25:00"}).status_code == 422
    assert as_ann.post(path, data | {"also_topics": [mine.pk]}).status_code == 302
    digest = Digest.objects.get()
    assert list(digest.also_topics.all()) == [mine]
    assert digest.schedule().also_at == (time(12, 30), time(18))
