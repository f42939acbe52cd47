"""A parsed query as Whoosh queries.

Exclusions and topics are queries of their own, applied as sets: in Whoosh 2.7.4
AndNot lets the first page through at times, and Require does what AndNot does.
"""

from collections.abc import Collection

from whoosh.query import And, Or, Phrase, Prefix, Term
from whoosh.query import Query as WhooshQuery

from topics.search.analysis import is_single_han, phrase_tokens, query_words
from topics.search.query import Clause, Query

#: A find by characters alone counts less than one by words.
EXACT_BOOST = 0.5


def wanted_query(query: Query) -> WhooshQuery:
    """Return what finds and scores the pages that hold all wanted clauses."""
    return _joined(And, [_clause(clause) for clause in query.wanted])


def unwanted_query(query: Query) -> WhooshQuery | None:
    """Return what finds the pages that hold an unwanted clause; None without any."""
    if not query.unwanted:
        return None
    return _joined(Or, [_clause(clause) for clause in query.unwanted])


def topics_query(topics: Collection[str]) -> WhooshQuery:
    """Return what finds the pages of any of some topics."""
    return _joined(Or, [Term("topics", topic) for topic in sorted(topics)])


def _joined(kind: type[WhooshQuery], parts: list[WhooshQuery]) -> WhooshQuery:
    return parts[0] if len(parts) == 1 else kind(parts)


def _clause(clause: Clause) -> WhooshQuery:
    if is_single_han(clause.text):
        return Prefix("exact", phrase_tokens(clause.text)[0])
    tokens = phrase_tokens(clause.text)
    exact = Phrase("exact", tokens) if len(tokens) > 1 else Term("exact", tokens[0])
    if clause.is_phrase:
        return exact
    words = query_words(clause.text)
    by_words = _joined(And, [Term("words", word) for word in words])
    if len(words) == 1 and clause.text.isascii():
        return by_words
    # The page's text may have been cut into words elsewhere than the query's:
    # 生命 is no word of 研究生命题, yet it is there.
    exact.boost = EXACT_BOOST
    return Or([by_words, exact])
