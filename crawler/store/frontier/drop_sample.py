"""How many of the links that a filter drops lead to relevant pages, by a sample [P1]."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

from django.db.models import OuterRef, Subquery

from crawler.models import FrontierEntry, Harvest, Run
from crawler.strategies.link_notes import SAMPLED, unpack_notes

#: Standard errors of a 95 % interval.
_Z: Final = 1.96


@dataclass(frozen=True, slots=True)
class DropSample:
    """Links that a filter would drop, and that a run followed to know its error.

    Attributes
    ----------
    n_fetched : int
        Pages behind them that were read, >= 1.
    n_relevant : int
        Those of them that are kept now.
    """

    n_fetched: int
    n_relevant: int

    @property
    def share(self) -> float:
        """The error of the filter, in [0, 1]."""
        return self.n_relevant / self.n_fetched

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval, by Wilson's score."""
        n, share, square = self.n_fetched, self.share, _Z * _Z
        middle = (share + square / (2 * n)) / (1 + square / n)
        half = _Z / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
        return max(middle - half, 0.0), min(middle + half, 1.0)


def drop_sample(run: Run) -> DropSample | None:
    """Return what the sampled links of a run led to; None if no page behind one was read."""
    # The run that read a page first followed the link: later runs visit relevant pages again.
    pages = Harvest.objects.filter(crawl_id=run.crawl_id, first_seen__gte=run.started)
    if run.ended is not None:
        pages = pages.filter(first_seen__lte=run.ended)
    entry = FrontierEntry.objects.filter(crawl=OuterRef("crawl"), url=OuterRef("url"))
    rows = pages.values_list("kept", Subquery(entry.values("memo")[:1]))
    found = [kept for kept, memo in rows if SAMPLED in unpack_notes(memo or b"")]
    return DropSample(len(found), sum(found)) if found else None
