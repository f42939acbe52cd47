"""The ledger of what goes to channels: make a message once, send it, keep what was answered."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from focusweb.database import write_transaction
from topics.delivery import handover
from topics.delivery.channels.base import ChannelKind, Message, Target
from topics.delivery.channels.registry import find_kind, send_body, write_message
from topics.delivery.handover import Clock, SendResult, Terms
from topics.models import AlertRule, Channel, Delivery, DigestIssue
from topics.models.ledger import LedgerQuerySet, LedgerState

#: Attempts that a delivery keeps in its log, the newest.
MAX_LOG: Final = 20
State = LedgerState


def add_delivery(
    channel: Channel,
    key: str,
    write: Callable[[Target], tuple[str, bytes]],
    now: datetime,
    *,
    rule: AlertRule | None = None,
    issue: DigestIssue | None = None,
) -> Delivery | None:
    """Store a message for a channel, to be sent soon; None if it was made before.

    `write` gives the subject and the bytes for a target.
    """
    if Delivery.objects.filter(key=key).exists():
        return None
    name = uuid.uuid4()
    subject, body = write(Target(channel.target, channel.secret, str(name)))
    return Delivery.objects.create(
        uid=name,
        key=key,
        channel=channel,
        rule=rule,
        issue=issue,
        subject=subject,
        message=body,
        state=State.RENDERED,
        created=now,
    )


def add_unwritten(
    channel: Channel, key: str, subject: str, now: datetime, issue: DigestIssue
) -> None:
    """Store a copy of an issue that is written once its plugin or package works again."""
    Delivery.objects.create(
        key=key, channel=channel, issue=issue, subject=subject, state=State.FROZEN, created=now
    )


def written_message(kind: ChannelKind, message: Message, target: Target) -> tuple[str, bytes]:
    """Return the subject and the bytes of a message for a target."""
    return message.subject, write_message(kind, message, target)


def waiting_deliveries(now: datetime) -> list[int]:
    """Return the deliveries that may be sent now, the oldest first."""
    rows = Delivery.objects.rested(now).filter(state=State.RENDERED)
    usable = rows.filter(channel__in=Channel.objects.usable())
    return list(usable.order_by("pk").values_list("pk", flat=True))


def send_one(pk: int, clock: Clock) -> bool:
    """Send a delivery if no other process does; True if it came to an end."""
    # A reader may have stopped the channel since the list of what waits was made.
    rows = Delivery.objects.filter(state=State.RENDERED, channel__in=Channel.objects.usable())
    row = rows.select_related("channel", "issue__digest").filter(pk=pk).first()
    if row is not None and _is_unwanted(row):
        return Delivery.objects.move(pk, [State.RENDERED], state=State.STOPPED, ended=clock())
    kind = find_kind(row.channel.kind) if row is not None else None
    if row is None or kind is None:
        return False  # It waits until its channel, plugin or package is back.

    def send() -> SendResult:
        return send_body(kind, bytes(row.message), target_of(row))

    def note(state: LedgerState, result: SendResult, now: datetime) -> None:
        _write_log(row, result, now)
        if result.hopeless:
            Channel.objects.filter(pk=row.channel_id, stopped=None).update(stopped=now)

    terms = Terms("delivery", kind.retry_delays, kind.repeatable)
    return handover.hand_over(row, send, terms, clock, on_settled=note)


def _is_unwanted(row: Delivery) -> bool:
    """Whether the digest of a copy was switched off while the copy was being sent, and failed."""
    if row.issue is None or row.issue.digest.active or not row.attempts:
        return False
    # `send_again` counts attempts anew, but keeps the log: such a copy is wanted.
    return len(row.log) <= row.attempts


def give_up_dead(now: datetime) -> int:
    """Free deliveries whose sending process has ended. Return how many."""
    found = 0
    held = Delivery.objects.filter(state=State.SENDING)
    for name in set(held.values_list("channel__kind", flat=True)):
        kind = find_kind(name)
        rows = Delivery.objects.filter(channel__kind=name)
        again = len(kind.retry_delays) if kind is not None and kind.repeatable else 0
        found += handover.give_up_dead(rows, now, max_attempts=1 + again)
    return found


def send_again(row: Delivery) -> bool:
    """Send a delivery once more because its owner requests it; False if it is still on its way."""
    return Delivery.objects.move(
        row.pk,
        [State.SENT, State.FAILED, State.UNCERTAIN],
        state=State.RENDERED,
        attempts=0,
        not_before=None,
        problem="",
        ended=None,
    )


def confirm_received(row: Delivery) -> bool:
    """Mark an uncertain delivery as sent; False if it is not uncertain."""
    return Delivery.objects.move(row.pk, [State.UNCERTAIN], state=State.SENT)


def target_of(row: Delivery) -> Target:
    """Where a delivery goes."""
    return Target(row.channel.target, row.channel.secret, str(row.uid))


@write_transaction()
def _write_log(row: Delivery, result: SendResult, now: datetime) -> None:
    log = Delivery.objects.values_list("log", flat=True).get(pk=row.pk)
    said = result.answer or result.problem
    line = {"at": now.isoformat(), "sent": result.sent, "answer": said[:300]}
    Delivery.objects.filter(pk=row.pk).update(log=[*log, line][-MAX_LOG:])


def rows_of(owner: Any) -> LedgerQuerySet[Delivery]:
    """Return the deliveries of a person's channels, newest first, without their bytes."""
    rows = Delivery.objects.filter(channel__owner=owner).select_related("channel", "rule")
    return rows.defer("message")
