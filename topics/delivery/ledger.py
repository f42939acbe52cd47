"""The steps of an issue, each in its own transaction: a death between two loses nothing.

    frozen -> rendered -> sending -> sent

An issue found in `sending` after a crash may have been sent or not, and no program can find out. It
becomes `uncertain`, is shown, and is never sent again by itself.
"""

import logging
import os
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from focusweb.failpoints import pass_point
from focusweb.mail_server import MailServer
from focusweb.plugins import plugins
from focusweb.process_id import is_dead, this_process
from topics.delivery import rendering, selection, smtp
from topics.delivery.confirmation import confirmed_address
from topics.models import Digest, DigestIssue

logger = logging.getLogger(__name__)

State = DigestIssue.State
#: Rests between the tries of an issue that the mail server certainly did not take.
RESTS: Final = (
    *(timedelta(minutes=2), timedelta(minutes=10), timedelta(minutes=30)),
    *(timedelta(hours=1), timedelta(hours=3)),
)
#: Longer than any sender lives: its task ends, or is ended, before.
HOLD: Final = timedelta(minutes=5)
Clock = Callable[[], datetime]


def waiting(now: datetime) -> list[int]:
    """The digests that have something to do."""
    ready = _ready(now).values_list("digest_id", flat=True)
    return sorted({*Digest.objects.due(now).values_list("pk", flat=True), *ready})


def process_digest(digest_pk: int, clock: Clock) -> int:
    """Make, write and send what is due of a digest; how many issues came to an end."""
    pass_point("digest.due")
    selection.freeze(digest_pk, clock())
    pass_point("digest.frozen")
    issues = _ready(clock()).filter(digest=digest_pk)
    return sum(
        _bring_on(issue, clock)
        for issue in issues.select_related("digest__topic__owner", "digest__topic__crawl")
    )


def give_up_dead(now: datetime) -> int:
    """Mark issues whose sender is gone as uncertain; how many."""
    found = 0
    for issue in DigestIssue.objects.filter(state=State.SENDING):
        if is_dead(issue.held_by) or issue.held_until is None or issue.held_until <= now:
            held = DigestIssue.objects.filter(attempts=issue.attempts, held_by=issue.held_by)
            found += held.move(issue.pk, [State.SENDING], state=State.UNCERTAIN, ended=now)
    return found


def send_again(issue: DigestIssue) -> bool:
    """Send an issue once more because a person says so; False if it is not for sending."""
    address = confirmed_address(issue.digest.topic.owner)
    # Another address, or a file that named none: the mail is written anew.
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


def _ready(now: datetime) -> QuerySet[DigestIssue]:
    rested = Q(not_before=None) | Q(not_before__lte=now)
    return DigestIssue.objects.filter(rested, state__in=DigestIssue.WAITING).order_by("pk")


def _bring_on(issue: DigestIssue, clock: Clock) -> bool:
    """Take an issue through the steps that are left; True if it came to an end."""
    if not issue.asked_again and selection.drop_old(issue, clock()):
        issue.refresh_from_db()
    if issue.state == State.FROZEN:
        rendering.render(issue.pk, clock())
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
    now, attempt = clock(), issue.attempts + 1
    mine = DigestIssue.objects.filter(attempts=issue.attempts)
    if not mine.move(
        issue.pk,
        [State.RENDERED],
        state=State.SENDING,
        attempts=attempt,
        held_by=this_process(),
        held_until=now + HOLD,
        problem="",
    ):
        return False
    pass_point("digest.sending")
    outcome = smtp.send(server, bytes(issue.message), settings.MAIL_FROM, issue.recipient)
    pass_point("digest.accepted")
    ended = _settle(issue, attempt, outcome, clock())
    pass_point("digest.sent")
    if outcome.sent:
        plugins().notify("digest_sent", issue_id=issue.pk)
    return ended


@transaction.atomic
def _settle(issue: DigestIssue, attempt: int, outcome: smtp.SendResult, now: datetime) -> bool:
    # A sender that overslept may find its issue given up: what it knows is still true.
    mine = DigestIssue.objects.filter(attempts=attempt)
    held = [State.SENDING, State.UNCERTAIN]
    if outcome.sent:
        return mine.move(issue.pk, held, state=State.SENT, ended=now, not_before=None)
    logger.warning("digest %s: the mail was not taken: %s", issue.digest_id, outcome.problem)
    if not outcome.certain:
        return mine.move(issue.pk, held, state=State.UNCERTAIN, ended=now, problem=outcome.problem)
    if attempt <= len(RESTS):
        mine.move(
            issue.pk,
            held,
            state=State.RENDERED,
            ended=None,
            problem=outcome.problem,
            not_before=now + RESTS[attempt - 1],
        )
        return False
    if mine.move(issue.pk, held, state=State.FAILED, ended=now, problem=outcome.problem):
        # Its pages were not delivered: the next issue covers them too.
        Digest.objects.filter(pk=issue.digest_id, covered_until__gt=issue.covers_from).update(
            covered_until=issue.covers_from
        )
    return True
