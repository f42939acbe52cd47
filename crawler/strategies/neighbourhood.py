"""The pages around a search's results, by links in both directions [P4]."""

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.ranking.hits import hubs_and_authorities
from crawler.strategies.base import LinkGraph

#: S'': so many of the stored pages that link to most of the results.
MAX_BACK_LINKS: Final = 50


def graph_of(pairs: NDArray[np.int64]) -> LinkGraph:
    """The graph of links given as keys of both ends, shape (n_links, 2); each counts once."""
    return LinkGraph.of_links(*pairs.T).distinct()


def link_ends(graph: LinkGraph) -> NDArray[np.int64]:
    """The keys of both ends of each link, shape (n_links, 2)."""
    return np.column_stack((graph.keys[graph.sources], graph.keys[graph.targets]))


def merged_graphs(found: LinkGraph, stored: LinkGraph) -> LinkGraph:
    """Both graphs' links."""
    return graph_of(np.concatenate((link_ends(found), link_ends(stored))))


def around(graph: LinkGraph, results: Collection[int]) -> LinkGraph:
    """Return the links among S = S' + S'' + S'''.

    S' are the results, S'' the pages that link to them, S''' what those link to.
    """
    pairs = link_ends(graph)
    first = np.array(sorted(results), np.int64)
    back = np.unique(pairs[np.isin(pairs[:, 1], first), 0])
    beyond = np.unique(pairs[np.isin(pairs[:, 0], back), 1])
    pages = np.concatenate((first, back, beyond))
    return graph_of(pairs[np.isin(pairs, pages).all(axis=1)])


def best_first(graph: LinkGraph) -> tuple[dict[int, float], dict[int, float]]:
    """Hub and authority scores above 0, by key, the largest first."""
    hubs, authorities = hubs_and_authorities(
        len(graph.keys), graph.sources, graph.targets, tol=1e-4, max_iter=5000
    )
    return _ranked(graph.keys, hubs), _ranked(graph.keys, authorities)


def _ranked(keys: NDArray[np.int64], scores: NDArray[np.float64]) -> dict[int, float]:
    order = np.lexsort((keys, -scores))
    rows = zip(keys[order].tolist(), scores[order].tolist(), strict=True)
    return {key: score for key, score in rows if score > 0}


def best_hub_behind(graph: LinkGraph, hubs: Mapping[int, float]) -> dict[int, tuple[float, int]]:
    """For each page the best hub that links to it: its score and key."""
    best: dict[int, tuple[float, int]] = {}
    for source, target in link_ends(graph).tolist():
        hub = (hubs.get(source, 0.0), -source)
        if hub > best.get(target, (0.0, 0)):
            best[target] = hub
    return {target: (score, -negated) for target, (score, negated) in best.items()}
