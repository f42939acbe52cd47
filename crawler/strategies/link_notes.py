"""A strategy's note on a waiting URL, as it is stored with the frontier entry."""

from typing import Any

import msgspec

from crawler.strategies.base import Memo, Rating

#: Of a seed: the source that brought it, and whether that was the source's first look.
SOURCE = "source"
FIRST_LOOK = "first_look"
#: The source that brings kept pages to visit again.
REFRESH = "refresh"


def pack_notes(rating: Rating) -> bytes:
    """Pack the note, and with it the reason of the priority, for storage."""
    memo: dict[str, Any] = dict(rating.memo)
    if rating.keep:
        memo["keep"] = True
    if rating.parts:
        memo["parts"] = dict(rating.parts)
    return msgspec.msgpack.encode(memo) if memo else b""


def unpack_notes(packed: bytes | memoryview) -> Memo:
    """Undo `pack_notes`."""
    return msgspec.msgpack.decode(packed) if packed else {}
