"""Breadth-first: nearest to a seed first. Other strategies are compared with it."""

from collections.abc import Sequence

from crawler.page.parsed import ParsedPage
from crawler.strategies.base import JudgedPage, Rating
from crawler.strategies.order import ByPriority


class BreadthFirst(ByPriority):
    """Links in the order of their depth; within a depth, first found first."""

    name = "breadth_first"
    parameters = ()

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        depth_hops = judged.depth_hops + 1
        rating = Rating(-float(depth_hops), {"depth": -float(depth_hops)})
        return [rating] * len(page.links)
