"""The kept pages of a crawl in tables, as a ranking sees them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from crawler.messages import Scored
from crawler.models import Crawl
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore
from crawler.store import ranked_pages, results, stories


class TableRanks:
    """As `crawler.judging.renewal.RankedPages`."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    def kept_pages(self, now: datetime | None = None, links_since: int = 0) -> Sequence[Scored]:
        return ranked_pages.kept_pages(self._crawl, now, links_since)

    def rescore(self, scores: Mapping[int, PageScore], scale: float, quantiles: Quantiles) -> None:
        results.rescore(self._crawl, scores, scale, quantiles)

    def quantiles(self) -> Quantiles:
        return results.load_quantiles(self._crawl)

    def group_stories(self) -> None:
        stories.group_stories(self._crawl)
