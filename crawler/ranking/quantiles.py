"""Where a page stands among the pages its crawl keeps, by relevance and by density."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from crawler.knowledge.stuffing import LEAST_TRUST

#: Steps of a table: one for each tenth of the pages.
N_STEPS: Final = 10
#: Of fewer pages a share would say little, and move with every page that comes.
FEWEST_PAGES: Final = 20
#: From so many pages on their median density is called typical of the topic.
FEWEST_TYPICAL: Final = 5
#: It stays what it is until the median differs from it by this factor: a score is not to change
#: with every page that is kept.
RENEWED: Final = 1.5

#: The values that 0 %, 10 % ... 100 % of some pages do not exceed.
QuantileTable = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PercentileRank:
    """Shares of the kept pages, each in [0, 1].

    Attributes
    ----------
    by_relevance, by_density : float
        Those that are less relevant, and those of which less is about the topic; pages that
        are equal count by half (the midrank).
    """

    by_relevance: float
    by_density: float

    @property
    def mean(self) -> float:
        """What counts."""
        return (self.by_relevance + self.by_density) / 2


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Tables of the kept pages of a crawl, to place a page among them.

    Judges crowd: most kept pages have a relevance near 1, where what still differs would
    not count beside the links. As a share of the pages it spreads evenly.

    Attributes
    ----------
    relevances, densities : tuple of float
        Quantiles, each in [0, 1]; both empty while too few pages are kept.
    typical : float
        Density that is typical of the topic, in [0, 1]; 0 while too few pages are kept.
    """

    relevances: QuantileTable = ()
    densities: QuantileTable = ()
    typical: float = 0.0

    @classmethod
    def of(
        cls,
        relevances: Sequence[float],
        densities: Sequence[float],
        trusts: Sequence[float],
        *,
        typical: float = 0.0,
    ) -> "Quantiles":
        """Return the tables of these kept pages; empty of fewer than `FEWEST_PAGES`.

        Stuffed pages do not count: they would be the densest, and whoever adds some would push
        every fair page down. `typical` is the typical density so far.
        """
        pages = zip(relevances, densities, trusts, strict=True)
        fair = [(relevance, density) for relevance, density, trust in pages if trust >= LEAST_TRUST]
        typical = _typical([density for _, density in fair], typical)
        if len(fair) < FEWEST_PAGES:
            return cls(typical=typical)
        by_relevance, by_density = zip(*fair, strict=True)
        return cls(_quantiles(by_relevance), _quantiles(by_density), typical)

    @property
    def is_known(self) -> bool:
        """True if there are tables."""
        return bool(self.relevances)

    def of_page(self, relevance: float, density: float) -> PercentileRank | None:
        """Where a page stands; None while too few are kept.

        Of two pages the more relevant one never stands lower by relevance, nor the denser one
        by density.
        """
        if not self.is_known:
            return None
        return PercentileRank(_share(self.relevances, relevance), _share(self.densities, density))


def _typical(densities: Sequence[float], before: float) -> float:
    if len(densities) < FEWEST_TYPICAL:
        return before
    median = float(np.median(densities))
    stays = before / RENEWED <= median <= before * RENEWED
    return before if stays else median


def _quantiles(values: Sequence[float]) -> QuantileTable:
    return tuple(np.quantile(values, np.arange(N_STEPS + 1) / N_STEPS).tolist())


def _share(table: QuantileTable, value: float) -> float:
    """Share of the pages below a value; between two entries of the table interpolated."""
    after = bisect_right(table, value)
    before = bisect_left(table, value)
    if before < after:
        return (before + after - 1) / (2 * N_STEPS)
    if before in (0, len(table)):
        return float(before > 0)
    low, high = table[before - 1 : before + 1]
    return (before - 1 + (value - low) / (high - low)) / N_STEPS
