"""Find in an unchanged text what a query looks for.

The text is folded character by character, so that every find can be given in
positions of the original.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from crawler.api.text import HAN, fold
from topics.search.analysis import HAN_START, pieces, query_words, stem_word
from topics.search.tree import Clause

#: Most marks of one clause; a long page holds a common word thousands of times.
MAX_MARKS = 200

#: A letter or digit, but not a Han character.
_LETTER = re.compile(rf"[^\W_{HAN}]")
#: Where a word begins and ends, as far as ASCII shows it. With all that `_LETTER` knows, it would
#: take a millisecond and a half to compile the pattern of each clause.
_NOT_AFTER, _NOT_BEFORE = "(?<![a-z0-9])", "(?![a-z0-9])"

#: Half-width marks of voiced sounds in Japanese: they combine in the index only.
_NARROW_MARKS = "\uff9e\uff9f"


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the text holds a clause of a query: positions of the original text, end excluded."""

    start: int
    end: int
    clause: int


class _FoldedCharacter(dict[str, str]):
    """Character -> its folded form; a text is folded so that positions are known."""

    def __missing__(self, character: str) -> str:
        if len(self) > 50_000:
            self.clear()
        folded = self[character] = fold(character)
        return folded


_folded_character = _FoldedCharacter()


def find_marks(text: str, clauses: Iterable[Clause]) -> list[Mark]:
    """Find the clauses in a text: positions in the original, ascending, no overlap."""
    searched, starts, ends = _fold_with_origin(text)
    found: list[Mark] = []
    for number, clause in enumerate(clauses):
        for start, end in islice(_spans(searched, clause), MAX_MARKS):
            found.append(Mark(starts[start], ends[end - 1], number))
    return _without_overlap(found)


def _fold_with_origin(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """Fold a text; also say for each folded character where its original begins and ends."""
    starts, ends = range(len(text)), range(1, len(text) + 1)
    if text.isascii():
        return text.lower(), starts, ends
    if not unicodedata.is_normalized("NFC", text) or any(mark in text for mark in _NARROW_MARKS):
        return _fold_composed(text)
    folded = list(map(_folded_character.__getitem__, text))
    searched = "".join(folded)
    if len(searched) == len(text) and all(folded):
        return searched, starts, ends
    origin = [i for i, form in enumerate(folded) for _ in form]
    return searched, origin, [i + 1 for i in origin]


def _fold_composed(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """The same where a letter and its accent, say, may stand as two characters: é as e and ´."""
    starts = [i for i, character in enumerate(text) if i == 0 or not _is_combining(character)]
    spans = list(zip(starts, [*starts[1:], len(text)], strict=True))
    folded = [fold(text[start:end]) for start, end in spans]
    origin = [span for span, form in zip(spans, folded, strict=True) for _ in form]
    return "".join(folded), [start for start, _ in origin], [end for _, end in origin]


def _is_combining(character: str) -> bool:
    # The vowels and last consonants of Korean syllables combine, too.
    is_part = "\u1160" <= character <= "\u11ff" or character in _NARROW_MARKS
    return is_part or bool(unicodedata.combining(character))


def _spans(searched: str, clause: Clause) -> Iterator[tuple[int, int]]:
    """Yield the places of a clause in folded text."""
    if clause.is_prefix and not HAN_START.match(fold(clause.text)):
        yield from _words_from(searched, re.escape(fold(clause.text)))
        return
    found = False
    for span in _whole(searched, clause.text):
        found = True
        yield span
    if clause.is_phrase or clause.is_prefix:
        return
    words = set(query_words(clause.text))
    yield from _spans_by_stem(searched, {word for word in words if not _is_han(word)})
    if found:
        return
    for word in words:
        if _is_han(word):
            yield from (match.span() for match in re.finditer(word, searched))


def _spans_by_stem(searched: str, stems: set[str]) -> Iterator[tuple[int, int]]:
    """Yield where words with one of some stems stand."""
    if not stems:
        return
    # Stemming every word of a page takes ten times longer than this comparison of the first
    # letters; the last letter of a stem may differ (battery, batteri).
    starts = "|".join(sorted(re.escape(stem[:-1] if len(stem) > 2 else stem) for stem in stems))
    for start, end in _words_from(searched, f"(?:{starts})"):
        if stem_word(searched[start:end]) in stems:
            yield start, end


def _is_han(word: str) -> bool:
    return bool(HAN_START.match(word))


def _words_from(searched: str, beginning: str) -> Iterator[tuple[int, int]]:
    """Yield the words, not of Han characters, that begin with a pattern."""
    for start, end in _apart(searched, beginning, begins=True):
        while end < len(searched) and _LETTER.match(searched, end):
            end += 1
        yield start, end


def _whole(searched: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of a clause as it is spelt, with any short gap between its words."""
    pattern, begins, ends = "", False, False
    for piece, _, _, is_han in pieces(fold(text)):
        if piece == "\n":
            continue
        if pattern:
            pattern += r"[\W_]{0,3}" if is_han or not ends else r"[\W_]{1,3}"
        else:
            begins = not is_han
        # c++ ends in no letter, but is not found before one either.
        pattern += "[ \u3000]?".join(piece) if is_han else re.escape(piece)
        ends = not is_han
    return _apart(searched, pattern, begins=begins, ends=ends) if pattern else iter(())


def _apart(
    searched: str, pattern: str, *, begins: bool = False, ends: bool = False
) -> Iterator[tuple[int, int]]:
    """Yield the matches of a pattern, not inside a longer word where it `begins` or `ends` one."""
    compiled = re.compile(f"{_NOT_AFTER * begins}{pattern}{_NOT_BEFORE * ends}")
    position = 0
    while match := compiled.search(searched, position):
        start, end = match.span()
        is_inside = (begins and start > 0 and _LETTER.match(searched, start - 1)) or (
            ends and _LETTER.match(searched, end)
        )
        position = start + 1
        if not is_inside:
            yield start, end
            position = max(end, position)


def _without_overlap(marks: list[Mark]) -> list[Mark]:
    """Keep the first and longest of marks that overlap."""
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
    return kept
