"""The steps of an issue, each in its own transaction: a crash between two loses nothing.

    frozen -> rendered -> sending -> sent

An issue found in `sending` after a crash may have been sent or not, and no program can find out. It
becomes `uncertain`, is shown, and is never sent again by itself.
"""

import os
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db.models import Q

from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from focusweb.mail_server import MailServer
from focusweb.plugins import plugins
from topics.delivery import handover, selection, smtp, writing
from topics.delivery.confirmation import confirmed_address
from topics.delivery.handover import Clock, SendResult, Terms
from topics.models import Digest, DigestIssue
from topics.models.delivery import DigestIssueQuerySet
from topics.models.ledger import LedgerState

State = DigestIssue.State
#: Rests between the tries of an issue that the mail server certainly did not take.
RETRY_DELAYS: Final = (
    *(timedelta(minutes=2), timedelta(minutes=10), timedelta(minutes=30)),
    *(timedelta(hours=1), timedelta(hours=3)),
)
TERMS: Final = Terms("digest", RETRY_DELAYS)
#: Issues that are not wanted any more: the reader unsubscribed, or the account was deactivated.
_UNWANTED: Final = Q(digest__active=False, asked_again=False) | Q(
    digest__topic__owner__is_active=False
)


def waiting_digests(now: datetime) -> list[int]:
    """Return the digests that have something to do."""
    due = Digest.objects.due(now).values_list("pk", flat=True)
    rows = (_ready(now), _waiting().filter(_UNWANTED))
    return sorted({*due, *(pk for some in rows for pk in some.values_list("digest_id", flat=True))})


def process_digest(digest_pk: int, clock: Clock) -> int:
    """Make, write and send what is due of a digest; how many issues came to an end."""
    _stop_unwanted(digest_pk, clock())
    pass_point("digest.due")
    selection.freeze(digest_pk, clock())
    pass_point("digest.frozen")
    issues = _ready(clock()).filter(digest=digest_pk)
    return sum(
        _advance(issue, clock)
        for issue in issues.select_related("digest__topic__owner", "digest__topic__crawl")
    )


def give_up_dead(now: datetime) -> int:
    """Mark issues whose sending process has ended as uncertain. Return how many."""
    return handover.give_up_dead(DigestIssue.objects.all(), now)


def send_again(issue: DigestIssue) -> bool:
    """Send an issue once more because a user requests it; False if it is not for sending."""
    address = confirmed_address(issue.digest.topic.owner)
    # Another address, or a file that named none: the mail is written again.
    state = State.RENDERED if issue.recipient == address else State.FROZEN
    return DigestIssue.objects.move(
        issue.pk,
        [State.UNCERTAIN, State.FAILED, State.FILED],
        state=state,
        recipient=address,
        attempts=0,
        not_before=None,
        problem="",
        ended=None,
        asked_again=True,
    )


def confirm_received(issue: DigestIssue) -> bool:
    """Mark an uncertain issue as sent; False if the issue is not uncertain."""
    return DigestIssue.objects.move(issue.pk, [State.UNCERTAIN], state=State.SENT)


def mail_file(issue: DigestIssue) -> Path:
    """Where an issue is kept as a file."""
    name = f"digest-{issue.digest_id}-{issue.local_date:%Y%m%d}-{issue.slot:%H%M}.eml"
    return Path(settings.DATA_DIR) / "mail" / name


def _ready(now: datetime) -> DigestIssueQuerySet:
    return _waiting().rested(now)


def _waiting() -> DigestIssueQuerySet:
    return DigestIssue.objects.filter(state__in=DigestIssue.WAITING).order_by("pk")


@write_transaction()
def _stop_unwanted(digest_pk: int, now: datetime) -> None:
    """End the issues of a digest that wait and are not wanted any more, and their copies."""
    ended = {"state": State.STOPPED, "ended": now}
    for issue in _waiting().filter(_UNWANTED, digest=digest_pk):
        if not DigestIssue.objects.move(issue.pk, DigestIssue.WAITING, **ended):
            continue  # Another process is sending it.
        issue.copies.filter(state__in=issue.WAITING).update(**ended)
        _cover_again(issue)


def _advance(issue: DigestIssue, clock: Clock) -> bool:
    """Take an issue through the steps that are left; True if it came to an end."""
    if not issue.asked_again and selection.drop_old(issue, clock()):
        issue.refresh_from_db()
    if issue.state == State.FROZEN:
        writing.render(issue.pk, clock())
        pass_point("digest.rendered")
        issue.refresh_from_db()
    if issue.state != State.RENDERED:
        return issue.state == State.EMPTY
    server: MailServer | None = settings.MAIL_SERVER
    if server is None or not issue.recipient:
        return _file(issue, clock())
    return _hand_over(issue, server, clock)


def _file(issue: DigestIssue, now: datetime) -> bool:
    """Keep an issue as a file, whole or not at all."""
    target = mail_file(issue)
    target.parent.mkdir(mode=0o700, exist_ok=True)
    handle, draft = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)  # mode 0600
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(issue.message)
        os.replace(draft, target)
    except OSError:
        os.unlink(draft)
        raise
    pass_point("digest.filed")
    return DigestIssue.objects.move(issue.pk, [State.RENDERED], state=State.FILED, ended=now)


def _hand_over(issue: DigestIssue, server: MailServer, clock: Clock) -> bool:
    """Send an issue if no other process does; True if it came to an end."""

    def send() -> SendResult:
        return smtp.send(server, bytes(issue.message), settings.MAIL_FROM, issue.recipient)

    def settled(state: LedgerState, result: SendResult, now: datetime) -> None:
        if state == State.FAILED:
            _cover_again(issue)

    ended = handover.hand_over(issue, send, TERMS, clock, on_settled=settled)
    if ended and DigestIssue.objects.filter(pk=issue.pk, state=State.SENT).exists():
        plugins().notify("digest_sent", issue_id=issue.pk)
    return ended


def _cover_again(issue: DigestIssue) -> None:
    """Let the next issue cover the pages of one that was not delivered."""
    if issue.copies.filter(state__in=issue.GONE_OUT).exists():
        return  # Of a copy that went out, no page may come again.
    later = DigestIssue.objects.filter(digest=issue.digest_id, pk__gt=issue.pk).delivered()
    if later.filter(covers_from__lte=issue.covers_from).exists():
        return  # It failed before, and a later issue had what it covers.
    Digest.objects.filter(pk=issue.digest_id, covered_until__gt=issue.covers_from).update(
        covered_until=issue.covers_from
    )
