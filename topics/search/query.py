"""The query language: words, "phrases" and -exclusions, as a tree no engine knows.

Whatever the language does not have is an error with its position. Nothing is
dropped quietly, because a person would take the wrong answer for the right one.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from crawler.text.fold import fold
from topics.search.errors import QueryError
from topics.search.problems import Problem

MAX_CHARACTERS = 256
MAX_TERMS = 32

_MINUS = "-－−"
#: Opening quotation mark -> all that close it.
_CLOSERS = dict.fromkeys('"“”„＂', '"“”„＂') | {"「": "」", "『": "』"}
_FIELDS = (
    "title|text|url|site|topic|term|lang|tag|author|list|rule|is|has|score|fresh|link|content"
    "|pub|seen|age|before|after|标题|正文|网址|站点|主题|术语|语言|标签|作者"
)
#: Looked at in this order; the first that fits names the problem.
_OPERATORS = (
    (re.compile(r"OR\Z|\|\|?\Z"), Problem.OR),
    (re.compile(r"AND\Z|&&\Z"), Problem.AND),
    (re.compile(r"NOT\Z|[!！]\w"), Problem.NOT),
    (re.compile(r".*[()（）]"), Problem.PARENTHESIS),
    (re.compile(r".*[\[\]{}]"), Problem.BRACKET),
    (re.compile(r"/.+/\w*\Z"), Problem.REGEX),
    (re.compile(r".*[*＊]|.*\w[?？]\w"), Problem.WILDCARD),
    (re.compile(rf"[^\W\d_]\w*:.|(?:{_FIELDS})[:：]", re.IGNORECASE), Problem.FIELD),
    (re.compile(r"\+\w"), Problem.PLUS),
    (re.compile(r".*\w[~^][\d.]*\Z|~\w"), Problem.FUZZY),
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One word or phrase of a query.

    Attributes
    ----------
    text : str
        As typed, without quotation marks and minus; holds a letter, digit or character.
    is_phrase : bool
        It stood between quotation marks: its words must follow one another.
    position : int
        Index of its first character (minus and mark included) in the query.
    """

    text: str
    is_phrase: bool = False
    position: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: a page must hold all of `wanted` and nothing of `unwanted`."""

    text: str
    wanted: tuple[Clause, ...]
    unwanted: tuple[Clause, ...] = ()


def parse_query(text: str) -> Query:
    """Read a query.

    Parameters
    ----------
    text : str
        At most `MAX_CHARACTERS` characters and `MAX_TERMS` words or phrases.

    Returns
    -------
    Query
        With at least one wanted clause.

    Raises
    ------
    QueryError
        If the text is empty, too long, or holds something the language does not
        have; it carries the position.
    """
    if len(text) > MAX_CHARACTERS:
        raise QueryError(Problem.TOO_LONG, MAX_CHARACTERS, text[MAX_CHARACTERS:][:20])
    _refuse_bad_characters(text)
    clauses = list(_clauses(text))
    if not clauses:
        raise QueryError(Problem.EMPTY, 0, "")
    if len(clauses) > MAX_TERMS:
        extra = clauses[MAX_TERMS][0]
        raise QueryError(Problem.TOO_MANY_TERMS, extra.position, extra.text)
    wanted = tuple(clause for clause, is_negative in clauses if not is_negative)
    unwanted = tuple(clause for clause, is_negative in clauses if is_negative)
    if not wanted:
        raise QueryError(Problem.ONLY_EXCLUDED, unwanted[0].position, unwanted[0].text)
    return Query(text, wanted, unwanted)


def _refuse_bad_characters(text: str) -> None:
    for position, character in enumerate(text):
        # Controls, lone surrogates, code points without a character.
        if unicodedata.category(character) in {"Cc", "Cs", "Cn"} and not character.isspace():
            raise QueryError(Problem.BAD_CHARACTER, position, repr(character)[1:-1])


def _clauses(text: str) -> Iterator[tuple[Clause, bool]]:
    """Yield each clause and whether a minus stood before it."""
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        start = position
        is_negative = text[position] in _MINUS
        position += is_negative
        if is_negative and (text[position : position + 1] or " ")[0] in f" \t\n\u3000{_MINUS}":
            raise QueryError(Problem.LONELY_MINUS, start, text[start])
        is_phrase = text[position] in _CLOSERS
        body, position = _phrase(text, position) if is_phrase else _word(text, position)
        # Folded, as some marks count as letters only until then.
        if not re.search(r"[^\W_]", fold(body)):
            raise QueryError(Problem.NOTHING_TO_FIND, start, text[start:position])
        yield Clause(body, is_phrase, start), is_negative


def _phrase(text: str, start: int) -> tuple[str, int]:
    """Read from a quotation mark to the one that closes it."""
    closers = _CLOSERS[text[start]]
    for position in range(start + 1, len(text)):
        if text[position] in closers:
            return text[start + 1 : position], position + 1
    raise QueryError(Problem.UNCLOSED_QUOTE, start, text[start:])


def _word(text: str, start: int) -> tuple[str, int]:
    """Read up to white space or a quotation mark."""
    end = start
    while end < len(text) and not text[end].isspace() and text[end] not in _CLOSERS:
        end += 1
    word = text[start:end]
    for pattern, problem in _OPERATORS:
        if pattern.match(word):
            raise QueryError(problem, start, word)
    return word, end
