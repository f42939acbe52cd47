"""A query's tree as SQL.

The index of vectors answers which pages hold some tokens. Whether the tokens of a phrase follow
one another is tested page by page. So each part of a query has two bounds: what certainly holds
it, and what may. Only the pages between the bounds are tested.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from topics.search import tree
from topics.search.finding import Finding, finding_of
from topics.search.postgres.rows import END_OF_TITLE, LONG, lexeme, spelled_phrase

#: The title alone, of the tokens as one string.
_TITLE = f"split_part(exact, E'\\x{ord(END_OF_TITLE):02x}', 1)"
_LONG = f"'{LONG}'"


@dataclass(slots=True)
class Condition:
    """A condition on a row, and its values in order."""

    sql: str
    values: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Text search queries around a part of a query.

    Attributes
    ----------
    sure : str
        Every page it finds holds the part; "" finds none.
    possible : str
        Every page that holds the part is found by it; "" finds all.
    """

    sure: str
    possible: str

    @property
    def between(self) -> str:
        """What finds the pages that have to be tested."""
        if self.sure == self.possible:
            return ""
        return _all_of([self.possible, _none_of(self.sure)])


def conditions(query: tree.Node, table: str) -> list[Condition]:
    """Return conditions of which each page that a query finds meets exactly one."""
    parts = query.parts if isinstance(query, tree.And) else (query,)
    also = [_holds(part, table) for part in parts if not _has_clause(part)]
    texts = tuple(part for part in parts if _has_clause(part))
    if not texts:
        return [_all(also)]
    text = texts[0] if len(texts) == 1 else tree.And(texts)
    bounds = _bounds(text)
    if not bounds.possible:
        return [_all([_holds(text, table, is_apart=True), *also])]
    tested = _matches(_any_of([bounds.between, _LONG]))
    made = [_all([tested, _holds(text, table), *also])]
    if bounds.sure:
        # Nothing in the vector of a long page says what it holds.
        made.insert(0, _all([_matches(_all_of([bounds.sure, f"!{_LONG}"])), *also]))
    return made


def named(name: str) -> Condition:
    """Return the pages that are called so."""
    return _matches(_quoted("n", name))


def _has_clause(node: tree.Node) -> bool:
    return any(isinstance(leaf, tree.Clause) for leaf, _ in tree.leaves(node))


def _bounds(node: tree.Node) -> Bounds:
    match node:
        case tree.And(parts):
            some = [_bounds(part) for part in parts]
            sure = _all_of([one.sure for one in some]) if all(one.sure for one in some) else ""
            return Bounds(sure, _all_of([one.possible for one in some]))
        case tree.Or(parts):
            some = [_bounds(part) for part in parts]
            is_bounded = all(one.possible for one in some)
            possible = _any_of([one.possible for one in some]) if is_bounded else ""
            return Bounds(_any_of([one.sure for one in some]), possible)
        case tree.Not(part):
            inner = _bounds(part)
            return Bounds(_none_of(inner.possible), _none_of(inner.sure))
        case tree.Clause():
            return _bounds_of_clause(node)
        case _:
            return Bounds("", "")


def _bounds_of_clause(clause: tree.Clause) -> Bounds:
    finding, (words, exact) = finding_of(clause), _fields(clause)
    by_words = _all_of([_quoted(words, word) for word in finding.words])
    possible = _any_of([by_words, _tokens(finding, exact)])
    return Bounds(possible if len(finding.exact) < 2 else by_words, possible)


def _tokens(finding: Finding, field_: str) -> str:
    """The query for pages that hold the tokens of a phrase anywhere."""
    tokens = [_quoted(field_, token) for token in finding.exact]
    if len(tokens) == 1 and finding.is_open:
        return f"{tokens[0]}:*"
    # Of a last lone character every token that begins so would have to be looked up.
    return _all_of(tokens[:-1] if finding.is_open else tokens)


def _all_of(some: Sequence[str]) -> str:
    """The text search query for pages that all of some find; "" is left out."""
    return _grouped(some, " & ")


def _any_of(some: Sequence[str]) -> str:
    return _grouped(some, " | ")


def _none_of(one: str) -> str:
    return f"!{one}" if one else ""


def _grouped(some: Sequence[str], sign: str) -> str:
    found = [one for one in some if one]
    return f"({sign.join(found)})" if len(found) > 1 else "".join(found)


def _holds(node: tree.Node, table: str, *, is_apart: bool = False) -> Condition:
    """The condition that a page holds a part of a query.

    With `is_apart` the pages of each word or phrase are looked up on their own: better if
    nothing else says which pages to test.
    """
    match node:
        case tree.And(parts):
            return _all([_holds(part, table, is_apart=is_apart) for part in parts])
        case tree.Or(parts):
            return _joined([_holds(part, table, is_apart=is_apart) for part in parts], " OR ")
        case tree.Not(part):
            inner = _holds(part, table, is_apart=is_apart)
            return Condition(f"NOT ({inner.sql})", inner.values)
        case tree.Ids(ids):
            return Condition("id = ANY (%s::bigint[])", [sorted(ids)])
        case tree.Clause():
            held = _clause(node)
            if not is_apart:
                return held
            found = _matches(_any_of([_bounds_of_clause(node).possible, _LONG]))
            pages = _all([found, held])
            return Condition(f"id IN (SELECT id FROM {table} WHERE {pages.sql})", pages.values)
        case tree.Fact():
            raise TypeError(f"{node.text} was not resolved to pages")


def _clause(clause: tree.Clause) -> Condition:
    finding, (words, exact) = finding_of(clause), _fields(clause)
    ways = []
    if finding.words:
        ways.append(_all_held([lexeme(words, word) for word in finding.words]))
    if len(finding.exact) > 1:
        text = _TITLE if clause.in_title else "exact"
        ways.append(Condition(f"strpos({text}, %s) > 0", [spelled_phrase(finding.exact)]))
    elif finding.exact and finding.is_open:
        ways.append(_begun(lexeme(exact, finding.exact[0])))
    elif finding.exact:
        ways.append(_all_held([lexeme(exact, finding.exact[0])]))
    return _joined(ways, " OR ")


def _all_held(lexemes: Sequence[str]) -> Condition:
    in_vector = _matches(_all_of([f"'{one}'" for one in lexemes]))
    in_long = Condition("long @> %s::text[]", [list(lexemes)])
    return _joined([in_vector, in_long], " OR ")


def _begun(beginning: str) -> Condition:
    in_vector = _matches(f"'{beginning}':*")
    in_long = Condition(
        "EXISTS (SELECT FROM unnest(long) AS token WHERE starts_with(token, %s))", [beginning]
    )
    return _joined([in_vector, in_long], " OR ")


def _fields(clause: tree.Clause) -> tuple[str, str]:
    """The letters of the fields of words and of exact tokens."""
    return ("t", "y") if clause.in_title else ("w", "x")


def _matches(text_query: str) -> Condition:
    return Condition("lexemes @@ %s::tsquery", [text_query])


def _quoted(field_: str, token: str) -> str:
    # Tokens hold no quotation mark and no backslash.
    return f"'{lexeme(field_, token)}'"


def _all(some: Sequence[Condition]) -> Condition:
    return _joined(some, " AND ")


def _joined(some: Sequence[Condition], word: str) -> Condition:
    sql = word.join(f"({one.sql})" for one in some)
    return Condition(sql, [value for one in some for value in one.values])
