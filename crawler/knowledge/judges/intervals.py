"""What the adaptive judge remembers of the intervals of a crawl [P3]."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from crawler.knowledge.judges.adaptation import (
    FIRST_THRESHOLD,
    Adaptation,
    AdaptationConstants,
    adapt,
)
from crawler.knowledge.vectors import linear_combination, strongest

#: Terms kept of the pages' mean.
N_TERMS = 500


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of page vectors, of which the weakest terms are forgotten."""

    n_pages: int = 0
    weights: Mapping[str, float] = field(default_factory=dict)

    def with_pages(self, vectors: Sequence[Mapping[str, float]]) -> "Mean":
        """Return the mean after some more vectors."""
        if not vectors:
            return self
        n_pages = self.n_pages + len(vectors)
        summed = [(self.n_pages, self.weights), *((1, vector) for vector in vectors)]
        kept = strongest(linear_combination(summed), N_TERMS)
        return Mean(n_pages, {term: weight / n_pages for term, weight in kept})


@dataclass(frozen=True, slots=True)
class CountedPage:
    """A judged page as an interval counts it.

    Attributes
    ----------
    vector : mapping of str to float
        Of norm 1.
    passed : bool
        It reached the threshold as that stood.
    confirmed : bool
        Also what the person gave, before any adaptation, finds it relevant.
    """

    vector: Mapping[str, float]
    passed: bool
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals so far, and the one under way.

    Attributes
    ----------
    adaptation : Adaptation
        After the last whole interval.
    n_pages, n_passed, n_confirmed : int
        Of the interval under way.
    relevant, irrelevant : Mean
        Confirmed pages, and pages that did not pass, of all intervals.
    """

    adaptation: Adaptation = field(default_factory=Adaptation)
    n_pages: int = 0
    n_passed: int = 0
    n_confirmed: int = 0
    relevant: Mean = field(default_factory=Mean)
    irrelevant: Mean = field(default_factory=Mean)

    def after(
        self, pages: Iterable[CountedPage], pace: AdaptationConstants, *, length: int
    ) -> "Intervals":
        """Count some pages; end the interval if that makes it `length` pages long or longer.

        *Resolved*: what P3 counts as fetched is what passed the threshold, for only
        that answers to it; a page counts as relevant if it is confirmed. An interval is
        so many fetched pages, not so much time: how fast sites answer says nothing.
        Pages come in batches; one that makes an interval longer counts in proportion.
        """
        seen = list(pages)
        passed = [page for page in seen if page.passed]
        confirmed = [page.vector for page in passed if page.confirmed]
        failed = [page.vector for page in seen if not page.passed]
        counted = replace(
            self,
            n_pages=self.n_pages + len(seen),
            n_passed=self.n_passed + len(passed),
            n_confirmed=self.n_confirmed + len(confirmed),
            relevant=self.relevant.with_pages(confirmed),
            irrelevant=self.irrelevant.with_pages(failed),
        )
        if counted.n_pages < length:
            return counted
        share = length / counted.n_pages
        n_passed, n_confirmed = round(share * counted.n_passed), round(share * counted.n_confirmed)
        adaptation = adapt(self.adaptation, n_passed, n_confirmed, pace)
        return replace(counted, adaptation=adaptation, n_pages=0, n_passed=0, n_confirmed=0)

    def dump(self) -> bytes:
        """Pack for storage."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def load(cls, packed: bytes, *, threshold: float = FIRST_THRESHOLD) -> "Intervals":
        """Unpack what `dump` gave; before the first interval the threshold is the given one."""
        if not packed:
            return cls(Adaptation(threshold))
        return msgspec.msgpack.decode(packed, type=cls)
