"""A query's tree as tantivy queries."""

from collections.abc import Collection, Sequence

from tantivy import Occur, Schema
from tantivy import Query as Found

from topics.search import tree
from topics.search.analysis import normalised_title, query_words
from topics.search.finding import Finding, finding_of
from topics.search.query import Query

#: A find by characters alone counts less than one by words.
EXACT_BOOST = 0.5
#: A word of the title counts this much more than one of the text.
TITLE_BOOST = 2.0
#: A page that is called what is looked for comes first.
NAME_BOOST = 6.0


def make_query(query: Query, topics: Collection[str] | None, schema: Schema) -> Found:
    """Return what finds and scores the pages for which a query holds, in any of some topics."""
    parts = [(Occur.Must, _found(query.tree, schema))]
    if topics is not None:
        kept = [Found.term_query(schema, "topics", topic) for topic in sorted(topics)]
        parts.append((Occur.Must, Found.const_score_query(_any(kept), 0.0)))
    words = {word for clause in query.typed for word in query_words(clause.text)}
    for word in sorted(words):
        title = Found.term_query(schema, "title", word, "freq")
        parts.append((Occur.Should, Found.boost_query(title, TITLE_BOOST)))
    name = normalised_title(" ".join(clause.text for clause in query.typed))
    if name:
        called = Found.term_query(schema, "name", name)
        parts.append((Occur.Should, Found.boost_query(called, NAME_BOOST)))
    return Found.boolean_query(parts)


def _found(node: tree.Node, schema: Schema) -> Found:
    match node:
        case tree.And(parts):
            return _all([_found(part, schema) for part in parts])
        case tree.Or(parts):
            return _any([_found(part, schema) for part in parts])
        case tree.Not(part):
            everything = Found.const_score_query(Found.all_query(), 0.0)
            return Found.boolean_query(
                [(Occur.Must, everything), (Occur.MustNot, _found(part, schema))]
            )
        case tree.Ids(ids):
            if not ids:
                return Found.empty_query()
            pages = Found.term_set_query(schema, "id", sorted(ids))
            return Found.const_score_query(pages, 0.0)
        case tree.Clause():
            return Found.boost_query(_clause(node, schema), node.weight)
        case tree.Fact():
            raise TypeError(f"{node.text} was not resolved to pages")


def _clause(clause: tree.Clause, schema: Schema) -> Found:
    words_field, exact_field = ("title", "title_exact") if clause.in_title else ("words", "exact")
    finding = finding_of(clause)
    ways = []
    if finding.words:
        words = [Found.term_query(schema, words_field, word, "freq") for word in finding.words]
        ways.append(_all(words))
    if finding.exact:
        exact = _in_a_row(finding, exact_field, schema)
        ways.append(Found.boost_query(exact, EXACT_BOOST) if finding.words else exact)
    return _any(ways)


def _in_a_row(finding: Finding, field: str, schema: Schema) -> Found:
    """Find tokens side by side; where a run begins, its first character stands alone too."""
    if len(finding.exact) > 1:
        return Found.phrase_query(schema, field, list(finding.exact))
    (token,) = finding.exact
    if finding.is_open:
        # Letters and digits only: nothing in it means anything to a regular expression.
        return Found.regex_query(schema, field, f"{token}.*")
    return Found.term_query(schema, field, token)


def _all(parts: Sequence[Found]) -> Found:
    return parts[0] if len(parts) == 1 else Found.boolean_query([(Occur.Must, p) for p in parts])


def _any(parts: Sequence[Found]) -> Found:
    return parts[0] if len(parts) == 1 else Found.boolean_query([(Occur.Should, p) for p in parts])
