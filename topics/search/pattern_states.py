"""A regular expression read into the states that `topics.search.patterns` follows."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

#: Most states of a pattern: a character costs at most this many steps.
MAX_STATES: Final = 500
MAX_REPEATS: Final = 100
MAX_DEPTH: Final = 20
#: What a pattern may hold, as people write it.
SYNTAX: Final = r". [a-z] [^a-z] \d \w \s \b ( ) | * + ? {2,5} ^ $"

Test = Callable[[str], bool]
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
_COUNTS: Final = re.compile(r"\{(\d{1,4})(?:(,)(\d{1,4})?)?\}", re.ASCII)


def is_word(character: str) -> bool:
    """Return whether a character belongs to a word."""
    return character.isalnum() or character == "_"


_CLASSES: Final[dict[str, Test]] = {"d": str.isdecimal, "w": is_word, "s": str.isspace}


class PatternError(ValueError):
    """A pattern that cannot be read, with the index of what is wrong; `is_large` if it is size."""

    def __init__(self, position: int, found: str, *, is_large: bool = False) -> None:
        super().__init__(f"at character {position + 1}: {found!r}")
        self.position = position
        self.found = found
        self.is_large = is_large


@dataclass(slots=True)
class PatternState:
    """A place in a pattern: where it leads, by which character or condition.

    Attributes
    ----------
    test : callable or None
        The characters that lead on; None if no character is needed.
    where : str
        "" for no condition, else "^", "$", "b" or "B".
    """

    test: Test | None = None
    where: str = ""
    to: list[int] = field(default_factory=list)


#: A piece of a pattern: the number of its first state, and the states that lead out of it.
_Piece = tuple[int, list[int]]


class PatternReader:
    """Reads a pattern from left to right into states."""

    def __init__(self, text: str, ignore_case: bool) -> None:
        self._text = text
        self._ignore_case = ignore_case
        self._at = 0
        self._depth = 0
        self.states: list[PatternState] = []
        self.final = self._add(PatternState())

    def whole(self) -> int:
        first, ends = self._any_of()
        if self._at < len(self._text):
            raise PatternError(self._at, self._text[self._at])
        self._join(ends, self.final)
        return first

    def _add(self, state: PatternState) -> int:
        if len(self.states) >= MAX_STATES:
            raise PatternError(0, self._text, is_large=True)
        self.states.append(state)
        return len(self.states) - 1

    def _join(self, ends: list[int], to: int) -> None:
        for end in ends:
            self.states[end].to.append(to)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _any_of(self) -> _Piece:
        pieces = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            pieces.append(self._sequence())
        if len(pieces) == 1:
            return pieces[0]
        fork = self._add(PatternState(to=[first for first, _ends in pieces]))
        return fork, [end for _first, ends in pieces for end in ends]

    def _sequence(self) -> _Piece:
        start = self._add(PatternState())
        ends = [start]
        while (character := self._peek()) and character not in "|)":
            first, new_ends = self._repeated()
            self._join(ends, first)
            ends = new_ends
        return start, ends

    def _repeated(self) -> _Piece:
        start = self._at
        piece = self._atom()
        end = self._at
        least, most = self._counts()
        if (least, most) == (1, 1):
            return piece
        first = self._add(PatternState())
        ends = [first]
        # The atom is read again for each repetition: every copy has states of its own.
        for number in range(max(least, most if most is not None else least + 1)):
            copied = piece if not number else self._again(start, end)
            fork = self._add(PatternState(to=[copied[0]]))
            self._join(ends, fork)
            optional = number >= least
            if most is None and number >= least:
                self._join(copied[1], fork)
                return first, [fork]
            ends = [*copied[1], fork] if optional else copied[1]
            if optional:
                ends = self._gather(ends)
        return first, ends

    def _gather(self, ends: list[int]) -> list[int]:
        meet = self._add(PatternState())
        self._join(ends, meet)
        return [meet]

    def _again(self, start: int, end: int) -> _Piece:
        after, self._at = self._at, start
        piece = self._atom()
        assert self._at == end
        self._at = after
        return piece

    def _counts(self) -> tuple[int, int | None]:
        """How often the atom before may stand; None for any number."""
        sign, start = self._peek(), self._at
        found = _COUNTS.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
            least = int(found[1])
            most = int(found[3]) if found[3] else None if found[2] else least
        elif sign and sign in "*+?":
            self._at += 1
            least, most = int(sign == "+"), 1 if sign == "?" else None
        else:
            return 1, 1
        if most is not None and most < least:
            raise PatternError(start, self._text[start : self._at])
        if max(least, most or 0) > MAX_REPEATS:
            raise PatternError(start, self._text[start : self._at], is_large=True)
        if self._peek() == "?":
            self._at += 1  # The shortest match is a match too.
        if (self._peek() and self._peek() in "*+?") or _COUNTS.match(self._text, self._at):
            raise PatternError(self._at, self._peek())
        return least, most

    def _atom(self) -> _Piece:
        start, character = self._at, self._peek()
        self._at += 1
        match character:
            case "(":
                return self._group(start)
            case "[":
                return self._one(self._set(start))
            case ".":
                return self._one(lambda c: c != "\n")
            case "^" | "$":
                return self._condition(character)
            case "\\":
                return self._escaped(start)
            case "*" | "+" | "?" | "{" | "}" | "]":
                raise PatternError(start, character)
            case _:
                return self._one(self._literal(character))

    def _group(self, start: int) -> _Piece:
        if self._text.startswith("?:", self._at):
            self._at += 2
        elif self._peek() == "?":
            raise PatternError(start, self._text[start : start + 3])
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise PatternError(start, "(", is_large=True)
        piece = self._any_of()
        if self._peek() != ")":
            raise PatternError(start, "(")
        self._at += 1
        self._depth -= 1
        return piece

    def _one(self, test: Test) -> _Piece:
        number = self._add(PatternState(test))
        return number, [number]

    def _condition(self, where: str) -> _Piece:
        number = self._add(PatternState(where=where))
        return number, [number]

    def _escaped(self, start: int) -> _Piece:
        character = self._peek()
        if character in ("b", "B"):
            self._at += 1
            return self._condition(character)
        return self._one(self._escape(start))

    def _escape(self, start: int) -> Test:
        """Read what follows a backslash."""
        character = self._peek()
        self._at += 1
        if character.lower() in _CLASSES:
            test = _CLASSES[character.lower()]
            return test if character.islower() else (lambda c: not test(c))
        if character in _ESCAPES:
            return self._literal(_ESCAPES[character])
        if not character or character.isalnum():
            raise PatternError(start, self._text[start : start + 2])
        return self._literal(character)

    def _literal(self, wanted: str) -> Test:
        if not self._ignore_case:
            return lambda c: c == wanted
        same = {wanted, wanted.lower(), wanted.upper()}
        return lambda c: c in same or c.lower() in same

    def _set(self, start: int) -> Test:
        """Read a set of characters behind its opening bracket."""
        negated = self._peek() == "^"
        self._at += negated
        tests = list(self._members(start))
        self._at += 1
        if not tests:
            raise PatternError(start, self._text[start : self._at])
        if self._ignore_case:
            plain = tests
            tests = [lambda c: any(t(x) for t in plain for x in (c, c.lower(), c.upper()))]
        return lambda c: any(test(c) for test in tests) is not negated

    def _members(self, start: int) -> Iterator[Test]:
        while (character := self._peek()) != "]":
            if not character:
                raise PatternError(start, "[")
            at = self._at
            self._at += 1
            if character == "\\" and self._peek().lower() in (*_CLASSES, *_ESCAPES):
                yield self._escape(at)
                continue
            low = self._member(character, at)
            if self._peek() != "-" or self._text[self._at + 1 : self._at + 2] in ("", "]"):
                yield low.__eq__
                continue
            self._at += 1
            after = self._at
            self._at += 1
            high = self._member(self._text[after], after)
            if high < low:
                raise PatternError(at, self._text[at : self._at])
            yield _between(low, high)

    def _member(self, character: str, at: int) -> str:
        """One character of a set; a backslash makes the next one plain."""
        if character != "\\":
            return character
        plain = self._peek()
        if not plain or plain.isalnum():
            raise PatternError(at, self._text[at : at + 2])
        self._at += 1
        return plain


def _between(low: str, high: str) -> Test:
    return lambda c: low <= c <= high
