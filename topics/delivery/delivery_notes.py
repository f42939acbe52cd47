"""Why a digest was not sent: one note for each possible cause."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.utils.translation import gettext as _

from topics.delivery.channels.notes import (
    Note,
    NoteCause,
    search_notes,
    state_notes,
)
from topics.delivery.channels.notes import delivery_notes as channel_delivery_notes
from topics.delivery.confirmation import confirmed_address, is_waiting
from topics.models import Channel, Digest, DigestIssue

State = DigestIssue.State


class DeliveryStatus(StrEnum):
    """The status of a digest: its outcome, or what prevents it."""

    OFF = "off"
    WORKER_DOWN = "worker_down"
    NO_ADDRESS = "no_address"
    NO_SERVER = "no_server"
    UNCONFIRMED = "unconfirmed"
    WAITING = "waiting"
    LATE = "late"
    NOT_YET = "not_yet"
    EMPTY = "empty"
    HELD = "held"
    PAUSED = "paused"
    RETRYING = "retrying"
    SENDING = "sending"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    SENT = "sent"
    FILED = "filed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class DeliveryNote:
    """One thing to know, with the issue it is about."""

    way: DeliveryStatus
    issue: DigestIssue | None = None


#: Such a channel is left out when the copies of an issue are made.
_NO_COPY = (NoteCause.STOPPED, NoteCause.UNCONFIRMED, NoteCause.OFF)
_OF_STATE = {
    State.FROZEN: DeliveryStatus.LATE,
    State.RENDERED: DeliveryStatus.RETRYING,
    State.SENDING: DeliveryStatus.SENDING,
    State.SENT: DeliveryStatus.SENT,
    State.FILED: DeliveryStatus.FILED,
    State.EMPTY: DeliveryStatus.EMPTY,
    State.HELD: DeliveryStatus.HELD,
    State.FAILED: DeliveryStatus.FAILED,
    State.UNCERTAIN: DeliveryStatus.UNCERTAIN,
    State.STOPPED: DeliveryStatus.STOPPED,
}


def delivery_notes(
    digest: Digest, now: datetime, *, worker_up: bool, has_server: bool
) -> list[DeliveryNote]:
    """Return all notes, the most urgent first."""
    return list(_answers(digest, now, worker_up, has_server))


def part_notes(digest: Digest, now: datetime) -> list[Note]:
    """Return which saved searches cannot be run, and why a channel got no copy."""
    return [
        *(note for search in digest.saved_searches() for note in search_notes(search, now)),
        *(note for channel in digest.channels.all() for note in _copy_notes(digest, channel)),
    ]


def _copy_notes(digest: Digest, channel: Channel) -> Iterator[Note]:
    for note in state_notes(channel):
        if note.cause in _NO_COPY:
            text = _("%(why)s It gets no copy of what is sent meanwhile.") % {"why": note.text}
            yield Note(note.cause, text)
        else:
            yield note
    copies = channel.deliveries.filter(issue__digest=digest).select_related("channel")
    if copies.exists():
        yield from channel_delivery_notes(copies, digest.zone)


def _answers(
    digest: Digest, now: datetime, worker_up: bool, has_server: bool
) -> Iterator[DeliveryNote]:
    if not worker_up:
        yield DeliveryNote(DeliveryStatus.WORKER_DOWN)
    if not digest.active:
        yield DeliveryNote(DeliveryStatus.OFF)
    if not has_server:
        yield DeliveryNote(DeliveryStatus.NO_SERVER)
    elif not digest.topic.owner.email:
        yield DeliveryNote(DeliveryStatus.NO_ADDRESS)
    elif not confirmed_address(digest.topic.owner):
        yield DeliveryNote(
            DeliveryStatus.WAITING
            if is_waiting(digest.topic.owner, now)
            else DeliveryStatus.UNCONFIRMED
        )
    last = digest.issues.exclude(state=State.MERGED).first()
    if last is not None:
        yield DeliveryNote(_OF_STATE[State(last.state)], last)
        # The outcome is unknown until a person confirms it.
        doubtful = digest.issues.filter(state=State.UNCERTAIN).exclude(pk=last.pk)
        yield from (DeliveryNote(DeliveryStatus.UNCERTAIN, issue) for issue in doubtful)
    if digest.active and digest.is_paused(now):
        yield DeliveryNote(DeliveryStatus.PAUSED)
    if digest.active:
        yield DeliveryNote(
            DeliveryStatus.LATE if digest.next_due <= now else DeliveryStatus.NOT_YET
        )
