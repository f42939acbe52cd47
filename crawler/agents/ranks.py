"""The kept pages of a crawl in tables, as a ranking sees them."""

from collections.abc import Mapping, Sequence

from crawler.agents import harvesting, stories
from crawler.agents.blackboard import Scored
from crawler.models import Crawl
from crawler.ranking.score import PageScore
from crawler.ranking.standing import Standing


class TableRanks:
    """As `crawler.agents.blackboard.Ranked`."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    def kept_pages(self, links_since: int = 0) -> Sequence[Scored]:
        return harvesting.kept_pages(self._crawl, links_since)

    def rescore(self, scores: Mapping[int, PageScore], scale: float, standing: Standing) -> None:
        harvesting.rescore(self._crawl, scores, scale, standing)

    def group_stories(self) -> None:
        stories.group_stories(self._crawl)
