"""Why a digest did not come: one answer for each thing that can be in the way."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from topics.delivery.confirmation import is_waiting, proved_address
from topics.models import Digest, DigestIssue

State = DigestIssue.State


class Way(StrEnum):
    """What became of a digest, or is in its way."""

    OFF = "off"
    WORKER_DOWN = "worker_down"
    NO_ADDRESS = "no_address"
    NO_SERVER = "no_server"
    UNPROVED = "unproved"
    WAITING = "waiting"
    LATE = "late"
    NOT_YET = "not_yet"
    EMPTY = "empty"
    RETRYING = "retrying"
    SENDING = "sending"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    SENT = "sent"
    FILED = "filed"


@dataclass(frozen=True, slots=True)
class Answer:
    """One thing to know, with the issue it is about."""

    way: Way
    issue: DigestIssue | None = None


_OF_STATE = {
    State.FROZEN: Way.LATE,
    State.RENDERED: Way.RETRYING,
    State.SENDING: Way.SENDING,
    State.SENT: Way.SENT,
    State.FILED: Way.FILED,
    State.EMPTY: Way.EMPTY,
    State.FAILED: Way.FAILED,
    State.UNCERTAIN: Way.UNCERTAIN,
}


def answers(digest: Digest, now: datetime, *, worker_up: bool, has_server: bool) -> list[Answer]:
    """Everything there is to say, the most pressing first."""
    return list(_answers(digest, now, worker_up, has_server))


def _answers(digest: Digest, now: datetime, worker_up: bool, has_server: bool) -> Iterator[Answer]:
    if not worker_up:
        yield Answer(Way.WORKER_DOWN)
    if not digest.active:
        yield Answer(Way.OFF)
    if not has_server:
        yield Answer(Way.NO_SERVER)
    elif not digest.topic.owner.email:
        yield Answer(Way.NO_ADDRESS)
    elif not proved_address(digest.topic.owner):
        yield Answer(Way.WAITING if is_waiting(digest.topic.owner, now) else Way.UNPROVED)
    last = digest.issues.exclude(state=State.MERGED).first()
    if last is not None:
        yield Answer(_OF_STATE[State(last.state)], last)
        # Until a person has said what became of it, nobody knows.
        doubtful = digest.issues.filter(state=State.UNCERTAIN).exclude(pk=last.pk)
        yield from (Answer(Way.UNCERTAIN, issue) for issue in doubtful)
    if digest.active:
        yield Answer(Way.LATE if digest.next_due <= now else Way.NOT_YET)
