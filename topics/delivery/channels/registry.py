"""The kinds of channels there are: our own, and those of plugins."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from focusweb.plugin_calls import short_repr, writable
from focusweb.plugins import PAUSED, offers
from topics.delivery.channels.base import ChannelKind, Message, Target, TargetError
from topics.delivery.handover import SendResult

#: Longer messages are not stored: a digest of 50 pages has less than a tenth of it.
MAX_MESSAGE_BYTES: Final = 2_000_000
#: As long as the column that holds it.
MAX_ADDRESS_CHARS: Final = 1000
#: Of what a receiver answered, or what went wrong; as long as the column.
_MAX_ANSWER_CHARS: Final = 500


def channel_kinds() -> Mapping[str, ChannelKind]:
    """Return the kinds of channels by name."""
    return {name: offer.item for name, offer in offers("channels").items()}


def find_kind(name: str) -> ChannelKind | None:
    """Return a kind by name; None while its plugin or package is missing."""
    return channel_kinds().get(name)


def check_address(kind: ChannelKind, address: str) -> str:
    """Return what `kind.check` returns, whatever a plugin's kind raises."""
    checked, error = _call(kind, lambda: _checked_address(kind.check(address)), TargetError)
    if error:
        raise TargetError(error)
    return str(checked)


def write_message(kind: ChannelKind, message: Message, target: Target) -> bytes:
    """What `kind.write` gives; raises TargetError if a plugin's kind fails."""
    body, error = _call(kind, lambda: _checked_body(kind.write(message, target)))
    if error:
        raise TargetError(error)
    return bytes(body)


def send_body(kind: ChannelKind, body: bytes, target: Target) -> SendResult:
    """Return what `kind.send` returns; a kind that raises has an unknown outcome."""
    result, error = _call(kind, lambda: _checked_result(kind.send(body, target)))
    if error:
        return SendResult(False, certain=False, problem=error[:_MAX_ANSWER_CHARS])
    assert isinstance(result, SendResult)
    return result


def _checked_address(address: object) -> str:
    if not isinstance(address, str) or not 0 < len(address) <= MAX_ADDRESS_CHARS:
        raise TypeError(f"{short_repr(address)[:100]} is not an address")
    return address


def _checked_body(body: object) -> bytes:
    if not isinstance(body, bytes):
        raise TypeError(f"{short_repr(body)[:100]} is not bytes")
    if len(body) > MAX_MESSAGE_BYTES:
        raise ValueError(f"{len(body)} bytes are more than a message may have")
    return body


def _checked_result(result: object) -> SendResult:
    if not isinstance(result, SendResult):
        raise TypeError(f"{short_repr(result)[:100]} is not a SendResult")
    switches, texts = (
        (result.sent, result.certain, result.hopeless),
        (result.problem, result.answer),
    )
    if not all(type(one) is bool for one in switches):
        raise TypeError("sent, certain and hopeless must be true or false")
    if not all(isinstance(one, str) for one in texts):
        raise TypeError("problem and answer must be texts")
    problem, answer = (writable(text[:_MAX_ANSWER_CHARS]) for text in texts)
    return replace(result, problem=problem, answer=answer)


def _call(
    kind: ChannelKind, function: Callable[[], Any], *let_through: type[Exception]
) -> tuple[Any, str]:
    """What a kind answers, and ""; or None, and what went wrong."""
    offer = offers("channels").get(kind.name)
    if offer is None:
        return None, PAUSED  # since the kind was looked up
    return offer.call(function, let_through)
