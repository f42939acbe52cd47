"""Strategies by a score of the link graph: PageRank, and HITS [P4's rival]."""

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from crawler.page.parsed import ParsedPage
from crawler.ranking.hits import hubs_and_authorities
from crawler.ranking.pagerank import pagerank
from crawler.strategies.base import FrontierView, Integration, JudgedPage, LinkGraph, Rating
from crawler.strategies.order import ByPriority
from focusweb.parameters import Parameter, gettext_noop, require

DAMPING = 0.85


class LinkGraphStrategy(ByPriority):
    """Priority is a score of the graph found so far, computed again for each full buffer.

    Parameters
    ----------
    buffer : int, default 25
        Pages after which the frontier is ranked anew; never per page [P3].

    Raises
    ------
    ValueError
        If `buffer` is not positive.
    """

    parameters = (
        Parameter(
            "buffer",
            25,
            gettext_noop("re-rank the frontier after this many pages"),
            1,
            inf,
            is_whole=True,
        ),
    )
    #: What the score is called when it is explained.
    part = "graph"

    def __init__(self, buffer: int = 25) -> None:
        require(self, buffer=buffer)
        self._buffer = int(buffer)

    def scores(self, graph: LinkGraph) -> NDArray[np.float64]:
        """Score of each node of the graph."""
        raise TypeError(f"{type(self).__name__} must say how it scores a graph")

    def first_score(self, judged: JudgedPage, n_links: int) -> float:
        """What a link counts until the frontier is ranked again."""
        return 0.0

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        first = self.first_score(judged, len(page.links))
        return [Rating(first, {self.part: first})] * len(page.links)

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Rank the frontier if the buffer is full; the seeds' links are ranked at once."""
        n_buffered = int(state or self._buffer) + len(pages)
        if n_buffered < self._buffer:
            return Integration(str(n_buffered).encode())
        graph = view.graph()
        by_key = dict(zip(graph.keys.tolist(), self.scores(graph).tolist(), strict=True))
        ratings = {}
        for entry in view.waiting(None):
            if entry.parent is not None:
                score = by_key.get(entry.key, 0.0)
                ratings[entry.key] = Rating(score, {self.part: score}, {"score": score})
        return Integration(b"0", ratings)


class HitsStrategy(LinkGraphStrategy):
    """URLs by their authority in the graph found so far."""

    name = "hits"
    part = "authority"

    def scores(self, graph: LinkGraph) -> NDArray[np.float64]:
        """Authority of each node, as a multiple of the mean's size."""
        _, authorities = hubs_and_authorities(
            len(graph.keys), graph.sources, graph.targets, tol=1e-4, max_iter=5000
        )
        return np.asarray(authorities * len(authorities) ** 0.5, np.float64)


class PageRankStrategy(LinkGraphStrategy):
    """URLs by their PageRank in the graph found so far; the text of a page does not count."""

    name = "pagerank"
    part = "pagerank"

    def scores(self, graph: LinkGraph) -> NDArray[np.float64]:
        """PageRank of each node."""
        return pagerank(len(graph.keys), graph.sources, graph.targets, damping=DAMPING)

    def first_score(self, judged: JudgedPage, n_links: int) -> float:
        """Return what this one page passes on."""
        return (1 - DAMPING) + DAMPING * float(judged.memo.get("score", 1.0)) / max(n_links, 1)
