"""Finds the pages of a query's tree in a Whoosh index, and scores them by BM25F.

Every set of pages is an array with a place for each page: a common word, a group or an exclusion
costs a few operations on arrays, however many pages hold it.
"""

from dataclasses import dataclass
from functools import cache, reduce
from math import log
from operator import and_, or_

import numpy as np
from numpy.typing import NDArray

from topics.search import tree
from topics.search.analysis import normalised_title, query_words
from topics.search.finding import Finding, finding_of, is_of_clauses
from topics.search.query import Query
from topics.search.whoosh.postings import IndexSnapshot, Pages, Postings

#: A find by characters alone counts less than one by words.
EXACT_BOOST = 0.5
#: A word of the title counts this much more than one of the text.
TITLE_BOOST = 2.0
#: A page that is called what is looked for comes first.
NAME_BOOST = 6.0
#: The constants b and k1 of BM25F.
_B, _K1 = 0.75, 1.2
_POSITION_BITS = 32


@dataclass(frozen=True, slots=True)
class Matches:
    """Which pages were found, and how well each fits: 0 where none was.

    `a & b` are pages of both, `a | b` of either; scores add up.
    """

    pages: Pages
    scores: NDArray[np.float64]

    def __and__(self, other: "Matches") -> "Matches":
        pages = self.pages & other.pages
        return Matches(pages, (self.scores + other.scores) * pages)

    def __or__(self, other: "Matches") -> "Matches":
        return Matches(self.pages | other.pages, self.scores + other.scores)

    def times(self, factor: float) -> "Matches":
        """Return the same pages, whose scores count so many times as much."""
        return self if factor == 1.0 else Matches(self.pages, self.scores * factor)

    def within(self, pages: Pages) -> "Matches":
        """Return those that are among some pages."""
        return Matches(self.pages & pages, self.scores * pages)


class Finder:
    """Finds pages in one state of an index."""

    def __init__(self, index: IndexSnapshot) -> None:
        self._index = index
        self._norms = cache(self._norms_of)
        self._token = cache(self._token_of)

    def find(self, query: Query) -> Matches:
        """Return the pages for which a query holds."""
        top = query.tree.parts if isinstance(query.tree, tree.And) else (query.tree,)
        allowed = self._index.live
        for part in top:
            if not is_of_clauses(part):
                allowed = allowed & self._pages(part)
        scored = [self._scored(part) for part in top if is_of_clauses(part)]
        if scored:
            found = reduce(and_, scored)
        else:
            everything = Matches(
                np.ones(self._index.n_pages, np.bool_), np.ones(self._index.n_pages)
            )
            found = reduce(or_, map(self._clause, query.wanted), everything)
        return (found | self._in_titles(query)).within(found.pages & allowed)

    def _pages(self, node: tree.Node) -> Pages:
        """The pages for which a part of a query holds."""
        match node:
            case tree.Not(part):
                return ~self._pages(part)
            case tree.And(parts):
                return reduce(and_, map(self._pages, parts))
            case tree.Or(parts):
                return reduce(or_, map(self._pages, parts))
            case tree.Ids(ids):
                return np.isin(self._index.keys, np.array(sorted(ids), np.int64))
            case tree.Clause():
                return self._clause(node).pages
            case tree.Fact():
                raise TypeError(f"{node.text} was not resolved to pages")

    def _scored(self, node: tree.Node) -> Matches:
        match node:
            case tree.And(parts):
                return reduce(and_, map(self._scored, parts))
            case tree.Or(parts):
                return reduce(or_, map(self._scored, parts))
            case tree.Clause():
                return self._clause(node)
            case _:
                raise TypeError(f"{type(node).__name__} is not scored")

    def _in_titles(self, query: Query) -> Matches:
        """The pages whose title holds the words, and those that are called so."""
        words = {word for clause in query.typed for word in query_words(clause.text)}
        found = [self._token("title", word)[1].times(TITLE_BOOST) for word in sorted(words)]
        name = normalised_title(" ".join(clause.text for clause in query.typed))
        if name:
            found.append(self._token("name", name)[1].times(NAME_BOOST))
        return reduce(or_, found, self._nothing())

    def _clause(self, clause: tree.Clause) -> Matches:
        words, exact = ("title", "title_exact") if clause.in_title else ("words", "exact")
        finding = finding_of(clause)
        ways = []
        if finding.words:
            ways.append(reduce(and_, (self._token(words, word)[1] for word in finding.words)))
        if finding.exact:
            factor = EXACT_BOOST if finding.words else 1.0
            ways.append(self._in_a_row(exact, finding).times(factor))
        return reduce(or_, ways).times(clause.weight)

    def _in_a_row(self, field: str, finding: Finding) -> Matches:
        """Find tokens side by side; where a run begins, its first character stands alone too."""
        if len(finding.exact) > 1:
            return self._phrase(field, finding.exact)
        if not finding.is_open:
            return self._token(field, finding.exact[0])[1]
        return self._of(field, self._index.postings_from(field, finding.exact[0]))

    def _phrase(self, field: str, tokens: tuple[str, ...]) -> Matches:
        holding = [self._token(field, token) for token in tokens]
        found = reduce(and_, (pages for _, pages in holding))
        starts: NDArray[np.int64] | None = None
        for distance, (postings, _) in enumerate(holding):
            places = self._places(postings, found.pages) - distance
            starts = places if starts is None else np.intersect1d(starts, places, True)
        pages = np.zeros(self._index.n_pages, np.bool_)
        if starts is not None:
            pages[starts >> _POSITION_BITS] = True
        return found.within(pages)

    def _places(self, postings: Postings, pages: Pages) -> NDArray[np.int64]:
        """Where a token is in some pages: the page in the high bits, then the position."""
        counts = postings.weights.astype(np.int64)
        page = np.repeat(postings.pages, counts)
        places = (page << _POSITION_BITS) | self._index.positions(postings)
        return places[pages[page]]

    def _token_of(self, field: str, token: str) -> tuple[Postings, Matches]:
        """The postings of a token, and what they find."""
        postings = self._index.postings(field, token)
        return postings, self._of(field, postings)

    def _of(self, field: str, postings: Postings) -> Matches:
        """The pages of some postings, scored by BM25F as Whoosh computes it."""
        found, pages, weights = self._nothing(), postings.pages, postings.weights
        idf = log(self._index.n_pages / (len(pages) + 1)) + 1
        found.pages[pages] = True
        found.scores[pages] = idf * weights * (_K1 + 1) / (weights + self._norms(field)[pages])
        return found

    def _norms_of(self, field: str) -> NDArray[np.float64]:
        relative = self._index.lengths(field) / self._index.mean_length(field)
        norms: NDArray[np.float64] = _K1 * (1 - _B + _B * relative)
        return norms

    def _nothing(self) -> Matches:
        n_pages = self._index.n_pages
        return Matches(np.zeros(n_pages, np.bool_), np.zeros(n_pages))
