"""The difference of two texts in words; Chinese by character."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz.distance import LCSseq

from crawler.api.text import HAN

#: Tokens of either text that are compared: the beginning of a long one. The comparison takes
#: time in proportion to the product of both.
MAX_TOKENS: Final = 8000
#: So few equal tokens between two changes are part of the change: a lone "the" means nothing.
MIN_EQUAL: Final = 3
#: A Han character counts like a word of about this many characters.
HAN_WEIGHT: Final = 0.6
#: A change of less weight is small, such as a corrected typing error.
MIN_WEIGHT: Final = 5.0

_TOKEN: Final = re.compile(rf"[{HAN}]|[^\W{HAN}]+|\s+|[^\w\s]")
_LETTER: Final = re.compile(r"[^\W\u2e80-\uffff]")
_FIRST_WORD: Final = re.compile(rf"^{_LETTER.pattern}+")
_LAST_WORD: Final = re.compile(rf"{_LETTER.pattern}+$")
_HAN: Final = re.compile(f"[{HAN}]")
#: What dates, ages and counters are made of; they change with each visit.
_COUNTING: Final = frozenset(
    """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    second seconds minute minutes min mins hour hours day days week weeks month months year years
    ago today yesterday now am pm utc gmt st nd rd th
    view views comment comments like likes share shares reply replies read reads
    年 月 日 号 时 点 分 秒 周 天 前 刚 今 昨 上 下 午 星 期 一 二 三 四 五 六 七 八 九 十 零 〇 两
    万 千 百 次 条 个 评 论 赞 浏 览 阅 读 量 人 钟 小
    """.split()
)


class DiffKind(StrEnum):
    """What happened to a run of words."""

    SAME = "same"
    INSERTED = "inserted"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """A run of words with the same fate."""

    kind: DiffKind
    text: str


def difference(before: str, after: str) -> list[DiffPiece]:
    """The pieces of both texts in reading order, what was deleted before what was inserted."""
    old, new = _tokens(before), _tokens(after)
    pieces: list[DiffPiece] = []
    for same, some_old, some_new in _blocks(old, new):
        if same:
            pieces.append(DiffPiece(DiffKind.SAME, "".join(some_new)))
            continue
        if some_old:
            pieces.append(DiffPiece(DiffKind.DELETED, "".join(some_old)))
        if some_new:
            pieces.append(DiffPiece(DiffKind.INSERTED, "".join(some_new)))
    return pieces


def weight(pieces: Sequence[DiffPiece], kind: DiffKind) -> float:
    """How many words of a kind there are, without dates, numbers and what counts something."""
    return sum(_weight(token) for one in pieces if one.kind is kind for token in _tokens(one.text))


def is_small(pieces: Sequence[DiffPiece]) -> bool:
    """True for a change that is not worth a person's time."""
    return weight(pieces, DiffKind.INSERTED) + weight(pieces, DiffKind.DELETED) < MIN_WEIGHT


def around_changes(pieces: Sequence[DiffPiece], n_context: int, n_chars: int) -> list[DiffPiece]:
    """The changes with a few characters around each, about `n_chars` in all; "…" is a gap."""
    found: list[DiffPiece] = []
    left = n_chars
    for number, piece in enumerate(pieces):
        text = piece.text
        if piece.kind is DiffKind.SAME:
            text = _shortened(text, n_context, first=number == 0, last=number == len(pieces) - 1)
        elif len(text) > left:
            text = f"{text[: max(left, 0)]}…"
        found.append(DiffPiece(piece.kind, text))
        left -= len(text)
        if left <= 0:
            break
    return found


def _shortened(text: str, n_context: int, *, first: bool, last: bool) -> str:
    head = "" if first else text[:n_context]
    tail = "" if last else text[-n_context:]
    if len(text) <= len(head) + len(tail) + 1:
        return text
    # No half words; in Chinese each character may end the context.
    if head and _LETTER.match(text[len(head)]):
        head = _LAST_WORD.sub("", head)
    if tail and _LETTER.match(text[-len(tail) - 1]):
        tail = _FIRST_WORD.sub("", tail)
    return f"{head} … {tail}"


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        if len(found) == MAX_TOKENS:
            break
        found.append(match.group())
    return found


def _weight(token: str) -> float:
    if token.lower() in _COUNTING or not token[0].isalpha() or any(map(str.isdigit, token)):
        return 0.0
    return HAN_WEIGHT if _HAN.match(token) else 1.0


def _blocks(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    """Yield runs of equal and of different tokens; short equal runs between changes are not."""
    waiting: tuple[list[str], list[str]] = ([], [])
    steps = [
        (
            step.tag == "equal",
            old[step.src_start : step.src_end],
            new[step.dest_start : step.dest_end],
        )
        for step in LCSseq.opcodes(old, new)
    ]
    for number, (same, some_old, some_new) in enumerate(steps):
        is_edge = number in (0, len(steps) - 1)
        if same and (is_edge or sum(not token.isspace() for token in some_new) >= MIN_EQUAL):
            if any(waiting):
                yield False, *waiting
                waiting = ([], [])
            yield True, some_old, some_new
        else:
            waiting[0].extend(some_old)
            waiting[1].extend(some_new)
    if any(waiting):
        yield False, *waiting
