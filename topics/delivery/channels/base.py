"""What a kind of channel is: the interface behind the hook `channels`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from topics.delivery.handover import SendResult
from topics.errors import TopicError

#: Pauses between attempts over a day, for receivers that are down for a while.
RETRY_DELAYS: Final = (
    *(timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15), timedelta(hours=1)),
    *(timedelta(hours=2), timedelta(hours=4), timedelta(hours=8), timedelta(hours=8)),
)


class TargetError(TopicError):
    """An address or URL that a kind of channel cannot send to; the message says why."""


@dataclass(frozen=True, slots=True)
class MessageItem:
    """One page of a message."""

    title: str
    url: str
    site: str
    topic: str
    extract: str
    why: str
    score: float
    first_seen: datetime
    published: datetime | None = None
    new_site: bool = False
    lang: str = ""
    #: False for a front page or a list of links.
    has_article: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """A message for a channel.

    Attributes
    ----------
    kind : str
        "alerts", "digest" or "test".
    uid : str
        Names the message; the same at every attempt.
    subject, heading : str
        One line each.
    note : str
        Why it comes now, for example after quiet hours; "" if there is none.
    n_more : int
        Pages that found no place; they are at `url`.
    zone : str
        Time zone of the days it names.
    url, settings_url : str
        Our own pages: where all of it is, and where it is changed.
    stop_url : str
        Stops this channel without a login; "" for none.
    sent_by : str
        The user who has it sent to another reader; "" if the reader is that user.
    """

    kind: str
    uid: str
    subject: str
    heading: str
    lang: str
    made: datetime
    items: Sequence[MessageItem] = ()
    note: str = ""
    n_more: int = 0
    zone: str = "UTC"
    url: str = ""
    settings_url: str = ""
    stop_url: str = ""
    sent_by: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a message goes: an address or URL, what signs it, and the message's name."""

    address: str
    secret: str = ""
    uid: str = ""


class ChannelKind(Protocol):
    """A kind of channel.

    Attributes
    ----------
    name : str
        Stored with each channel; never changes.
    label, hint : str
        What people read: its name, and what its address looks like.
    signs : bool
        Messages are signed with a secret of the channel.
    needs_consent : bool
        The reader must confirm before anything else is sent there.
    repeatable : bool
        The receiver recognises a message that comes twice by its `uid`, so an unknown outcome is
        tried again. Otherwise it is shown to the owner, and never sent again by itself.
    retry_delays : sequence of timedelta
        Pauses between attempts after a certain failure.
    """

    name: str
    label: Any
    hint: Any
    signs: bool
    needs_consent: bool
    repeatable: bool
    retry_delays: Sequence[timedelta]

    def check(self, address: str) -> str:
        """Return an address as it is stored; raise TargetError if nothing can be sent there."""
        ...

    def write(self, message: Message, target: Target) -> bytes:
        """Return the bytes to send: they are stored, and every attempt sends the same."""
        ...

    def send(self, body: bytes, target: Target) -> SendResult:
        """Send stored bytes once. Return the outcome."""
        ...
