"""How a word or phrase of a query is found: the same for every engine."""

from dataclasses import dataclass

from topics.search.analysis import HAN_START, phrase_tokens, query_words
from topics.search.tree import And, Clause, Node, Or


@dataclass(frozen=True, slots=True)
class Finding:
    """A page holds a clause if it holds all `words`, or the tokens of `exact` in a row.

    Attributes
    ----------
    words : tuple of str
        Each is one of `index_words`; empty if only `exact` finds it.
    exact : tuple of str
        As `exact_tokens` gives them; empty if only `words` find it.
    is_open : bool
        Any token will do that begins as the last of `exact`.
    """

    words: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    is_open: bool = False


def finding_of(clause: Clause) -> Finding:
    """Say how a clause is found."""
    tokens = tuple(phrase_tokens(clause.text))
    is_han = bool(HAN_START.match(tokens[-1]))
    # What follows a last lone character is unknown: in the page it may be half of a pair.
    is_open = is_han and len(tokens[-1]) == 1
    if clause.is_prefix:
        return Finding(exact=tokens, is_open=is_open or not is_han)
    if clause.is_phrase or (is_open and len(tokens) == 1):
        return Finding(exact=tokens, is_open=is_open)
    words = tuple(query_words(clause.text))
    if len(words) == 1 and clause.text.isascii():
        return Finding(words)
    # The page's text may be cut elsewhere than the query's: 生命 is not a word of 研究生命题,
    # yet it is there.
    return Finding(words, tokens, is_open)


def is_of_clauses(node: Node) -> bool:
    """Return whether a part of a query is made of words and phrases alone, without exclusions."""
    match node:
        case And(parts) | Or(parts):
            return all(map(is_of_clauses, parts))
        case _:
            return isinstance(node, Clause)
