"""A query's tree as an FTS5 expression and SQL."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from topics.search import tree
from topics.search.analysis import normalised_title
from topics.search.finding import Finding, finding_of, is_of_clauses
from topics.search.query import Query

#: The beginning of a token that FTS5's own tokenizer takes for one token and leaves as it is.
_PLAIN = re.compile("[a-z0-9]+|[\u4e00-\u9fff]+|")
_ALL_PAGES = "SELECT rowid FROM pages"


@dataclass(slots=True)
class Statement:
    """Conditions on a row, whose number is the page's id, and their values in order."""

    match: str = ""
    conditions: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, condition: str, values: Collection[Any] = ()) -> None:
        """Add one more condition."""
        self.conditions.append(condition)
        self.values.extend(values)

    @property
    def source(self) -> str:
        """The table whose rows are tested."""
        return "text" if self.match else "pages"


def encode(token: str) -> str:
    """Spell a token so that SQLite's tokenizer neither splits nor folds it.

    What begins alike stays alike, so that beginnings can be looked for: caf* finds café.
    """
    found = _PLAIN.match(token)
    plain = found[0] if found else ""
    rest = token[len(plain) :]
    return f"{plain}_{rest.encode('utf-8', 'replace').hex()}" if rest else plain


def make_statement(query: Query, topics: Collection[str] | None) -> Statement:
    """Take a query apart: words go to FTS5, sets of pages to SQL."""
    top = query.tree.parts if isinstance(query.tree, tree.And) else (query.tree,)
    statement = Statement()
    wanted = [expression(part) for part in top if is_of_clauses(part)]
    if wanted:
        statement.match = " AND ".join(wanted)
        statement.add("text MATCH ?", [statement.match])
    for part in top:
        if not is_of_clauses(part):
            pages, values = _pages(part)
            statement.add(f"+rowid IN ({pages})", values)
    if topics is not None:
        marks = ", ".join("?" * len(topics))
        # Tested for each page found: a set of all kept pages would be made for every search.
        kept = f"SELECT 1 FROM kept WHERE page = {statement.source}.rowid AND topic IN ({marks})"
        statement.add(f"EXISTS ({kept})", sorted(topics))
    return statement


def named(query: Query) -> str:
    """The expression that finds the pages that are called what is looked for; "" for none."""
    name = normalised_title(" ".join(clause.text for clause in query.typed))
    return f"name : {_string([name])}" if name else ""


def expression(node: tree.Node) -> str:
    """Write words and phrases, and groups of them, for FTS5."""
    match node:
        case tree.And(parts):
            return f"({' AND '.join(map(expression, parts))})"
        case tree.Or(parts):
            return f"({' OR '.join(map(expression, parts))})"
        case tree.Clause():
            return _clause(node)
        case _:
            raise TypeError(f"{type(node).__name__} cannot be written for FTS5")


def _pages(node: tree.Node) -> tuple[str, list[Any]]:
    """The SQL that selects the pages for which a part of a query holds, and its values."""
    match node:
        case tree.Ids(ids):
            return "SELECT value FROM json_each(?)", [json.dumps(sorted(ids))]
        case tree.Not(part):
            pages, values = _pages(part)
            return f"{_ALL_PAGES} EXCEPT SELECT * FROM ({pages})", values
        case _ if is_of_clauses(node):
            return "SELECT rowid FROM text WHERE text MATCH ?", [expression(node)]
        case tree.And(parts) | tree.Or(parts):
            joined = " INTERSECT " if isinstance(node, tree.And) else " UNION "
            found = [_pages(part) for part in parts]
            statement = joined.join(f"SELECT * FROM ({pages})" for pages, _ in found)
            return statement, [value for _, values in found for value in values]
        case _:
            raise TypeError(f"{type(node).__name__} was not resolved to pages")


def _clause(clause: tree.Clause) -> str:
    finding = finding_of(clause)
    words, exact = (
        ("title", "title_exact")
        if clause.in_title
        else ("{title body}", "{title_exact body_exact}")
    )
    ways = []
    if finding.words:
        ways.append(" AND ".join(f"{words} : {_string([word])}" for word in finding.words))
    if finding.exact:
        ways.append(f"{exact} : {_in_a_row(finding)}")
    return f"({' OR '.join(f'({way})' for way in ways)})"


def _in_a_row(finding: Finding) -> str:
    return _string(finding.exact) + " *" * finding.is_open


def _string(tokens: Collection[str]) -> str:
    # Encoded tokens hold no quotation mark.
    return f'"{" ".join(map(encode, tokens))}"'
