"""How many of the links that a filter drops lead to relevant pages, by a sample [P1]."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

from crawler.models import FrontierEntry, Harvest, Run, bulk
from crawler.reasons import Reason
from crawler.strategies.link_notes import SAMPLED, SAMPLED_BY, unpack_notes

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
    noted = FrontierEntry.objects.filter(crawl_id=run.crawl_id).exclude(memo=b"").exclude(reason="")
    pages = []
    for page, last_run, reason, memo in noted.values_list("url_id", "run_id", "reason", "memo"):
        notes = unpack_notes(memo)
        if SAMPLED_BY in notes:  # It was visited again: relevant pages are, most others are not.
            is_of_run = notes[SAMPLED_BY] == run.pk
        else:
            is_of_run = SAMPLED in notes and last_run == run.pk and reason == Reason.FETCHED
        if is_of_run:
            pages.append(page)
    if not pages:
        return None
    harvests = Harvest.objects.filter(crawl_id=run.crawl_id)
    n_relevant = sum(harvests.filter(url_id__in=some).kept().count() for some in bulk.chunks(pages))
    return DropSample(len(pages), n_relevant)
