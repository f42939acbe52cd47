"""The kept pages of a crawl in tables, as a ranking sees them."""

from collections.abc import Mapping, Sequence

from crawler.messages import Scored
from crawler.models import Crawl
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore
from crawler.store import results, stories


class TableRanks:
    """As `crawler.judging.renewal.RankedPages`."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    def kept_pages(self, links_since: int = 0) -> Sequence[Scored]:
        return results.kept_pages(self._crawl, links_since)

    def rescore(self, scores: Mapping[int, PageScore], scale: float, quantiles: Quantiles) -> None:
        results.rescore(self._crawl, scores, scale, quantiles)

    def group_stories(self) -> None:
        stories.group_stories(self._crawl)
