"""Layer by layer: the best children of each layer, the others dropped [P2]."""

import random
from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
from msgspec.structs import replace

from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import ParsedPage
from crawler.ranking.score import typical_scale
from crawler.ranking.viterbi import dynamic_values, next_layer
from crawler.strategies.base import (
    FrontierView,
    Integration,
    JudgedPage,
    LinkGraph,
    Rating,
    Waiting,
)
from crawler.strategies.order import ByPriority, Memory
from crawler.strategies.topic_words import TopicVector, topic_similarity
from focusweb.parameters import Parameter, gettext_noop, require

#: Kept children go before every dropped one, whose F is below 1.
KEPT = 1.0


class _Memory(Memory, frozen=True):
    """The topic's words, and the layers of the run.

    Attributes
    ----------
    layer : dict of int to float
        The layer that is being fetched, with its transition weights.
    layers : list of list of int
        The layers since the run began, or since a ring closed.
    relevances : dict of int to float
        Of the pages fetched: what their content is worth.
    n_fetched : int
        Pages of the run at the last interval; fewer at the next one mean a new run.
    is_closed : bool
        A ring has closed, and the run ends.
    """

    words: bytes
    layer: dict[int, float] = {}
    layers: list[list[int]] = []
    relevances: dict[int, float] = {}
    n_fetched: int = 0
    is_closed: bool = False


class Viterbi(ByPriority):
    """Fetches in layers; a page hands its weight to its children.

    A child's static value f is phi1 * LV + phi2 * CV. LV is of the links found so far, in
    this run and before. CV of a fetched page is its relevance. That of another one is as far
    as it is known: the mean of its parent's relevance and the words of the link and its block
    (*Resolved*). A layer may hold pages that were fetched before, which are not fetched again.

    When a layer comes for the second time a ring of pages has closed. Then the run begins anew
    with the best children dropped before, or ends. So it does where a layer has no child.

    Parameters
    ----------
    layer_pages : int, default 10
        k, most pages of a layer.
    link_weight : float, default 0.7
        phi1, in [0, 1]; phi2 is the rest.
    saturation : float, default 0
        s of the link value; 0 takes the median of the links found so far, 1 is the paper's.
    restarts : int, default 1
        1 to begin anew when a ring has closed, 0 to end the run, as in the paper.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    name = "viterbi"
    parameters = (
        Parameter(
            "layer_pages", 10, gettext_noop("maximum pages per layer"), 1, inf, is_whole=True
        ),
        Parameter("link_weight", 0.7, gettext_noop("weight of links; the rest goes to content")),
        Parameter(
            "saturation",
            0.0,
            gettext_noop("links that score one half; 0 uses the median, 1 is from the paper"),
            0,
            inf,
        ),
        Parameter(
            "restarts",
            1,
            gettext_noop("1 starts again when a ring of pages has closed, 0 ends the run"),
            is_whole=True,
        ),
    )

    def __init__(
        self,
        layer_pages: int = 10,
        link_weight: float = 0.7,
        saturation: float = 0.0,
        restarts: int = 1,
    ) -> None:
        require(
            self,
            layer_pages=layer_pages,
            link_weight=link_weight,
            saturation=saturation,
            restarts=restarts,
        )
        self._layer_pages, self._phi1, self._saturation = int(layer_pages), link_weight, saturation
        self._restarts = bool(restarts)

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Know the topic's own words; the seeds will be the first layer."""
        words = TopicVector.of(profile_vector(profile)).dump()
        return _Memory(words).dump()

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        memory = _Memory.load(state)
        words = TopicVector.load(memory.words)
        # Until the layer is complete a link waits behind the layer, by its present rating.
        weight = memory.layer.get(judged.key, 0.0)
        around = [topic_similarity(block, words) for block in page.blocks]
        ratings: list[Rating | None] = []
        for link in page.links:
            nearby = around[link.block] if link.block >= 0 else 0.0
            content = (judged.relevance + max(topic_similarity(link.tokens, words), nearby)) / 2
            first = weight * (1 - self._phi1) * content
            ratings.append(Rating(first, {"content": first}, {"content": content}))
        return ratings

    def choose(
        self, view: FrontierView, n_pages: int, state: bytes, rng: random.Random
    ) -> list[int]:
        """Seeds and pages of the layer; only without them what layers have dropped."""
        best = view.waiting(n_pages)
        first = [entry for entry in best if entry.parent is None or "weight" in entry.memo]
        return [entry.key for entry in first or best]

    def has_ended(self, state: bytes, n_fetched: int) -> bool:
        """True once a ring has closed, unless that begins anew."""
        memory = _Memory.load(state)
        return memory.is_closed and n_fetched >= memory.n_fetched

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Learn words; when no page of the layer waits any more, choose the next layer."""
        memory = _Memory.load(state)
        if view.n_fetched < memory.n_fetched:
            memory = replace(memory, layer={}, layers=[], is_closed=False)
        layer = memory.layer or {page.key: 1 / len(pages) for page in pages}
        # A page of an earlier or later layer joins with the weight it was given, if any.
        for page in pages:
            layer.setdefault(page.key, float(page.memo.get("weight", min(layer.values()))))
        memory = replace(
            memory,
            words=TopicVector.load(memory.words).learnt(pages).dump(),
            layer=layer,
            relevances=memory.relevances | {page.key: page.relevance for page in pages},
            n_fetched=view.n_fetched,
        )
        waiting = {entry.key: entry for entry in view.waiting(None)}
        is_fetching = any(key in waiting for key in layer)
        if is_fetching or any(entry.parent is None for entry in waiting.values()):
            return Integration(memory.dump())
        return self._next(memory, waiting, view.graph().distinct())

    def _next(
        self, memory: _Memory, waiting: Mapping[int, Waiting], graph: LinkGraph
    ) -> Integration:
        """The next layer with a page that was not fetched, or the end of the ring."""
        link_values = self._link_values(graph)
        while True:
            links = _links_from(memory.layer, graph)
            values = {
                child: (
                    self._phi1 * link_values[child],
                    (1 - self._phi1) * _content(child, waiting, memory.relevances),
                )
                for child in {child for _, child in links}
                if child in waiting or child in memory.relevances
            }
            dynamic = dynamic_values(
                memory.layer, links, {key: sum(parts) for key, parts in values.items()}
            )
            chosen = next_layer(dynamic, self._layer_pages)
            if not chosen:
                return Integration(replace(memory, layer={}, layers=[]).dump())
            if sorted(chosen) in memory.layers:
                is_closed = not self._restarts
                return Integration(replace(memory, layer={}, layers=[], is_closed=is_closed).dump())
            memory = replace(memory, layer=chosen, layers=[*memory.layers, sorted(chosen)])
            if any(key in waiting for key in chosen):
                ratings = {
                    key: _rating(waiting[key], dynamic[key], values[key], chosen.get(key))
                    for key in dynamic
                    if key in waiting
                }
                return Integration(memory.dump(), ratings)

    def _link_values(self, graph: LinkGraph) -> dict[int, float]:
        """LV of each page of the graph."""
        counts = np.bincount(graph.targets, minlength=len(graph.keys))
        scale = self._saturation or typical_scale(counts[counts > 0].tolist())
        values = (2 / np.pi * np.arctan(counts / scale)).tolist()
        return dict(zip(graph.keys.tolist(), values, strict=True))


def _links_from(layer: Mapping[int, float], graph: LinkGraph) -> list[tuple[int, int]]:
    of_layer = np.isin(graph.keys[graph.sources], list(layer))
    sources = graph.keys[graph.sources[of_layer]].tolist()
    return list(zip(sources, graph.keys[graph.targets[of_layer]].tolist(), strict=True))


def _content(key: int, waiting: Mapping[int, Waiting], relevances: Mapping[int, float]) -> float:
    """CV of a page, as far as it is known."""
    if key in relevances:
        return relevances[key]
    return float(waiting[key].memo.get("content", 0.0))


def _rating(
    entry: Waiting, dynamic: float, values: tuple[float, float], weight: float | None
) -> Rating:
    """F of a waiting child, and its place in the layer if it has one."""
    share = dynamic / (sum(values) or 1.0)
    parts = {"link": share * values[0], "content": share * values[1]}
    memo = {"content": entry.memo.get("content", 0.0)}
    if weight is not None:
        parts["layer"] = KEPT
        memo["weight"] = weight
    return Rating(sum(parts.values()), parts, memo)
