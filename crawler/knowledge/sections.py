"""Sections of sites: how relevant their pages are says something of each page in them.

A section is a site or a folder of one: `example.org/sport/tennis`. Where its pages are more
relevant than all pages of the crawl, a page in it is likelier on topic than its text alone says;
where they are less relevant, it is less likely.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import log
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.answers import clipped_log_odds
from crawler.knowledge.judge import Judge, SectionEffect, Verdict, gives_probability
from crawler.knowledge.judges.logistic import sigmoid

Vector = NDArray[np.float64]
#: Pages of a section and the sum of their relevance, by its path.
Counts = Mapping[str, tuple[int, float]]
_Packed = tuple[int, float, dict[str, tuple[int, float]]]

#: A section of fewer pages says nothing.
MIN_PAGES = 5
#: An estimate begins with so many pages as relevant as those of the section around it.
PRIOR_PAGES = 20.0
#: Share of the difference in log-odds that moves a page, and most that it raises and lowers one.
#: The text of a page says more than its address, and a good page on a site of many subjects must
#: not be missed.
WEIGHT, MOST_RAISED, MOST_LOWERED = 0.5, 1.0, 0.3
#: Folders of a site that are distinguished, from the top.
MAX_FOLDERS = 6
#: Distance that mean relevances keep from 0 and 1.
_LEAST = 1e-3


class Sections:
    """How relevant the pages in each section are, and what that changes.

    The estimate of a section starts from the estimate of the section around it (`PRIOR_PAGES`).
    Half of its distance from the mean of all pages, in log-odds, is added to the log-odds of each
    page in it. Measured in docs/research/judges.md.

    Parameters
    ----------
    n_pages : int
        All pages that were counted.
    mean : float
        Their mean relevance, in [0, 1].
    counts : mapping of str to (int, float)
        Of each section with at least `MIN_PAGES` pages: how many, and the sum of their relevance.
    """

    def __init__(self, n_pages: int = 0, mean: float = 0.0, counts: Counts | None = None) -> None:
        self._n_pages, self._mean = n_pages, mean
        self._counts = dict(counts or {})
        self._effects = _effects(n_pages, mean, self._counts)

    @classmethod
    def by(cls, judge: Judge, urls: Sequence[str], relevances: Vector) -> Self:
        """Count pages as `of` if a judge's relevance is a probability; else nothing is known."""
        return cls.of(urls, relevances) if gives_probability(judge) else cls()

    @classmethod
    def of(cls, urls: Sequence[str], relevances: Vector) -> Self:
        """Count pages by section.

        Parameters
        ----------
        relevances : ndarray of float64, shape (n_urls,)
            By the pages' text alone.
        """
        if not len(urls):
            return cls()
        counts: dict[str, tuple[int, float]] = {}
        for url, relevance in zip(urls, relevances.tolist(), strict=True):
            for path in section_paths(url):
                n_pages, total = counts.get(path, (0, 0.0))
                counts[path] = n_pages + 1, total + relevance
        large = {path: count for path, count in counts.items() if count[0] >= MIN_PAGES}
        return cls(len(urls), float(relevances.mean()), large)

    def effect(self, url: str, relevance: float = 1.0) -> SectionEffect | None:
        """Return what the section of a page changes of its relevance; None if nothing.

        A relevance of 0, which a rule of the topic gives, stays 0.
        """
        if relevance <= 0:
            return None
        for path in reversed([*section_paths(url)]):
            if path in self._counts:
                return self._effects[path]
        return None

    def relevances(self, urls: Sequence[str], relevances: Vector) -> Vector:
        """Relevance of pages with what their sections change, shape (n_urls,); 0 stays 0."""
        if not self._counts:
            return relevances
        effects = map(self.effect, urls)
        changes = np.array([effect.change if effect else 0.0 for effect in effects], np.float64)
        moved = sigmoid(clipped_log_odds(relevances) + changes)
        up, down = np.maximum(relevances, moved), np.minimum(relevances, moved)
        found: Vector = np.where(changes > 0, up, np.where(changes < 0, down, relevances))
        return np.where(relevances > 0, found, 0.0)

    def verdict(self, url: str, said: Verdict) -> Verdict:
        """Return a judge's verdict on one page with what its section changes."""
        effect = self.effect(url, said.relevance)
        if effect is None:
            return said
        relevance = self.relevances([url], np.array([said.relevance]))
        return replace(said, relevance=float(relevance[0]), section=effect)

    def pack(self) -> bytes:
        """Pack to be stored."""
        return msgspec.msgpack.encode((self._n_pages, self._mean, self._counts))

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Undo `pack`; of no bytes, sections of which nothing is known."""
        if not packed:
            return cls()
        return cls(*msgspec.msgpack.decode(packed, type=_Packed))


def section_paths(url: str) -> Iterator[str]:
    """Yield the sections that a page lies in, without a scheme: its site, then folder by folder."""
    address = url.partition("://")[2].partition("?")[0]
    end = address.find("/")
    yield address[:end] if end >= 0 else address
    for _ in range(MAX_FOLDERS):
        end = address.find("/", end + 1) if end >= 0 else -1
        if end < 0:
            return
        yield address[:end]


def _effects(n_pages: int, mean: float, counts: Counts) -> dict[str, SectionEffect | None]:
    """What each section changes; outer sections come before those in them."""
    base = _log_odds(mean)
    estimates: dict[str, float] = {}
    effects: dict[str, SectionEffect | None] = {}
    steps: dict[str, list[tuple[float, str]]] = {}
    for path in sorted(counts, key=lambda path: path.count("/")):
        around = path.rpartition("/")[0]
        n_around = counts[around][0] if around else n_pages
        estimate = estimates.get(around, mean)
        before, n_here, total = _log_odds(estimate), *counts[path]
        # A section that holds all pages of the one around it says nothing more.
        if n_here < n_around:
            estimate = (total + PRIOR_PAGES * estimate) / (n_here + PRIOR_PAGES)
        estimates[path] = estimate
        steps[path] = [*steps.get(around, ()), (_log_odds(estimate) - before, path)]
        distance = _log_odds(estimate) - base
        change = min(max(WEIGHT * distance, -MOST_LOWERED), MOST_RAISED)
        effects[path] = _effect(steps[path], counts, mean, change)
    return effects


def _effect(
    steps: Sequence[tuple[float, str]], counts: Counts, mean: float, change: float
) -> SectionEffect | None:
    """Name the section that moves a page most of those on that side of the mean; None for none."""
    found = [
        (step if change > 0 else -step, path)
        for step, path in steps
        if (_mean_of(counts[path]) - mean) * change > 0
    ]
    if not found:
        return None
    _, path = max(found)
    return SectionEffect(path, counts[path][0], _mean_of(counts[path]), mean, change)


def _mean_of(count: tuple[int, float]) -> float:
    n_pages, total = count
    return total / n_pages


def _log_odds(chance: float) -> float:
    chance = min(max(chance, _LEAST), 1 - _LEAST)
    return log(chance / (1 - chance))
