"""An issue on its way: tried again when that is safe, never when the outcome is unknown."""

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from crawler.models import Harvest
from focusweb.runtime.process_id import this_process
from tests.topics.delivery.issues import DAY, digest_of, news, titles_of, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import NOON, Scene, prove
from topics.delivery import handover, ledger, unsubscription
from topics.delivery.channels import deliveries
from topics.delivery.ledger import RETRY_DELAYS
from topics.delivery.plan import save_digest
from topics.models import Delivery, Digest, DigestIssue, Topic

State = DigestIssue.State
MINUTE = timedelta(minutes=1)


def write_to(scene: Scene, name: str) -> None:
    """Give the owner an address; the mail server acts by its name."""
    prove(scene.topic.owner, f"{name}@reader.test")


def only(digest: Digest) -> DigestIssue:
    return DigestIssue.objects.get(digest=digest)


def test_an_issue_is_sent_once_and_its_bytes_are_those_that_were_stored(
    scene: Scene, post: PostOffice
) -> None:
    news(scene)
    digest = digest_of(scene)
    for minutes in range(5):
        work(digest, NOON + minutes * MINUTE)
    [letter] = post.letters()
    issue = only(digest)
    assert letter.content == bytes(issue.message)
    assert letter.recipients == (issue.recipient,) == ("ann@reader.test",)
    assert (issue.state, issue.attempts, issue.ended, issue.problem) == (State.SENT, 1, NOON, "")


def test_thirty_days_tell_nothing_twice_and_lose_nothing(scene: Scene, post: PostOffice) -> None:
    digest = digest_of(scene, max_items=6)
    seen: list[str] = []
    for day in range(30):
        now = NOON + day * DAY
        story = news(scene, f"story {day}", first_seen=now - MINUTE, score=0.9).story
        news(scene, f"copy {day}", first_seen=now + MINUTE, story=story, score=0.95)
        for number in range(2):
            news(scene, f"page {day} {number}", first_seen=now - DAY / 3, score=0.5)
        # An old page rises, and gives itself a new date.
        Harvest.objects.filter(url__page__title="page 0 0").update(score=1.0, published=now)
        seen += titles_of(work(digest, now))
    assert len(seen) == len(set(seen)) == 30 * 3
    assert not [title for title in seen if title.startswith("copy")]
    assert len(post.letters()) == 30
    assert len({letter.content for letter in post.letters()}) == 30


def test_three_days_without_a_worker_are_one_mail(scene: Scene, post: PostOffice) -> None:
    digest = digest_of(scene)
    for day in range(4):
        news(scene, f"day {day}", first_seen=NOON + (day - 0.5) * DAY)
    assert titles_of(work(digest, NOON)) == ["day 0"]
    issue = work(digest, NOON + 3 * DAY)
    assert titles_of(issue) == ["day 1", "day 2", "day 3"]
    assert len(post.letters()) == 2
    assert issue is not None
    assert f"{issue.local_date}" == "2026-05-04"


def test_without_a_mail_server_an_issue_is_a_file(scene: Scene, data_folder: Path) -> None:
    news(scene)
    digest = digest_of(scene)
    issue = work(digest, NOON)
    assert issue is not None
    assert issue.state == State.FILED
    [file] = (data_folder / "mail").iterdir()
    assert file == ledger.mail_file(issue)
    assert file.read_bytes() == bytes(issue.message)
    assert file.stat().st_mode & 0o777 == 0o600


def test_without_an_address_no_mail_goes_anywhere(scene: Scene, post: PostOffice) -> None:
    scene.topic.owner.email = ""
    scene.topic.owner.save()
    news(scene)
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    assert (issue.state, issue.recipient) == (State.FILED, "")
    assert b"\r\nTo:" not in bytes(issue.message)
    assert post.letters() == []


@pytest.mark.parametrize("name", ["unknown", "later", "full"])
def test_a_refused_issue_rests_longer_and_longer_then_fails(
    scene: Scene, post: PostOffice, name: str
) -> None:
    write_to(scene, name)
    news(scene)
    digest = digest_of(scene)
    now = NOON
    for number, rest in enumerate(RETRY_DELAYS, 1):
        work(digest, now)
        work(digest, now + rest - timedelta(seconds=1))
        assert (only(digest).state, only(digest).attempts) == (State.RENDERED, number)
        now += rest
    work(digest, now)
    issue = only(digest)
    assert issue.state == State.FAILED
    assert issue.problem[:1] in "45"
    assert post.letters() == []


def test_a_refused_issue_is_sent_when_the_server_is_willing(
    scene: Scene, post: PostOffice, settings: Settings
) -> None:
    news(scene)
    digest = digest_of(scene)
    server, settings.MAIL_SERVER = settings.MAIL_SERVER, type(settings.MAIL_SERVER)("127.0.0.1", 1)
    issue = work(digest, NOON)
    assert issue is not None
    assert (issue.state, issue.not_before) == (State.RENDERED, NOON + RETRY_DELAYS[0])
    stored = bytes(issue.message)
    settings.MAIL_SERVER = server
    work(digest, NOON + MINUTE)
    assert post.letters() == []
    work(digest, NOON + RETRY_DELAYS[0])
    assert [letter.content for letter in post.letters()] == [stored]
    assert (only(digest).state, only(digest).problem) == (State.SENT, "")


def test_the_pages_of_a_failed_issue_come_with_the_next(scene: Scene, post: PostOffice) -> None:
    write_to(scene, "unknown")
    news(scene, "unlucky", first_seen=NOON - 2.5 * DAY)
    digest = digest_of(scene)
    for hours in range(12):
        work(digest, NOON + timedelta(hours=hours))
    assert only(digest).state == State.FAILED
    write_to(scene, "ann")
    news(scene, "lucky", first_seen=NOON + DAY / 2, score=0.1)
    # Days later, so that only what the failed issue covered brings its page back.
    issue = work(digest, NOON + 4 * DAY)
    assert titles_of(issue) == ["unlucky", "lucky"]
    assert len(post.letters()) == 1


def test_an_issue_that_still_waits_goes_into_the_next(scene: Scene, post: PostOffice) -> None:
    write_to(scene, "later")
    news(scene, "first")
    digest = digest_of(scene)
    work(digest, NOON)
    write_to(scene, "ann")
    news(scene, "second", first_seen=NOON + DAY / 2, score=0.1)
    issue = work(digest, NOON + 3 * DAY)
    assert titles_of(issue) == ["first", "second"]
    assert list(digest.issues.values_list("state", flat=True)) == [State.SENT, State.MERGED]
    assert len(post.letters()) == 1


def stop_digest(digest: Digest) -> None:
    unsubscription.stop_digest(digest)


def deactivate_owner(digest: Digest) -> None:
    User.objects.filter(pk=digest.topic.owner_id).update(is_active=False)


@pytest.mark.parametrize("stop", [stop_digest, deactivate_owner])
def test_an_issue_that_waits_ends_with_its_digest(
    scene: Scene, post: PostOffice, stop: Callable[[Digest], None]
) -> None:
    write_to(scene, "later")
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(scene.topic.owner))
    work(digest, NOON)
    write_to(scene, "ann")
    stop(digest)

    for hours in range(48):
        work(digest, NOON + timedelta(hours=hours))

    issue = only(digest)
    assert (issue.state, issue.ended, issue.attempts) == (State.STOPPED, NOON, 1)
    assert issue.copies.get().state == State.STOPPED
    assert not ledger.waiting_digests(NOON + 2 * DAY)
    assert post.letters() == []


def save_as_off(digest: Digest) -> None:
    digest.active = False
    save_digest(digest, NOON)


@pytest.mark.parametrize("stop", [stop_digest, save_as_off])
def test_a_copy_that_waits_ends_with_its_digest_unless_a_person_sends_it_again(
    scene: Scene, post: PostOffice, stop: Callable[[Digest], None]
) -> None:
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(scene.topic.owner))
    issue = work(digest, NOON)
    assert issue is not None

    stop(digest)

    copy = issue.copies.get()
    assert (issue.state, copy.state) == (State.SENT, State.STOPPED)
    assert not deliveries.waiting_deliveries(NOON + DAY)
    Delivery.objects.update(state=State.FAILED)
    assert deliveries.send_again(copy)
    work(digest, NOON + DAY)
    assert deliveries.waiting_deliveries(NOON + DAY) == [copy.pk]


def test_a_copy_that_fails_while_its_digest_is_switched_off_is_not_tried_again(
    scene: Scene, post: PostOffice
) -> None:
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(scene.topic.owner))
    work(digest, NOON)
    copy = Delivery.objects.get()

    def fail_late() -> handover.SendResult:
        unsubscription.stop_digest(digest)
        return handover.SendResult(sent=False, problem="busy")

    handover.hand_over(copy, fail_late, ledger.TERMS, lambda: NOON)
    assert deliveries.waiting_deliveries(NOON + DAY) == [copy.pk]
    assert deliveries.send_one(copy.pk, lambda: NOON + DAY)

    copy.refresh_from_db()
    assert (copy.state, copy.attempts, copy.ended) == (State.STOPPED, 1, NOON + DAY)


def test_a_copy_that_a_person_sends_again_is_tried_again_when_its_digest_is_off(
    scene: Scene, post: PostOffice
) -> None:
    news(scene)
    digest = digest_of(scene)
    digest.channels.add(channel_of(scene.topic.owner, target="later@reader.test"))
    work(digest, NOON)
    copy = Delivery.objects.get()
    deliveries.send_one(copy.pk, lambda: NOON)
    Delivery.objects.update(state=State.FAILED)
    unsubscription.stop_digest(digest)

    assert deliveries.send_again(copy)
    deliveries.send_one(copy.pk, lambda: NOON + DAY)
    deliveries.send_one(copy.pk, lambda: NOON + 2 * DAY)

    copy.refresh_from_db()
    assert (copy.state, copy.attempts) == (State.RENDERED, 2)


def test_an_issue_that_a_person_wants_is_sent_when_its_digest_is_off(
    scene: Scene, post: PostOffice
) -> None:
    write_to(scene, "unknown")
    news(scene)
    digest = digest_of(scene)
    for hours in range(12):
        work(digest, NOON + timedelta(hours=hours))
    write_to(scene, "ann")
    unsubscription.stop_digest(digest)

    assert ledger.send_again(only(digest))
    work(digest, NOON + timedelta(hours=13))

    assert only(digest).state == State.SENT


def test_pages_that_grew_old_while_an_issue_waited_are_left_out(
    scene: Scene, post: PostOffice
) -> None:
    write_to(scene, "later")
    news(scene, "old", published=NOON - timedelta(days=29, hours=23), first_seen=NOON - DAY / 8)
    news(scene, "young", score=0.1)
    digest = digest_of(scene, frequency="weekly", weekdays="fri")
    digest.next_due = NOON
    digest.save()
    assert titles_of(work(digest, NOON)) == ["old", "young"]
    DigestIssue.objects.update(recipient="ann@reader.test")
    issue = work(digest, NOON + DAY)
    assert titles_of(issue) == ["young"]
    [letter] = post.letters()
    assert issue is not None
    assert letter.content == bytes(issue.message)
    assert "1 new page" in issue.subject


@pytest.mark.parametrize("name", ["lost", "taken", "odd"])
def test_an_answer_that_never_came_is_uncertain_and_stays_so(
    scene: Scene, post: PostOffice, name: str
) -> None:
    write_to(scene, name)
    news(scene)
    digest = digest_of(scene)
    for minutes in range(0, 600, 60):
        work(digest, NOON + minutes * MINUTE)
    issue = only(digest)
    assert (issue.state, issue.attempts) == (State.UNCERTAIN, 1)
    assert issue.problem
    assert len(post.letters()) <= 1
    # What may have been delivered is not delivered again.
    assert titles_of(work(digest, NOON + DAY)) == []


def sending(digest: Digest, **more: object) -> DigestIssue:
    """An issue as a sender leaves it that is at work, or was."""
    values = {
        "state": State.SENDING,
        "attempts": 1,
        "held_by": this_process(),
        "held_until": NOON + handover.HOLD,
    } | more
    DigestIssue.objects.filter(digest=digest).update(**values)
    return only(digest)


def frozen(scene: Scene) -> Digest:
    """A digest with an issue that is written."""
    write_to(scene, "later")
    news(scene)
    digest = digest_of(scene)
    work(digest, NOON)
    write_to(scene, "ann")
    DigestIssue.objects.update(recipient="ann@reader.test", not_before=None)
    return digest


@pytest.mark.parametrize(
    ("held_by", "after", "state"),
    [
        (lambda: this_process(), handover.HOLD - MINUTE, State.SENDING),
        (lambda: this_process(), handover.HOLD, State.UNCERTAIN),
        (lambda: f"{os.uname().nodename}/1/0", MINUTE, State.UNCERTAIN),
        (lambda: "elsewhere/1/0", MINUTE, State.SENDING),
        (lambda: "elsewhere/1/0", handover.HOLD, State.UNCERTAIN),
    ],
)
def test_only_a_sender_that_is_gone_is_given_up(
    scene: Scene, post: PostOffice, held_by: Callable[[], str], after: timedelta, state: str
) -> None:
    digest = frozen(scene)
    sending(digest, held_by=held_by())
    work(digest, NOON + after)
    assert only(digest).state == state
    assert post.letters() == []


def test_of_two_senders_one_sends(scene: Scene, post: PostOffice) -> None:
    digest = frozen(scene)
    other = only(digest)  # as another process read it
    work(digest, NOON + MINUTE)
    assert ledger._advance(other, lambda: NOON + MINUTE) is False
    assert len(post.letters()) == 1


def test_a_sender_that_overslept_still_says_what_it_knows(scene: Scene, post: PostOffice) -> None:
    digest = frozen(scene)
    moments: list[datetime] = []

    def clock() -> datetime:
        # Between two readings of the clock another process gives this sender up.
        moments.append(NOON)
        if post.letters():
            ledger.give_up_dead(NOON + DAY)
        return NOON + MINUTE

    ledger.process_digest(digest.pk, clock)
    assert only(digest).state == State.SENT


def test_a_person_may_have_an_uncertain_issue_sent_again(scene: Scene, post: PostOffice) -> None:
    digest = frozen(scene)
    issue = sending(digest, held_until=NOON)
    work(digest, NOON)
    assert ledger.send_again(issue)
    Topic.objects.update(active=False)  # or the long silence would be broken by a second mail
    work(digest, NOON + 40 * DAY)  # however old its pages have become
    [letter] = post.letters()
    assert letter.content == bytes(issue.message)
    assert DigestIssue.objects.get(pk=issue.pk).state == State.SENT
    assert not ledger.send_again(issue)


def test_sent_again_to_a_new_address_it_is_written_anew(scene: Scene, post: PostOffice) -> None:
    write_to(scene, "unknown")
    news(scene, "the page")
    digest = digest_of(scene)
    for hours in range(12):
        work(digest, NOON + timedelta(hours=hours))
    issue = only(digest)
    write_to(scene, "bea")
    assert ledger.send_again(issue)
    work(digest, NOON + timedelta(hours=13))
    [letter] = post.letters()
    assert letter.recipients == ("bea@reader.test",)
    assert b"To: bea@reader.test\r\n" in letter.content
    assert issue.message_id.encode() in letter.content


@pytest.mark.parametrize("state", [State.SENT, State.SENDING, State.EMPTY, State.MERGED])
def test_other_issues_are_not_sent_again(scene: Scene, post: PostOffice, state: str) -> None:
    digest = frozen(scene)
    DigestIssue.objects.update(state=state)
    assert not ledger.send_again(only(digest))
    assert only(digest).state == state


def test_a_full_disk_leaves_no_half_file(scene: Scene, data_folder: Path) -> None:
    (data_folder / "mail").write_text("in the way")
    news(scene)
    digest = digest_of(scene)
    with pytest.raises(FileExistsError):
        work(digest, NOON)
    assert only(digest).state == State.RENDERED
    (data_folder / "mail").unlink()
    work(digest, NOON + MINUTE)
    assert only(digest).state == State.FILED
