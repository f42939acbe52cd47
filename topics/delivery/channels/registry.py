"""The kinds of channels there are: our own, and those of plugins."""

from collections.abc import Callable, Mapping
from typing import Any

from focusweb.plugins import offers
from topics.delivery.channels.base import ChannelKind, Message, Target, TargetError
from topics.delivery.handover import SendResult

_NEEDS = (
    "label",
    "hint",
    "signs",
    "needs_consent",
    "repeatable",
    "retry_delays",
    "check",
    "write",
    "send",
)


def channel_kinds() -> Mapping[str, ChannelKind]:
    """The kinds of channels by name; one that lacks a part is left out."""
    return {
        name: offer.item
        for name, offer in offers("channels").items()
        if all(hasattr(offer.item, part) for part in _NEEDS)
    }


def find_kind(name: str) -> ChannelKind | None:
    """A kind by name; None while its plugin or package is missing."""
    return channel_kinds().get(name)


def check_address(kind: ChannelKind, address: str) -> str:
    """What `kind.check` says, whatever a plugin's kind raises."""
    checked, error = _call(kind, lambda: kind.check(address), TargetError)
    if error:
        raise TargetError(error)
    return str(checked)


def write_message(kind: ChannelKind, message: Message, target: Target) -> bytes:
    """What `kind.write` gives; raises TargetError if a plugin's kind fails."""
    body, error = _call(kind, lambda: bytes(kind.write(message, target)))
    if error:
        raise TargetError(error)
    return bytes(body)


def send_body(kind: ChannelKind, body: bytes, target: Target) -> SendResult:
    """What `kind.send` says; a kind that raises has an unknown outcome."""
    result, error = _call(kind, lambda: kind.send(body, target))
    if error or not isinstance(result, SendResult):
        return SendResult(False, certain=False, problem=(error or f"answered {result!r}")[:300])
    return result


def _call(
    kind: ChannelKind, function: Callable[[], Any], *let_through: type[Exception]
) -> tuple[Any, str]:
    """What a kind answers, and ""; or None, and what went wrong."""
    return offers("channels")[kind.name].call(function, let_through)
