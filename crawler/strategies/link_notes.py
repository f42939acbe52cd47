"""A strategy's note on a waiting URL, as it is stored with the frontier entry."""

from typing import Any

import msgspec

from crawler.strategies.base import WORDS, Memo, Rating

#: Of a seed: the source that brought it, and whether that was the source's first look.
SOURCE = "source"
FIRST_LOOK = "first_look"
#: The source that brings kept pages to visit again.
REFRESH = "refresh"
#: The source that brings pages that link to kept ones.
BACK_LINKS = "backlinks"
#: The source that brings pages that link to seeds, as a search provider says.
LINKING = "linking"

#: Of a link that the first paper's filter has seen: the share of topic features in its words, and
#: a mark if it is followed as a sample of the links that the filter drops.
SHARE = "share"
SAMPLED = "sampled"


def pack_notes(rating: Rating) -> bytes:
    """Pack the note, and with it the reason of the priority, for storage."""
    memo: dict[str, Any] = dict(rating.memo)
    if rating.keep:
        memo["keep"] = True
    if rating.parts:
        memo["parts"] = dict(rating.parts)
    return pack_memo(memo)


def pack_memo(memo: Memo) -> bytes:
    """Pack a note as `unpack_notes` gives it."""
    return msgspec.msgpack.encode(memo) if memo else b""


def unpack_notes(packed: bytes | memoryview) -> Memo:
    """Undo `pack_notes`."""
    return msgspec.msgpack.decode(packed) if packed else {}


def as_found(rating: Rating, memo: Memo) -> Rating:
    """Return the rating of a new visit, with how the link to the page was rated at first.

    That is whether it is kept whatever its relevance, what the filter saw, and whether it was
    followed as a sample. `memo` is what was noted then.
    """
    kept = {name: memo[name] for name in (SHARE, SAMPLED) if name in memo}
    keep = rating.keep or bool(memo.get("keep"))
    return msgspec.structs.replace(rating, memo={**kept, **rating.memo}, keep=keep)


def with_words(rating: Rating, memo: Memo) -> Rating:
    """Return the rating with the words of a note added to its own, if both have words."""
    if WORDS not in memo or WORDS not in rating.memo:
        return rating
    words = sorted({*memo[WORDS], *rating.memo[WORDS]})
    return msgspec.structs.replace(rating, memo={**rating.memo, WORDS: words})
