"""HITS order: the best authority of the graph found so far [P4's rival]."""

import numpy as np
from numpy.typing import NDArray

from crawler.ranking.hits import hubs_and_authorities
from crawler.strategies.base import JudgedPage, LinkGraph
from crawler.strategies.graph_order import GraphOrder


class HitsOrder(GraphOrder):
    """URLs by their authority in the graph found so far.

    Parameters
    ----------
    buffer : int, default 25
        Pages after which the frontier is ranked anew.
    """

    name = "hits"
    part = "authority"

    def scores(self, graph: LinkGraph) -> NDArray[np.float64]:
        """Authority of each node, as a multiple of the mean's size."""
        _, authorities = hubs_and_authorities(
            len(graph.keys), graph.sources, graph.targets, tol=1e-4, max_iter=5000
        )
        return np.asarray(authorities * len(authorities) ** 0.5, np.float64)

    def first_score(self, judged: JudgedPage, n_links: int) -> float:
        """Nothing yet: one link makes no authority."""
        return 0.0
