"""A query's tree as Whoosh queries.

Whoosh finds and scores words. Exclusions, sets of pages and groups that hold
them are worked out as sets of page numbers: in Whoosh 2.7.4 AndNot lets the
first page through at times, and Require does what AndNot does.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from whoosh.query import And as AllOf
from whoosh.query import AndMaybe, Every, Or, Phrase, Prefix, Term
from whoosh.query import Query as WhooshQuery
from whoosh.searching import Searcher

from topics.search import tree
from topics.search.analysis import name_of, query_words
from topics.search.finding import Finding, finding_of, is_of_clauses
from topics.search.query import Query

#: A find by characters alone counts less than one by words.
EXACT_BOOST = 0.5
#: A word of the title counts this much more than one of the text.
TITLE_BOOST = 2.0
#: A page that is called what is looked for comes first.
NAME_BOOST = 6.0


@dataclass(frozen=True, slots=True)
class Plan:
    """A query taken apart: what is scored, and which page numbers it leaves.

    `allowed` is None if it leaves all; `ids` are sets of page keys, each of which must hold one.
    """

    scored: WhooshQuery
    allowed: set[int] | None
    refused: set[int]
    ids: tuple[frozenset[int], ...]


def make_plan(query: Query, searcher: Searcher) -> Plan:
    """Take a query apart for one state of the index."""
    top = query.tree.parts if isinstance(query.tree, tree.And) else (query.tree,)
    allowed: set[int] | None = None
    refused: set[int] = set()
    scored, ids = [], []
    for part in top:
        match part:
            case tree.Ids(keys):
                ids.append(keys)
            case tree.Not(excluded):
                refused |= matching(excluded, searcher)
            case _ if is_of_clauses(part):
                scored.append(_scored(part))
            case _:
                found = matching(part, searcher)
                allowed = found if allowed is None else allowed & found
    if not scored:
        scored = [_joined(Or, [Every("key"), *map(_clause, query.wanted)])]
    return Plan(_with_titles(_joined(AllOf, scored), query), allowed, refused, tuple(ids))


def matching(node: tree.Node, searcher: Searcher) -> set[int]:
    """Return the numbers of the pages for which a part of a query holds."""
    match node:
        case tree.Not(part):
            return _all_pages(searcher) - matching(part, searcher)
        case tree.And(parts):
            return set.intersection(*(matching(part, searcher) for part in parts))
        case tree.Or(parts):
            return set.union(*(matching(part, searcher) for part in parts))
        case tree.Ids(ids):
            return {page for page, key in keys_of(searcher) if key in ids}
        case tree.Clause():
            return set(searcher.docs_for_query(_clause(node)))
        case tree.Fact():
            raise TypeError(f"{node.text} was not resolved to pages")


def keys_of(searcher: Searcher) -> Iterator[tuple[int, int]]:
    """Yield each page's number and its key."""
    reader = searcher.reader()
    if not reader.doc_count():
        return iter(())
    column = reader.column_reader("key")
    return ((page, column[page]) for page in reader.all_doc_ids())


def topics_query(topics: Collection[str]) -> WhooshQuery:
    """Return what finds the pages of any of some topics."""
    return _joined(Or, [Term("topics", topic) for topic in sorted(topics)])


def _all_pages(searcher: Searcher) -> set[int]:
    return set(searcher.reader().all_doc_ids())


def _scored(node: tree.Node) -> WhooshQuery:
    match node:
        case tree.And(parts):
            return _joined(AllOf, [_scored(part) for part in parts])
        case tree.Or(parts):
            return _joined(Or, [_scored(part) for part in parts])
        case tree.Clause():
            return _clause(node)
        case _:
            raise TypeError(f"{type(node).__name__} is not scored")


def _joined(kind: type[WhooshQuery], parts: list[WhooshQuery]) -> WhooshQuery:
    return parts[0] if len(parts) == 1 else kind(parts)


def _with_titles(found: WhooshQuery, query: Query) -> WhooshQuery:
    """Raise the pages whose title holds the words, and those that are called so."""
    words = {word for clause in query.typed for word in query_words(clause.text)}
    bonus = [Term("title", word, boost=TITLE_BOOST) for word in sorted(words)]
    name = name_of(" ".join(clause.text for clause in query.typed))
    if name:
        bonus.append(Term("name", name, boost=NAME_BOOST))
    return AndMaybe(found, _joined(Or, bonus)) if bonus else found


def _clause(clause: tree.Clause) -> WhooshQuery:
    found = _unweighted(clause)
    found.boost = found.boost * clause.weight
    return found


def _unweighted(clause: tree.Clause) -> WhooshQuery:
    words_field, exact_field = ("title", "title_exact") if clause.in_title else ("words", "exact")
    finding = finding_of(clause)
    ways = []
    if finding.words:
        ways.append(_joined(AllOf, [Term(words_field, word) for word in finding.words]))
    if finding.exact:
        exact = _in_a_row(exact_field, finding)
        exact.boost = EXACT_BOOST if finding.words else 1.0
        ways.append(exact)
    return _joined(Or, ways)


def _in_a_row(field: str, finding: Finding) -> WhooshQuery:
    """Find tokens side by side; where a run begins, its first character stands alone too."""
    if len(finding.exact) > 1:
        return Phrase(field, list(finding.exact))
    return (Prefix if finding.is_open else Term)(field, finding.exact[0])
