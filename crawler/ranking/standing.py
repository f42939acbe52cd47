"""Where a page stands among the pages its crawl keeps, by relevance."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

#: Steps of the table: one for each tenth of the pages.
N_STEPS: Final = 10
#: Of fewer pages a share would say little, and move with every page that comes.
FEWEST_PAGES: Final = 20


@dataclass(frozen=True, slots=True)
class Standing:
    """A table of how relevant the kept pages of a crawl are, to place a page among them.

    Judges crowd: most kept pages have a relevance near 1, where what still differs would
    not count beside the links. As a share of the pages it spreads evenly.

    Attributes
    ----------
    quantiles : tuple of float
        The relevances, each in [0, 1], that 0 %, 10 % ... 100 % of the pages do not exceed;
        empty while too few are kept.
    """

    quantiles: tuple[float, ...] = ()

    @classmethod
    def of(cls, relevances: Sequence[float]) -> "Standing":
        """The table of these kept pages; empty of fewer than `FEWEST_PAGES`."""
        if len(relevances) < FEWEST_PAGES:
            return cls()
        return cls(tuple(np.quantile(relevances, np.arange(N_STEPS + 1) / N_STEPS).tolist()))

    @property
    def is_known(self) -> bool:
        """True if there is a table."""
        return bool(self.quantiles)

    def of_page(self, relevance: float) -> float:
        """Share of the kept pages that are less relevant, in [0, 1].

        Pages as relevant count by half (the midrank). Between two entries of the table the
        share is interpolated. Without a table it is the relevance itself (*Resolved*): either
        way a more relevant page never stands lower.
        """
        if not self.quantiles:
            return relevance
        after = bisect_right(self.quantiles, relevance)
        before = bisect_left(self.quantiles, relevance)
        if before < after:
            return (before + after - 1) / (2 * N_STEPS)
        if before in (0, len(self.quantiles)):
            return float(before > 0)
        low, high = self.quantiles[before - 1 : before + 1]
        return (before - 1 + (relevance - low) / (high - low)) / N_STEPS
