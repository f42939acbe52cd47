"""The words of a topic as a strategy knows them: the person's own, and learnt ones."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import TypeVar

import msgspec

from crawler.strategies.base import JudgedPage

Count = TypeVar("Count", int, float)

#: Terms that are remembered of the pages seen, and that the topic's vector holds.
MAX_COUNTED, MAX_WORDS = 5_000, 200
#: Share of the vector's weight that the person's own words have.
OWN_SHARE = 0.5


class TopicVector(msgspec.Struct, frozen=True):
    """A topic vector that grows with the relevant pages (Rocchio, without negatives).

    Attributes
    ----------
    own : dict of str to float
        The person's own words; they never leave.
    n_pages : int
        Pages seen.
    holding : dict of str to int
        How many of them hold a term.
    total : dict of str to float
        Relevance-weighted sum of each term's share of a relevant page.
    vector : dict of str to float
        Unit vector of own and learnt words, at most 200.
    """

    own: dict[str, float]
    n_pages: int = 0
    holding: dict[str, int] = {}
    total: dict[str, float] = {}
    vector: dict[str, float] = {}

    @classmethod
    def of(cls, own: Mapping[str, float]) -> "TopicVector":
        """Know a person's words only."""
        return cls(dict(own), vector=_unit(own))

    def dump(self) -> bytes:
        """Pack for the blackboard."""
        return msgspec.msgpack.encode(self)

    @staticmethod
    def load(state: bytes) -> "TopicVector":
        """Unpack what `dump` gave; do not change what it returns."""
        return _load(state)

    def idf(self, term: str) -> float:
        """ln((N + 1) / (n + 1)) + 0.1: how rare a term is among the pages seen, > 0."""
        return log((self.n_pages + 1) / (self.holding.get(term, 0) + 1)) + 0.1

    def learnt(self, pages: Sequence[JudgedPage]) -> "TopicVector":
        """Count the pages, and take up the words of relevant ones."""
        if not pages:
            return self
        holding, total = dict(self.holding), dict(self.total)
        for page in pages:
            counts = page.terms.counts().tolist()
            weight = page.relevance if page.kept or page.depth_hops == 0 else 0.0
            length = sqrt(sum(count * count for count in counts)) or 1.0
            for term, count in zip(page.terms.vocabulary, counts, strict=True):
                holding[term] = holding.get(term, 0) + 1
                if weight:
                    total[term] = total.get(term, 0.0) + weight * count / length
        grown = TopicVector(
            self.own, self.n_pages + len(pages), _most(holding), _most(total), self.vector
        )
        return msgspec.structs.replace(grown, vector=grown._joined())

    def _joined(self) -> dict[str, float]:
        learnt = {term: value * self.idf(term) for term, value in self.total.items()}
        best = sorted(learnt.items(), key=lambda item: (-item[1], item[0]))[:MAX_WORDS]
        own, learnt = _unit(self.own), _unit(dict(best))
        if not own or not learnt:
            return own or learnt
        joined = {term: (1 - OWN_SHARE) * value for term, value in learnt.items()}
        for term, value in own.items():
            joined[term] = joined.get(term, 0.0) + OWN_SHARE * value
        return _unit(joined)


@lru_cache(maxsize=4)
def _load(state: bytes) -> TopicVector:
    # Every page of an interval passes the same bytes.
    return msgspec.msgpack.decode(state, type=TopicVector)


def topic_similarity(tokens: Iterable[str], words: TopicVector) -> float:
    """Cosine of a few tokens, weighted by rarity, with the topic's vector; in [0, 1]."""
    length = shared = 0.0
    vector, holding = words.vector, words.holding
    total = log(words.n_pages + 1) + 0.1
    for token in set(tokens):
        weight = total - log(holding.get(token, 0) + 1)
        length += weight * weight
        if token in vector:
            shared += weight * vector[token]
    return min(shared / sqrt(length), 1.0) if length else 0.0


def _most(counts: dict[str, Count]) -> dict[str, Count]:
    """The largest counts, when there are too many to keep."""
    if len(counts) <= 2 * MAX_COUNTED:
        return counts
    kept = sorted(counts, key=lambda term: -counts[term])[:MAX_COUNTED]
    return {term: counts[term] for term in kept}


def _unit(vector: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(sum(value * value for value in vector.values()))
    return {term: value / length for term, value in vector.items()} if length else {}
