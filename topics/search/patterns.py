"""Regular expressions in time linear in the text: no text makes one slow.

Python's own `re` tries every way to match, one after the other, which takes exponential time for
patterns such as `(a+)+b`. Here all ways are followed at once (Thompson 1968), and the sets of
states that occur are remembered, so a character usually costs one look into a dictionary.
"""

from dataclasses import dataclass, field
from typing import Final

from topics.search.pattern_states import PatternReader, is_word

#: Sets of states that are remembered.
_MAX_ROWS: Final = 2000


@dataclass(slots=True, eq=False)
class _Row:
    """A set of states after some character, and the rows that the next characters lead to."""

    states: frozenset[int]
    before: str
    next: dict[str, "_Row | bool"] = field(default_factory=dict)


class LinearPattern:
    """A regular expression that is ready to be looked for.

    Parameters
    ----------
    text : str
        See `topics.search.pattern_states.SYNTAX`; a lazy `?` after a repetition changes nothing.

    Raises
    ------
    PatternError
        If the text holds something else (back references and lookarounds are not supported), or
        is too large.
    """

    def __init__(self, text: str, *, ignore_case: bool = False) -> None:
        reader = PatternReader(text, ignore_case)
        self._states, self._start = reader.states, reader.whole()
        self._final = reader.final
        self._first = _Row(frozenset(), "")
        self._rows = {(self._first.states, self._first.before): self._first}

    def is_in(self, text: str) -> bool:
        """Return whether the pattern matches anywhere in a text; linear in its length."""
        row = self._first
        for character in text:
            following = row.next.get(character)
            if following is None:
                following = self._step(row, character)
            if following is True:
                return True
            assert isinstance(following, _Row)
            row = following
        return self._final in self._reached(row, "")

    def _step(self, row: _Row, character: str) -> "_Row | bool":
        reached = self._reached(row, character)
        found: _Row | bool
        if self._final in reached:
            found = True
        else:
            states = frozenset(
                to
                for number in reached
                if (test := self._states[number].test) is not None and test(character)
                for to in self._states[number].to
            )
            key = states, _kind(character)
            if len(self._rows) >= _MAX_ROWS and key not in self._rows:
                # Another text would fill the memory: begin anew.
                self._rows.clear()
                self._first.next.clear()
                self._rows[self._first.states, self._first.before] = self._first
            found = self._rows.setdefault(key, _Row(*key))
        row.next[character] = found
        return found

    def _reached(self, row: _Row, character: str) -> set[int]:
        """All states that hold before a character, "" for the end; a match may begin anywhere."""
        after = _kind(character) if character else ""
        open_states, reached = [self._start, *row.states], set[int]()
        while open_states:
            number = open_states.pop()
            if number in reached:
                continue
            reached.add(number)
            state = self._states[number]
            if state.test is None and _holds(state.where, row.before, after):
                open_states += state.to
        return reached


def _kind(character: str) -> str:
    return "w" if is_word(character) else "n"


def _holds(where: str, before: str, after: str) -> bool:
    match where:
        case "^":
            return not before
        case "$":
            return not after
        case "b":
            return (before == "w") is not (after == "w")
        case "B":
            return (before == "w") is (after == "w")
        case _:
            return True
