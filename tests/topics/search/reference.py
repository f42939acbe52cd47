"""What a query finds, worked out page by page in the plainest way: what every engine must give."""

from collections import defaultdict
from collections.abc import Iterable

from topics.search.analysis import exact_tokens, index_words, phrase_tokens, query_words
from topics.search.document import Document
from topics.search.tree import And, Clause, Fact, Ids, Node, Not, Or


class Reference:
    """Pages in memory, and the queries that hold for them."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.pages = [_Page(document) for document in documents]

    def find(self, node: Node) -> set[int]:
        """The ids of the pages for which a query holds."""
        return {page.id for page in self.pages if page.holds(node)}


class _Page:
    def __init__(self, document: Document) -> None:
        self.id = document.id
        title, text = document.title, f"{document.title}\n{document.body}"
        self.words = {True: set(index_words(title))}
        self.words[False] = self.words[True] | set(index_words(document.body))
        self.tokens = {True: _placed(title), False: _placed(text)}

    def holds(self, node: Node) -> bool:
        match node:
            case And(parts):
                return all(map(self.holds, parts))
            case Or(parts):
                return any(map(self.holds, parts))
            case Not(part):
                return not self.holds(part)
            case Ids(ids):
                return self.id in ids
            case Clause():
                return self._has(node)
            case Fact():
                raise TypeError("facts are not the engine's")

    def _has(self, clause: Clause) -> bool:
        placed = self.tokens[clause.in_title]
        wanted = phrase_tokens(clause.text)
        if len(wanted) == 1 and (clause.is_prefix or _is_lone_character(clause.text)):
            return any(token.startswith(wanted[0]) for some in placed.values() for token in some)
        if _follow(placed, wanted):
            return True
        if clause.is_phrase or clause.is_prefix:
            return False
        return self.words[clause.in_title].issuperset(query_words(clause.text))


def _placed(text: str) -> dict[int, set[str]]:
    placed: defaultdict[int, set[str]] = defaultdict(set)
    for token, position in exact_tokens(text):
        placed[position].add(token)
    return placed


def _follow(placed: dict[int, set[str]], wanted: list[str]) -> bool:
    return any(
        all(token in placed.get(start + i, ()) for i, token in enumerate(wanted))
        for start in placed
    )


def _is_lone_character(text: str) -> bool:
    tokens = phrase_tokens(text)
    return len(tokens) == 1 and len(tokens[0]) == 1 and not tokens[0].isascii()


def same(one: Node, other: Node) -> bool:
    """Return whether two trees say the same, wherever their parts stood in the query."""
    match one, other:
        case (And(a), And(b)) | (Or(a), Or(b)):
            return len(a) == len(b) and all(map(same, a, b))
        case Not(c), Not(d):
            return same(c, d)
        case Clause(), Clause():
            return (one.text, one.is_phrase, one.is_prefix, one.in_title) == (
                other.text,
                other.is_phrase,
                other.is_prefix,
                other.in_title,
            )
        case Fact(), Fact():
            return (one.field, one.value) == (other.field, other.value)
        case _:
            return one == other
