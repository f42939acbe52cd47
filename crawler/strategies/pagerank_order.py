"""PageRank order: the best linked page of the graph found so far."""

import numpy as np
from numpy.typing import NDArray

from crawler.ranking.pagerank import pagerank
from crawler.strategies.base import JudgedPage, LinkGraph
from crawler.strategies.graph_order import GraphOrder

DAMPING = 0.85


class PageRankOrder(GraphOrder):
    """URLs by their PageRank in the graph found so far; the text of a page does not count.

    Parameters
    ----------
    buffer : int, default 25
        Pages after which the frontier is ranked anew.
    """

    name = "pagerank"
    part = "pagerank"

    def scores(self, graph: LinkGraph) -> NDArray[np.float64]:
        """PageRank of each node."""
        return pagerank(len(graph.keys), graph.sources, graph.targets, damping=DAMPING)

    def first_score(self, judged: JudgedPage, n_links: int) -> float:
        """What this one page passes on."""
        return (1 - DAMPING) + DAMPING * float(judged.memo.get("score", 1.0)) / max(n_links, 1)
