"""What the tables hold of a page, and how tokens are spelled there.

A text search vector of PostgreSQL keeps 256 places of a token at most, and places up to 16,383.
So its tokens have no places: phrases are found in `IndexRow.exact`, which holds the page's tokens
as one string.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from topics.search.analysis import GAP, HAN_START, analyse, title_names
from topics.search.document import Document

#: Between tokens that are passed as one string.
SEPARATOR = "\x1f"
#: Between title and body in `IndexRow.exact`.
END_OF_TITLE = "\f"
#: The token of a page whose tokens are too many for a vector.
LONG = "o"
#: A vector holds 1 MiB of tokens, a token 2,046 bytes.
MAX_BYTES, MAX_CHARACTERS = 1_000_000, 500
#: A word of the title counts this many times one of the text.
TITLE_TIMES = 10
_MOST_TIMES = 10_000


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One page.

    Attributes
    ----------
    length : int
        How many words the page has.
    words, times : list of int
        The number of each word, and how often it occurs; in the title it counts
        `TITLE_TIMES` times.
    exact : str
        The tokens of phrases as one string: two texts share a phrase if they share its string.
    lexemes : str
        Every token, each once, with `SEPARATOR` between them.
    is_long : bool
        The tokens are too many for a vector.
    """

    id: int
    topics: list[str]
    length: int
    words: list[int]
    times: list[int]
    exact: str
    lexemes: str
    is_long: bool


def row_of(document: Document) -> IndexRow:
    """Take a page apart."""
    title, body = analyse(document.title), analyse(document.body)
    titled, whole = set(title.words), {*title.words, *body.words}
    in_title, in_body = title.stream, body.stream
    lexemes = [lexeme("w", word) for word in whole]
    lexemes += [lexeme("t", word) for word in titled]
    lexemes += [lexeme("x", token) for token in {*in_title, *in_body} - {GAP}]
    lexemes += [lexeme("y", token) for token in set(in_title) - {GAP}]
    lexemes += [lexeme("n", name) for name in title_names(document.title)]
    times = Counter(map(number_of, body.words))
    for word in title.words:
        times[number_of(word)] += TITLE_TIMES
    joined = _storable(SEPARATOR.join(lexemes))
    return IndexRow(
        document.id,
        sorted(set(document.topics)),
        len(title.words) + len(body.words),
        list(times),
        [min(n, _MOST_TIMES) for n in times.values()],
        _storable(f"{_spelled(in_title)}{END_OF_TITLE}{_spelled(in_body)}"),
        joined,
        len(joined.encode()) > MAX_BYTES,
    )


def lexeme(field: str, token: str) -> str:
    """Return a token as it stands in the vector, behind the letter of its field."""
    return f"{field}{token[:MAX_CHARACTERS]}"


def number_of(word: str) -> int:
    """Return a number for a word, from 0 to 2**31 - 1; two words may share one."""
    return zlib.crc32(word.encode("utf-8", "replace")) >> 1


def _spelled(stream: Iterable[str]) -> str:
    """Write a text's tokens so that a phrase in it is a part of the string.

    A Chinese character is written as it stands, with a bar behind the last one of a run; any
    other word has a blank on each side.
    """
    return "".join(map(_one, stream))


def _one(token: str) -> str:
    if token == GAP:
        return "\n"
    if not HAN_START.match(token):
        return f" {token} "
    # A pair stands for its first character: the next token begins with the second.
    return token[0] if len(token) > 1 else f"{token}|"


def spelled_phrase(tokens: Sequence[str]) -> str:
    """Write the tokens of a phrase as they are written in a text that holds them."""
    *before, last = tokens
    # What follows the phrase is unknown: the run may go on.
    return _spelled(before) + (last if HAN_START.match(last) else _one(last))


def _storable(text: str) -> str:
    """Replace halves of characters, which UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode()
