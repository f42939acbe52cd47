"""The second paper's random web: pages with random children, five of them sown more often."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import PageTerms
from crawler.strategies.base import FrontierView, JudgedPage, LinkGraph, Waiting
from crawler.strategies.viterbi import Viterbi

#: The paper's size and its five chosen pages.
N_PAGES = 5_000
CHOSEN = (732, 1330, 1643, 3957, 4434)
#: Random children of a page (*Resolved*: the paper does not say).
N_CHILDREN = 10
TOP = 5


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
    # *Resolved*: few pages are about the topic; the chosen ones are, as they are its known sites.
    content = rng.beta(1, 4, N_PAGES)
    content[list(CHOSEN)] = rng.uniform(0.5, 0.9, len(CHOSEN))
    return RandomWeb(children, content)


def static_values(
    n_links: NDArray[np.int64], content: NDArray[np.float64], scale: float
) -> NDArray[np.float64]:
    """f = 0.7 LV + 0.3 CV of each page [P2 eq. 1]."""
    return 0.7 * (2 / np.pi * np.arctan(n_links / scale)) + 0.3 * content


def best(values: NDArray[np.float64]) -> frozenset[int]:
    """Return the five pages of the largest value; ties go to the smaller number."""
    return frozenset(np.argsort(-values, kind="stable")[:TOP].tolist())


class DynamicCrawl:
    """Runs of the product's strategy over a random web, which add up what they learn.

    A run fetches pages from random ones until a ring closes. The links of all pages that were
    ever fetched count; what is fetched once more in a later run counts as fetched in that too.

    Parameters
    ----------
    saturation : float
        s of the link value; 0 for the median of the links found so far.
    layer_pages : int
        k, most pages of a layer.
    """

    def __init__(self, web: RandomWeb, saturation: float, layer_pages: int = 10) -> None:
        self._web, self._layer_pages = web, layer_pages
        self._strategy = Viterbi(layer_pages=layer_pages, saturation=saturation, restarts=0)
        self._graph = _Links()
        self.visited: set[int] = set()

    def run(self, rng: random.Random) -> int:
        """Crawl from random pages until a ring closes. Return the pages fetched."""
        strategy = self._strategy
        state = strategy.start(TopicProfile("made"), seed=0)
        batch = rng.sample(range(len(self._web.children)), self._layer_pages)
        frontier: dict[int, Waiting] = {}
        fetched: set[int] = set()
        while batch and not strategy.has_ended(state, len(fetched)):
            fetched.update(batch)
            judged = [self._fetch(page, frontier) for page in batch]
            for child in {child for page in batch for child in self._web.children[page]} - fetched:
                frontier.setdefault(child, self._waiting(child))
            view = FrontierView(
                lambda n: _best(frontier, n),
                lambda *, in_frame=False: self._graph.graph,
                len(fetched),
            )
            answer = strategy.integrate(judged, view, state)
            state = answer.state
            for key, rating in answer.ratings.items():
                memo = {**rating.memo, "parts": rating.parts}
                frontier[key] = Waiting(key, "", "", 1, rating.priority, 0, memo)
            batch = strategy.choose(view, self._layer_pages, state, rng)
        return len(fetched)

    def _fetch(self, page: int, frontier: dict[int, Waiting]) -> JudgedPage:
        waited = frontier.pop(page, None)
        if page not in self.visited:
            self.visited.add(page)
            self._graph.add(page, self._web.children[page])
        content = float(self._web.content[page])
        memo = waited.memo if waited else {}
        return JudgedPage(page, "", "", "", _NO_TERMS, content, True, 0, 0, memo=memo)

    def _waiting(self, child: int) -> Waiting:
        return Waiting(child, "", "", 1, 0.0, 0, {"content": float(self._web.content[child])})

    def best(self, scale: float) -> frozenset[int]:
        """Return the five best pages found, by the links found so far."""
        n_links = self._graph.n_links(len(self._web.children))
        values = static_values(n_links, self._web.content, scale)
        values[(n_links == 0) & ~np.isin(np.arange(len(values)), list(self.visited))] = -1.0
        return best(values)


class _Links:
    """The links of the pages fetched so far, as a graph of all pages."""

    def __init__(self) -> None:
        self._ends: list[tuple[int, int]] = []
        self._known: LinkGraph | None = None

    def add(self, page: int, children: Sequence[int]) -> None:
        """Take up a fetched page."""
        self._ends += [(page, child) for child in children]
        self._known = None

    @property
    def graph(self) -> LinkGraph:
        """As the crawl's blackboard gives it."""
        if self._known is None:
            ends = np.array(self._ends, np.int64).reshape(-1, 2)
            self._known = LinkGraph.of_links(*ends.T)
        return self._known

    def n_links(self, n_pages: int) -> NDArray[np.int64]:
        """In-links of each page, shape (n_pages,)."""
        return np.bincount([child for _, child in self._ends], minlength=n_pages)


_NO_TERMS = PageTerms("", [], b"", b"")


def _best(frontier: dict[int, Waiting], n: int | None) -> list[Waiting]:
    waiting = sorted(frontier.values(), key=lambda entry: (-entry.priority, entry.key))
    return waiting[:n]
