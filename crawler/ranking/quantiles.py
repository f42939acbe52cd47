"""Where a page stands among the pages its crawl keeps, by relevance and by density."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
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
#: with every update of the judge.
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
        first: Sequence[bool] = (),
    ) -> "Quantiles":
        """Return the tables of these kept pages; empty of fewer than `FEWEST_PAGES`.

        Stuffed pages do not count: they would be the densest, and whoever adds some would push
        every fair page down. `typical` is the typical density so far. `first` says by which
        pages it is found (`first_until`); without it, or with too few, by all.
        """
        pages = zip(relevances, densities, trusts, first or [True] * len(relevances), strict=True)
        fair = [page for page in pages if page[2] >= LEAST_TRUST]
        of_first = [density for _, density, _, is_first in fair if is_first]
        of_all = [density for _, density, *_ in fair]
        typical = _typical(of_first if len(of_first) >= FEWEST_TYPICAL else of_all, typical)
        if len(fair) < FEWEST_PAGES:
            return cls(typical=typical)
        by_relevance, by_density, *_ = zip(*fair, strict=True)
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


def first_until(first_run_ended: datetime | None, oldest: Sequence[datetime]) -> datetime | None:
    """Until when the pages were seen first by which the typical density is found.

    That is the end of the first run. Were it found by all pages, those that are kept later would
    change the scores of the others: if they are thin, old pages would rise and raise alerts.

    Parameters
    ----------
    first_run_ended : datetime or None
        None while it goes on.
    oldest : sequence of datetime
        When kept pages were seen first, the oldest first; more than `FEWEST_PAGES` do not matter.

    Returns
    -------
    datetime or None
        Not before `FEWEST_PAGES` pages were seen; None if all pages count.
    """
    if first_run_ended is None or len(oldest) < FEWEST_PAGES:
        return None
    return max(first_run_ended, oldest[FEWEST_PAGES - 1])


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
