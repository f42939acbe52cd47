"""Whether a query holds for one page, read from its text and without an index."""

from collections import defaultdict
from functools import cached_property

from topics.search.analysis import exact_tokens, index_words
from topics.search.finding import Finding, finding_of
from topics.search.tree import And, Clause, Fact, Ids, Node, Not, Or


class PageText:
    """The words of one page; they are made at the first query that needs them.

    It answers every query as the engines do.

    Parameters
    ----------
    page_id : int
        What `Ids` of a query name.
    title, body : str
        As people read them.
    """

    def __init__(self, page_id: int, title: str, body: str) -> None:
        self._id = page_id
        self._title = _Words(title, "")
        self._whole = _Words(title, body)

    def holds(self, node: Node) -> bool:
        """Return whether a query without facts finds the page."""
        match node:
            case And(parts):
                # Sets of pages first: they cost nothing.
                return all(map(self.holds, sorted(parts, key=lambda part: type(part) is not Ids)))
            case Or(parts):
                return any(map(self.holds, parts))
            case Not(part):
                return not self.holds(part)
            case Ids(ids):
                return self._id in ids
            case Clause():
                return (self._title if node.in_title else self._whole).hold(finding_of(node))
            case Fact():
                raise TypeError(f"{node.text} was not resolved to pages")


class _Words:
    def __init__(self, title: str, body: str) -> None:
        self._texts = (title, body)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for text in self._texts for word in index_words(text))

    @cached_property
    def _places(self) -> defaultdict[str, set[int]]:
        places: defaultdict[str, set[int]] = defaultdict(set)
        for token, place in exact_tokens("\n".join(self._texts)):
            places[token].add(place)
        return places

    def hold(self, finding: Finding) -> bool:
        if finding.words and self._words.issuperset(finding.words):
            return True
        if not finding.exact:
            return False
        if len(finding.exact) == 1 and finding.is_open:
            return any(token.startswith(finding.exact[0]) for token in self._places)
        # Not by indexing: the dictionary would keep every token that is missing.
        places = [self._places.get(token, set()) for token in finding.exact]
        return any(
            all(first + later in found for later, found in enumerate(places)) for first in places[0]
        )
