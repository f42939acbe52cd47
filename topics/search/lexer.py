"""A query cut into tokens; together they cover all of it but the white space."""

import re
from dataclasses import dataclass
from enum import StrEnum

from topics.search.errors import QueryError
from topics.search.problems import QueryProblem
from topics.search.tree import QUOTATION_MARKS

_MINUS = "-－−"
_BANG = "!！"
_OPEN, _CLOSE = "(（", ")）"
_OR = frozenset({"OR", "ＯＲ", "|", "||", "｜"})
#: Opening quotation mark -> all that close it.
CLOSERS = dict(QUOTATION_MARKS)

#: A regular expression and its flags; a slash inside has a backslash before it.
PATTERN = re.compile(r"[/／]((?:[^/／\\\r\n]|\\.)+)[/／]([A-Za-z]*)(?=[\s)）]|\Z)")


class TokenKind(StrEnum):
    """What a token is."""

    WORD = "word"
    PHRASE = "phrase"
    PATTERN = "pattern"
    MINUS = "minus"
    OR = "or"
    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query: `text` reaches from `start` to `end`, end excluded."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def inner(self) -> str:
        """A phrase without its quotation marks."""
        return self.text[1:-1]


def tokens_of(text: str) -> list[Token]:
    """Cut a query into tokens; `QueryError` if a quotation mark is not closed."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        token = _token(text, position)
        tokens.append(token)
        position = token.end
    return tokens


def _token(text: str, start: int) -> Token:
    character = text[start]
    following = text[start + 1 : start + 2]
    if character in _MINUS or (character in _BANG and following.isalnum()):
        return Token(TokenKind.MINUS, character, start, start + 1)
    if character in _OPEN:
        return Token(TokenKind.OPEN, character, start, start + 1)
    if character in _CLOSE:
        return Token(TokenKind.CLOSE, character, start, start + 1)
    if character in CLOSERS:
        return _phrase(text, start)
    if pattern := PATTERN.match(text, start):
        return Token(TokenKind.PATTERN, pattern[0], start, pattern.end())
    end = start
    while end < len(text) and not _ends_word(text[end]):
        end += 1
    word = text[start:end]
    return Token(TokenKind.OR if word in _OR else TokenKind.WORD, word, start, end)


def _ends_word(character: str) -> bool:
    return character.isspace() or character in CLOSERS or character in _OPEN + _CLOSE


def _phrase(text: str, start: int) -> Token:
    """Read from a quotation mark to the one that closes it."""
    closers = CLOSERS[text[start]]
    for position in range(start + 1, len(text)):
        if text[position] in closers:
            return Token(TokenKind.PHRASE, text[start : position + 1], start, position + 1)
    raise QueryError(QueryProblem.UNCLOSED_QUOTE, start, text[start:])
