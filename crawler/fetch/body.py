"""Undo one layer of content encoding, with a cap on what comes out."""

import zlib
from collections.abc import Callable
from typing import Final, Protocol

import brotli

from crawler.errors import FetchError
from crawler.fetch.config import Limits
from crawler.reasons import Reason

#: Accept-Encoding of our requests; no other encoding is ever decoded.
ACCEPT_ENCODING: Final = "gzip, deflate, br"

_STEP_BYTES: Final = 64 * 1024
# Each further gzip member costs a copy of what is left, so their number is bounded.
_MAX_MEMBERS: Final = 256


class _Decoder(Protocol):
    def decode(self, data: bytes, max_bytes: int) -> tuple[bytes, bytes]:
        """Return at most about `max_bytes` of output, and the input not yet used."""

    @property
    def finished(self) -> bool: ...


class _Zlib:
    """gzip (also several members in a row) and deflate."""

    def __init__(self, window_bits: int) -> None:
        self._window_bits = window_bits
        self._stream = zlib.decompressobj(window_bits)
        self._members_left = _MAX_MEMBERS

    def decode(self, data: bytes, max_bytes: int) -> tuple[bytes, bytes]:
        if self._stream.eof:
            # Another gzip member, or padding, which everyone ignores.
            if not data.startswith(b"\x1f\x8b"):
                return b"", b""
            self._members_left -= 1
            if self._members_left <= 0:
                raise zlib.error(f"more than {_MAX_MEMBERS} members")
            self._stream = zlib.decompressobj(self._window_bits)
        output = self._stream.decompress(data, max_bytes)
        return output, self._stream.unconsumed_tail or self._stream.unused_data

    @property
    def finished(self) -> bool:
        return self._stream.eof


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def decode(self, data: bytes, max_bytes: int) -> tuple[bytes, bytes]:
        if not self._stream.can_accept_more_data():
            # It still holds output of what it was fed before.
            return self._stream.process(b"", output_buffer_limit=max_bytes), data
        if self._stream.is_finished():
            return b"", b""
        return self._stream.process(data, output_buffer_limit=max_bytes), b""

    @property
    def finished(self) -> bool:
        return bool(self._stream.is_finished())


def decode_body(wire: bytes, encoding: str, limits: Limits, *, cut_at: int | None = None) -> bytes:
    """Return the decoded body.

    Parameters
    ----------
    wire : bytes
        The whole body as received; at most `limits.wire_bytes` long.
    encoding : str
        The Content-Encoding field: identity, gzip, deflate or br, one of them.
    cut_at : int, optional
        Return the first bytes of a longer body, this many, instead of refusing it.

    Raises
    ------
    FetchError
        BAD_ENCODING for another encoding, several layers or damaged data,
        INCOMPLETE for data that ends early, TOO_LARGE beyond
        `limits.decoded_bytes` or the allowed ratio.
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if not names:
        return _within(wire, limits, cut_at)
    if len(names) > 1 or names[0] not in _DECODERS:
        raise FetchError(
            Reason.BAD_ENCODING,
            f"content encoding {encoding[:80]!r}; we accept {ACCEPT_ENCODING}",
        )
    if not wire:
        return b""
    try:
        return _decode(wire, _DECODERS[names[0]](wire), limits, cut_at)
    except (zlib.error, brotli.error) as error:
        raise FetchError(Reason.BAD_ENCODING, f"damaged {names[0]} data: {error}") from error


def _decode(wire: bytes, decoder: _Decoder, limits: Limits, cut_at: int | None) -> bytes:
    parts: list[bytes] = []
    n_bytes = 0
    rest = wire
    while True:
        output, rest = decoder.decode(rest, _STEP_BYTES)
        parts.append(output)
        n_bytes += len(output)
        if cut_at is not None and n_bytes >= cut_at:
            return b"".join(parts)[:cut_at]
        if n_bytes > limits.decoded_bytes:
            raise FetchError(Reason.TOO_LARGE, f"decodes to over {limits.decoded_bytes} bytes")
        if n_bytes > max(limits.ratio_from_bytes, limits.decoded_ratio * len(wire)):
            detail = f"{len(wire)} bytes expand over {limits.decoded_ratio} times"
            raise FetchError(Reason.TOO_LARGE, detail)
        if not output and not rest:
            break
    if not decoder.finished and cut_at is None:
        raise FetchError(Reason.INCOMPLETE, f"compressed data ends after {n_bytes} bytes of text")
    return b"".join(parts)


def _within(body: bytes, limits: Limits, cut_at: int | None) -> bytes:
    if cut_at is not None:
        return body[:cut_at]
    if len(body) > limits.decoded_bytes:
        raise FetchError(Reason.TOO_LARGE, f"the body is over {limits.decoded_bytes} bytes")
    return body


def _deflate(wire: bytes) -> _Zlib:
    """Deflate with its zlib header as in the standard, or bare as many servers send it."""
    has_header = len(wire) > 1 and wire[0] & 0x0F == 8 and int.from_bytes(wire[:2], "big") % 31 == 0
    return _Zlib(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)


_DECODERS: dict[str, Callable[[bytes], _Decoder]] = {
    "gzip": lambda _: _Zlib(16 + zlib.MAX_WBITS),
    "x-gzip": lambda _: _Zlib(16 + zlib.MAX_WBITS),
    "deflate": _deflate,
    "br": lambda _: _Brotli(),
}
