"""What kinds of things pages are about, by their titles, in the focus judge's regression."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.title_vectors import inner_product, title_vector
from crawler.text.hypernyms import path_of
from crawler.text.noun_table import noun_table

Vector = NDArray[np.float64]

#: Share of the inner product of two pages that their titles have, if both name something.
SHARE = 0.2
#: A title of more fetched pages is that of their site, or says only "Page".
MOST_OF_A_TITLE = 2
#: A kind that more of all nouns are of is too general to be named as a reason.
MOST_NAMED = 0.05


def text_scales(titles: Sequence[str]) -> Vector:
    """What each page's text counts beside its title, shape (n_titles,): 1 without known kinds."""
    named = np.array([bool(title_vector(title)) for title in titles], np.bool_)
    scales: Vector = np.where(named, sqrt(1 - SHARE), 1.0)
    return scales


def mixed(gram: Vector, titles: Sequence[str]) -> Vector:
    """Inner products of pages by their text and by their titles, shape (n_titles, n_titles)."""
    scales = text_scales(titles)
    vectors = [title_vector(title) for title in titles]
    numbers: dict[int, int] = {}
    for vector in vectors:
        for kind in vector:
            numbers.setdefault(kind, len(numbers))
    places = np.zeros((len(titles), len(numbers)))
    for row, vector in zip(places, vectors, strict=True):
        row[[numbers[kind] for kind in vector]] = list(vector.values())
    both: Vector = gram * np.outer(scales, scales) + SHARE * (places @ places.T)
    return both


def names_of(kind: int) -> tuple[str, str]:
    """Return what a kind is called in English, and in Chinese it or the nearest kind around it.

    A Chinese name of a kind that is too general is none: "".
    """
    table = noun_table()
    around = (one for one in reversed(path_of(kind)) if table.share(one) <= MOST_NAMED)
    chinese = (name for _, name in map(table.labels, around) if name)
    return table.labels(kind)[0], next(chinese, "")


def shared_titles(titles: Iterable[str]) -> frozenset[str]:
    """Return the titles of so many pages that they name their site and not the page."""
    return frozenset(title for title, n in Counter(titles).items() if n > MOST_OF_A_TITLE)


@dataclass(frozen=True, slots=True)
class TitleWeights:
    """What the kinds of things that a title names add to a page's logit.

    Attributes
    ----------
    weights : mapping of int to float
        By kind.
    shared : frozenset of str
        Titles that say nothing.
    """

    weights: Mapping[int, float]
    shared: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, dual: Vector, titles: Sequence[str], shared: frozenset[str] = frozenset()
    ) -> "TitleWeights":
        """The part of a fit on pages with these titles, given the weight of each page."""
        weights: defaultdict[int, float] = defaultdict(float)
        for weight, title in zip(dual.tolist(), titles, strict=True):
            for kind, value in title_vector(title).items():
                weights[kind] += SHARE * weight * value
        return cls(dict(weights), shared)

    def informative(self, title: str) -> str:
        """Return a title if it says something of its page, else ""."""
        return "" if title in self.shared else title

    def logit(self, title: str) -> float:
        """Return what is added to one page's logit."""
        return inner_product(self.informative(title), self.weights)

    def strongest_kind(self, title: str) -> int | None:
        """Return the kind that adds most to the logit of a title; None if none adds anything.

        Kinds that say nothing to a person, such as objects, are left out.
        """
        table = noun_table()
        added = {
            kind: value * self.weights.get(kind, 0.0)
            for kind, value in title_vector(self.informative(title)).items()
            if table.share(kind) <= MOST_NAMED
        }
        best = max(added, key=added.__getitem__, default=None)
        return best if best is not None and added[best] > 0 else None

    def logits(self, titles: Sequence[str]) -> Vector:
        """`logit` of many titles, shape (n_titles,)."""
        return np.array([self.logit(title) for title in titles], np.float64)

    def text_scales(self, titles: Sequence[str]) -> Vector:
        """What the text of each page counts beside its title, shape (n_titles,)."""
        return text_scales([self.informative(title) for title in titles])
