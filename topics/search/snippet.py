"""Cut the best passages out of a text and mark the words of the query.

Everything works on positions of the original text, one character at a time, and
gives plain values; whoever shows them escapes each piece.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from topics.search.marks import Mark, find_marks
from topics.search.query import Query

#: Most characters to scan, so that a long page costs no more than 30 ms.
MAX_SCANNED = 100_000
#: Width of a fragment in columns; a Han character takes two.
WIDTH = 150
MAX_FRAGMENTS = 2
#: Most marks of one clause around which a fragment is tried.
_TRIED = 20
#: How far a cut may move to fall between words, in characters.
_SLACK = 16
#: What ends a clause or a quotation: no fragment begins with it.
_CLOSING = frozenset(",.;:!?)]}，。、；：！？）】》」』”’…")
#: Length of a line that is more than a heading or a button.
_ENOUGH_CHARS = 30


@dataclass(frozen=True, slots=True)
class Piece:
    """A bit of the original text, marked if it is what was looked for."""

    text: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of text; joined, its pieces are the text as it stands in the page."""

    pieces: tuple[Piece, ...]
    starts_inside: bool = False
    ends_inside: bool = False

    def __str__(self) -> str:
        text = "".join(piece.text for piece in self.pieces)
        return f"{'… ' * self.starts_inside}{text}{' …' * self.ends_inside}"


def mark_all(text: str, query: Query) -> Fragment:
    """Mark what was looked for in a short text, such as a title, and cut nothing."""
    return _fragment(text, 0, len(text), find_marks(text, query.wanted))


def cut_fragments(text: str, query: Query) -> list[Fragment]:
    """Cut at most two fragments that show most of what was looked for.

    Parameters
    ----------
    text : str
        A page's text; only its first `MAX_SCANNED` characters are read.
    query : Query
        Its wanted clauses are marked, each whole where it is whole in the
        text, otherwise by its words.

    Returns
    -------
    list of Fragment
        In page order, not overlapping; the text's beginning if nothing was found,
        and none if the text is empty.
    """
    scanned = text[:MAX_SCANNED]
    marks = find_marks(scanned, query.wanted)
    windows = _choose_windows(scanned, marks) if marks else [_opening(scanned)]
    return [
        _fragment(text, start, end, [mark for mark in marks if start <= mark.start < end])
        for start, end in sorted(windows)
        if start < end
    ]


def _choose_windows(text: str, marks: list[Mark]) -> list[tuple[int, int]]:
    """Choose the windows that show most clauses, then most marks; earlier ones win ties."""
    starts = [mark.start for mark in marks]
    candidates = {}
    for start, end in (_window(text, mark.start, mark.end) for mark in _tried(marks)):
        inside = marks[bisect_left(starts, start) : bisect_left(starts, end)]
        candidates[start, end] = [mark.clause for mark in inside]
    chosen: list[tuple[int, int]] = []
    shown: set[int] = set()
    while candidates and len(chosen) < MAX_FRAGMENTS:
        # max takes the first of equals, and they are in page order.
        best = max(candidates, key=lambda w: (len(set(candidates[w]) - shown), len(candidates[w])))
        chosen.append(best)
        shown.update(candidates[best])
        candidates = {
            (start, end): clauses
            for (start, end), clauses in candidates.items()
            if start >= best[1] or end <= best[0]
        }
    return chosen


def _tried(marks: list[Mark]) -> Iterator[Mark]:
    """Yield the first marks of each clause."""
    seen: Counter[int] = Counter()
    for mark in marks:
        seen[mark.clause] += 1
        if seen[mark.clause] <= _TRIED:
            yield mark


def _opening(text: str) -> tuple[int, int]:
    """The beginning of the first line that is long enough to say something."""
    lines = [match.span() for match in islice(re.finditer(r"[^\n]+", text), 50)]
    if not lines:
        return 0, 0
    start = next((a for a, b in lines if b - a >= _ENOUGH_CHARS), lines[0][0])
    return _window(text, start, start)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a mark to a fragment that ends between words."""
    left = _reach(text, start, -1, WIDTH // 4)
    columns = sum(_columns(character) for character in text[left:end])
    right = _reach(text, end, 1, max(WIDTH - columns, 0))
    left, right = _between_words(text, left, start), _between_words(text, right, end)
    is_cut = left > 0 and text[left - 1] != "\n"
    while left < start and (text[left].isspace() or (is_cut and text[left] in _CLOSING)):
        left += 1
    while right > end and text[right - 1].isspace():
        right -= 1
    return left, right


def _reach(text: str, position: int, step: int, columns: int) -> int:
    """Go from a position by at most some columns, and not past the line's end."""
    start = position if step > 0 else max(position - columns, 0)
    passed = text[start : position + columns] if step > 0 else text[start:position]
    if passed.isascii() and "\n" not in passed:
        return position + step * len(passed)
    while 0 < position + (step > 0) <= len(text) and columns > 0:
        character = text[position - (step < 0)]
        if character == "\n":
            break
        columns -= _columns(character)
        position += step
    return position


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _between_words(text: str, position: int, mark: int) -> int:
    """Move a cut towards the mark until it parts no word and no combined character."""
    step = 1 if position < mark else -1
    for moved in range(_SLACK):
        candidate = position + step * moved
        if candidate == mark or _may_cut(text, candidate):
            return candidate
    while position != mark and _is_attached(text, position):
        position += step
    return position


def _may_cut(text: str, position: int) -> bool:
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    in_word = before.isalnum() and after.isalnum() and _columns(before) == _columns(after) == 1
    return not in_word and not _is_attached(text, position)


def _is_attached(text: str, position: int) -> bool:
    """True if the character at a position belongs to the one before it."""
    if not 0 < position < len(text):
        return False
    attached = unicodedata.category(text[position]) in {"Mn", "Me", "Mc", "Cf", "Sk"}
    return attached or text[position - 1] == "\u200d"


def _fragment(text: str, start: int, end: int, marks: list[Mark]) -> Fragment:
    found: list[Piece] = []
    position = start
    for mark in marks:
        stop = min(mark.end, end)
        if position < mark.start:
            found.append(Piece(text[position : mark.start]))
        found.append(Piece(text[mark.start : stop], is_marked=True))
        position = stop
    if position < end:
        found.append(Piece(text[position:end]))
    # A fragment within one line is complete at the line's ends.
    return Fragment(
        tuple(found),
        starts_inside=start > 0 and text[start - 1] != "\n",
        ends_inside=end < len(text) and text[end] != "\n",
    )
