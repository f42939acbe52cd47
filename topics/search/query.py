"""The query language: text to a tree no engine knows.

    query   = all ("OR" all)*
    all     = part+
    part    = ["-"] ("(" query ")" | "phrase" | word | word* | field:value | /pattern/)

Whatever the language does not have is an error with its position. Nothing is
dropped quietly, because a person would take the wrong answer for the right one.
"""

import re
import unicodedata
from dataclasses import dataclass, replace

from crawler.api.text import HAN, fold
from topics.search.errors import QueryError
from topics.search.fields import find_field, is_chinese, names_of, nearest_field, read_value
from topics.search.lexer import PATTERN, Token, TokenKind, tokens_of
from topics.search.pattern_states import SYNTAX, PatternError
from topics.search.patterns import LinearPattern
from topics.search.problems import QueryProblem
from topics.search.tree import And, Clause, Fact, Field, Leaf, Node, Not, Or, Pattern, leaves

MAX_CHARACTERS = 256
MAX_TERMS = 32
MAX_DEPTH = 10

#: Checked in this order; the first that fits names the problem.
_OPERATORS = (
    (re.compile(r"AND\Z|&&\Z"), QueryProblem.AND),
    (re.compile(r"NOT\Z"), QueryProblem.NOT),
    (re.compile(r".*[\[\]{}]"), QueryProblem.BRACKET),
    (re.compile(r"/.+/\w*\Z"), QueryProblem.REGEX),
    (re.compile(r".*[*＊].|[*＊]|.*\w[?？]\w"), QueryProblem.WILDCARD),
    (re.compile(r"\+\w"), QueryProblem.PLUS),
    (re.compile(r".*\w[~^][\d.]*\Z|~\w"), QueryProblem.FUZZY),
)
_NAMED = re.compile(r"([^\W\d_]\w*)([:：])(.*)", re.DOTALL)
_ADDRESS = re.compile(r"https?://([^\s/?#@:\[\]]*)", re.IGNORECASE)
_STAR = "*＊"
_CONDITIONS = (TokenKind.WORD, TokenKind.PHRASE, TokenKind.PATTERN)


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was typed, and what it says."""

    text: str
    tree: Node

    @property
    def wanted(self) -> tuple[Clause, ...]:
        """The words and phrases that a page is to hold, in order."""
        return tuple(leaf for leaf in self._leaves(True) if isinstance(leaf, Clause))

    @property
    def typed(self) -> tuple[Clause, ...]:
        """The same without what was added to them, which weighs less."""
        return tuple(clause for clause in self.wanted if clause.weight >= 1)

    @property
    def unwanted(self) -> tuple[Clause, ...]:
        """The words and phrases that a page is not to hold, in order."""
        return tuple(leaf for leaf in self._leaves(False) if isinstance(leaf, Clause))

    def _leaves(self, wanted: bool) -> list[Leaf]:
        return [leaf for leaf, is_wanted in leaves(self.tree) if is_wanted is wanted]


def parse_query(text: str) -> Query:
    """Read a query, in time linear in its length.

    Parameters
    ----------
    text : str
        At most `MAX_CHARACTERS` characters and `MAX_TERMS` conditions.

    Returns
    -------
    Query
        With at least one condition that is not an exclusion.

    Raises
    ------
    QueryError
        If the text is empty, too long, or holds something the language does not
        have; it carries the position.
    """
    if len(text) > MAX_CHARACTERS:
        raise QueryError(QueryProblem.TOO_LONG, MAX_CHARACTERS, text[MAX_CHARACTERS:][:20])
    _refuse_bad_characters(text)
    tokens = tokens_of(text)
    if not tokens:
        raise QueryError(QueryProblem.EMPTY, 0, "")
    _refuse_too_many(tokens)
    parser = _Parser(text, tokens)
    tree = parser.whole()
    if not any(is_wanted for _, is_wanted in leaves(tree)):
        raise QueryError(QueryProblem.ONLY_EXCLUDED, tokens[0].start, tokens[0].text)
    return Query(text, tree)


def is_query(text: str) -> bool:
    """Return whether a text can be read as a query."""
    try:
        parse_query(text)
    except QueryError:
        return False
    return True


def _refuse_bad_characters(text: str) -> None:
    for position, character in enumerate(text):
        # Controls, lone surrogates, code points without a character.
        if unicodedata.category(character) in {"Cc", "Cs", "Cn"} and not character.isspace():
            raise QueryError(QueryProblem.BAD_CHARACTER, position, repr(character)[1:-1])


def _refuse_too_many(tokens: list[Token]) -> None:
    conditions = [token for token in tokens if token.kind in _CONDITIONS]
    if len(conditions) > MAX_TERMS:
        extra = conditions[MAX_TERMS]
        raise QueryError(QueryProblem.TOO_MANY_TERMS, extra.start, extra.text)


class _Parser:
    """Reads tokens from left to right; each is read once."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def whole(self) -> Node:
        tree = self._any_of(None)
        if (extra := self._peek()) is not None:
            raise QueryError(QueryProblem.UNOPENED_GROUP, extra.start, extra.text)
        return tree

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _any_of(self, opened: Token | None) -> Node:
        parts = [self._all_of(opened, None)]
        while (token := self._peek()) is not None and token.kind is TokenKind.OR:
            parts.append(self._all_of(opened, self._take()))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all_of(self, opened: Token | None, after: Token | None) -> Node:
        parts: list[Node] = []
        while (token := self._peek()) is not None:
            if token.kind in (TokenKind.OR, TokenKind.CLOSE):
                break
            parts.append(self._part())
        if not parts:
            lonely = after or token
            if lonely is not None and lonely.kind is TokenKind.OR:
                raise QueryError(QueryProblem.LONELY_OR, lonely.start, lonely.text)
            shown = opened or lonely
            assert shown is not None, "an empty query was refused before"
            problem = QueryProblem.EMPTY_GROUP if opened else QueryProblem.UNOPENED_GROUP
            raise QueryError(problem, shown.start, shown.text)
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _part(self) -> Node:
        token = self._take()
        match token.kind:
            case TokenKind.MINUS:
                return self._excluded(token)
            case TokenKind.OPEN:
                return self._group(token)
            case TokenKind.PHRASE:
                return _clause(token, token.inner, is_phrase=True)
            case TokenKind.PATTERN:
                return _pattern(token)
            case _:
                return self._word(token)

    def _excluded(self, minus: Token) -> Node:
        following = self._peek()
        kinds = (*_CONDITIONS, TokenKind.OPEN)
        if following is None or following.kind not in kinds or following.start != minus.end:
            raise QueryError(QueryProblem.LONELY_MINUS, minus.start, minus.text)
        return Not(self._part())

    def _group(self, opening: Token) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise QueryError(QueryProblem.TOO_DEEP, opening.start, opening.text)
        tree = self._any_of(opening)
        if self._peek() is None:
            raise QueryError(
                QueryProblem.UNCLOSED_GROUP, opening.start, self._text[opening.start :][:20]
            )
        self._take()
        self._depth -= 1
        return tree

    def _word(self, token: Token) -> Node:
        if address := _ADDRESS.match(token.text):
            hint = f"site:{address[1]}, url:{token.text}" if address[1] else ""
            raise QueryError(QueryProblem.ADDRESS, token.start, token.text, hint=hint)
        named = _NAMED.fullmatch(token.text)
        # Addresses hold signs of all kinds.
        if not (named and find_field(named[1]) is Field.URL):
            _refuse_operators(token)
        if named:
            name, colon, value = named.groups()
            field = find_field(name)
            if field is not None:
                return self._condition(token, name, field, value)
            # In Chinese a wide colon is punctuation inside a sentence.
            if colon == ":" and (value or self._is_glued_phrase(token)):
                raise _unknown_field(token, name)
        return _plain(token)

    def _is_glued_phrase(self, token: Token) -> bool:
        following = self._peek()
        return (
            following is not None
            and following.kind is TokenKind.PHRASE
            and following.start == token.end
        )

    def _condition(self, token: Token, name: str, field: Field, value: str) -> Node:
        phrase = None
        if not value and self._is_glued_phrase(token):
            phrase = self._take()
            value = phrase.inner
        if not value.strip():
            raise QueryError(QueryProblem.EMPTY_VALUE, token.start, token.text)
        end = phrase.end if phrase else token.end
        start = phrase.start if phrase else token.end - len(value)
        typed = self._text[token.start : end]
        if field in (Field.TITLE, Field.TEXT):
            if phrase is not None:
                clause = _clause(phrase, value, is_phrase=True)
            else:
                clause = _plain(Token(TokenKind.WORD, value, start, end))
            if field is Field.TEXT:
                return Fact(field, replace(clause, position=0), typed, token.start)
            return replace(clause, position=start, in_title=True)
        read = read_value(field, value, start, chinese=is_chinese(name))
        return Fact(field, read, typed, token.start)


def _refuse_operators(token: Token) -> None:
    for pattern, problem in _OPERATORS:
        if pattern.match(token.text):
            raise QueryError(problem, token.start, token.text)


def _pattern(token: Token) -> Fact:
    """A regular expression on titles and addresses."""
    found = PATTERN.fullmatch(token.text)
    assert found is not None, "the lexer found it"
    text, flags = found.groups()
    if flags not in ("", "i"):
        raise QueryError(QueryProblem.REGEX, token.start, token.text)
    try:
        LinearPattern(text)
    except PatternError as error:
        if error.is_large:
            problem, hint = QueryProblem.LARGE_REGEX, ""
        else:
            problem, hint = QueryProblem.BAD_REGEX, SYNTAX
        at = token.start + 1 + error.position
        raise QueryError(problem, at, error.found, hint=hint) from error
    return Fact(Field.PATTERN, Pattern(text, flags == "i"), token.text, token.start)


def _plain(token: Token) -> Clause:
    """A word, or the beginning of one if a star follows."""
    if token.text[-1] not in _STAR:
        return _clause(token, token.text)
    stem = token.text[:-1]
    clause = _clause(token, stem, is_prefix=True)
    if not re.fullmatch(rf"[^\W_]{{2,}}|[{HAN}]", fold(stem)):
        raise QueryError(QueryProblem.SHORT_PREFIX, token.start, token.text)
    if re.fullmatch(rf".*[{HAN}][^{HAN}]+", fold(stem)):
        # A phrase that ends with the beginning of a word: not every engine can look for it.
        raise QueryError(QueryProblem.MIXED_PREFIX, token.start, token.text)
    return clause


def _clause(token: Token, text: str, *, is_phrase: bool = False, is_prefix: bool = False) -> Clause:
    # Folded, as some marks count as letters only until then.
    if not re.search(r"[^\W_]", fold(text)):
        raise QueryError(QueryProblem.NOTHING_TO_FIND, token.start, token.text)
    return Clause(text, is_phrase, token.start, is_prefix)


def _unknown_field(token: Token, name: str) -> QueryError:
    near = nearest_field(name)
    hint = f"{near}:" if near else names_of(Field, chinese=is_chinese(name))
    return QueryError(QueryProblem.FIELD, token.start, token.text, hint=hint)
