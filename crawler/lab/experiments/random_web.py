"""The second paper's random web: pages with random children, five of them sown more often."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.ranking.viterbi import dynamic_values, next_layer

#: The paper's size and its five chosen pages.
N_PAGES = 5_000
CHOSEN = (732, 1330, 1643, 3957, 4434)
#: Random children of a page (*Resolved*: the paper does not say).
N_CHILDREN = 10
TOP = 5
#: Pages after which a run ends anyway.
BUDGET = 1_000


@dataclass(frozen=True, slots=True)
class RandomWeb:
    """A made web.

    Attributes
    ----------
    children : sequence of sequence of int
        Pages each page links to, each once.
    content : ndarray of float64, shape (n_pages,)
        CV of each page, in [0, 1].
    """

    children: Sequence[Sequence[int]]
    content: NDArray[np.float64]

    def n_links(self) -> NDArray[np.int64]:
        """In-links of each page, shape (n_pages,)."""
        ends = [child for row in self.children for child in row]
        return np.bincount(ends, minlength=len(self.children))


def make_random_web(frequency: float, rng: np.random.Generator) -> RandomWeb:
    """Link pages at random; each links to each chosen page with `frequency` besides.

    Parameters
    ----------
    frequency : float
        Sowing frequency, in [0, 1].
    rng : Generator
        Where chance comes from.
    """
    children = []
    for page in range(N_PAGES):
        found = set(rng.integers(N_PAGES, size=N_CHILDREN).tolist())
        found |= {chosen for chosen in CHOSEN if rng.random() < frequency}
        children.append(sorted(found - {page}))
    # Few pages are about the topic; the chosen ones are, as they are its known sites.
    content = rng.beta(1, 4, N_PAGES)
    content[list(CHOSEN)] = rng.uniform(0.5, 0.9, len(CHOSEN))
    return RandomWeb(children, content)


def static_values(
    n_links: NDArray[np.int64], content: NDArray[np.float64], scale: float
) -> NDArray[np.float64]:
    """f = 0.7 LV + 0.3 CV of each page [P2 eq. 1]."""
    return 0.7 * (2 / np.pi * np.arctan(n_links / scale)) + 0.3 * content


def best(values: NDArray[np.float64]) -> frozenset[int]:
    """The five pages of the largest value; ties go to the smaller number."""
    return frozenset(np.argsort(-values, kind="stable")[:TOP].tolist())


class DynamicCrawl:
    """Viterbi runs over a random web that add up what they learn.

    Parameters
    ----------
    web : RandomWeb
    scale : float
        s of the link value.
    layer_pages : int
        k, most pages of a layer.
    """

    def __init__(self, web: RandomWeb, scale: float, layer_pages: int = 20) -> None:
        self._web, self._scale, self._layer_pages = web, scale, layer_pages
        self._n_links = np.zeros(len(web.children), dtype=np.int64)
        self._read: set[int] = set()
        self.visited: set[int] = set()

    def run(self, rng: random.Random) -> int:
        """Go from random pages until a layer repeats or the budget ends. Return the pages visited.

        Links found in a run count from the next run on: a layer can repeat only if its
        pages' values stand still meanwhile.
        """
        seeds = rng.sample(range(len(self._web.children)), self._layer_pages)
        layer = {seed: 1 / len(seeds) for seed in seeds}
        known: set[frozenset[int]] = set()
        seen = set(seeds)
        n_links = self._n_links.copy()
        while layer and frozenset(layer) not in known and len(seen) < BUDGET:
            known.add(frozenset(layer))
            links = self._links_of(layer)
            found = sorted({child for _, child in links})
            f = static_values(n_links[found], self._web.content[found], self._scale)
            values = dict(zip(found, f.tolist(), strict=True))
            layer = next_layer(dynamic_values(layer, links, values), self._layer_pages)
            seen.update(found)
        self.visited |= seen
        return len(seen)

    def _links_of(self, layer: dict[int, float]) -> list[tuple[int, int]]:
        links = [(page, child) for page in layer for child in self._web.children[page]]
        for page in layer.keys() - self._read:
            self._n_links[list(self._web.children[page])] += 1
        self._read |= layer.keys()
        return links

    def best(self) -> frozenset[int]:
        """The five best pages visited, by the links found so far."""
        values = static_values(self._n_links, self._web.content, self._scale)
        mask = np.full(len(values), -1.0)
        visited = sorted(self.visited)
        mask[visited] = values[visited]
        return best(mask)
