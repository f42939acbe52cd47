"""Layer by layer: the best children of each layer, the others dropped [P2]."""

from collections.abc import Iterator, Sequence
from math import inf

import msgspec
import numpy as np

from crawler.knowledge.parameters import Parameter, gettext_noop, require
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import ParsedPage
from crawler.ranking.score import link_value, typical_scale
from crawler.ranking.viterbi import dynamic_values, next_layer
from crawler.strategies.base import (
    FrontierView,
    Integration,
    JudgedPage,
    LinkGraph,
    Rating,
    Waiting,
)
from crawler.strategies.order import ByPriority
from crawler.strategies.topic_words import TopicWords, similarity

#: Kept children go before every dropped one, whose F is below 1.
KEPT = 1.0


class _Memory(msgspec.Struct):
    """The topic's words and the layer that is being fetched, with its transition weights."""

    words: bytes
    layer: dict[int, float] = {}


class Viterbi(ByPriority):
    """Fetches in layers; a page hands its weight to its children.

    A child's static value f is phi1 * LV + phi2 * CV as far as it is known before the
    fetch: LV from the links found so far, CV from the parent's relevance and the words
    of the link and its block (*Resolved*). When
    a layer has no unseen child, the best children dropped before go on (a restart).

    Parameters
    ----------
    layer_pages : int, default 10
        k, most pages of a layer.
    link_weight : float, default 0.7
        phi1, in [0, 1]; phi2 is the rest.
    saturation : float, default 0
        s of the link value; 0 takes the median of the links found so far, 1 is the paper's.

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
    )

    def __init__(
        self, layer_pages: int = 10, link_weight: float = 0.7, saturation: float = 0.0
    ) -> None:
        require(self, layer_pages=layer_pages, link_weight=link_weight, saturation=saturation)
        self._layer_pages, self._phi1, self._saturation = int(layer_pages), link_weight, saturation

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Know the topic's own words; the seeds will be the first layer."""
        words = TopicWords.of(profile_vector(profile)).dump()
        return msgspec.msgpack.encode(_Memory(words))

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        memory = _load(state)
        words = TopicWords.load(memory.words)
        # Until the layer is complete a link waits behind the layer, by its present rating.
        weight = memory.layer.get(judged.key, 0.0)
        around = [similarity(block, words) for block in page.blocks]
        ratings: list[Rating | None] = []
        for link in page.links:
            nearby = around[link.block] if link.block >= 0 else 0.0
            content = (judged.relevance + max(similarity(link.tokens, words), nearby)) / 2
            first = weight * (1 - self._phi1) * content
            ratings.append(Rating(first, {"content": first}, {"content": content}))
        return ratings

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Learn words; when no page of the layer waits any more, choose the next layer."""
        memory = _load(state)
        words = TopicWords.load(memory.words).learnt(pages).dump()
        layer = memory.layer or {page.key: 1 / len(pages) for page in pages}
        # A page of an earlier or later layer joins with the weight it was given, if any.
        for page in pages:
            layer.setdefault(page.key, float(page.memo.get("weight", min(layer.values()))))
        waiting = view.waiting(None)
        if any(entry.key in layer or entry.parent is None for entry in waiting):
            return Integration(_dump(words, layer))
        graph = view.graph().distinct()
        of_layer = np.isin(graph.keys[graph.sources], list(layer))
        links = list(
            zip(
                graph.keys[graph.sources[of_layer]].tolist(),
                graph.keys[graph.targets[of_layer]].tolist(),
                strict=True,
            )
        )
        children = {child for _, child in links}
        values = dict(
            self._static_values([entry for entry in waiting if entry.key in children], graph)
        )
        dynamic = dynamic_values(layer, links, {key: sum(parts) for key, parts in values.items()})
        chosen = next_layer(dynamic, self._layer_pages)
        ratings = {}
        for entry in waiting:
            if entry.key not in dynamic:
                continue  # dropped by an earlier layer, at the rating it had then
            share = dynamic[entry.key] / (sum(values[entry.key]) or 1.0)
            link, content = (share * part for part in values[entry.key])
            parts = {"link": link, "content": content}
            memo = {"content": entry.memo.get("content", 0.0)}
            if entry.key in chosen:
                parts["layer"] = KEPT
                memo["weight"] = chosen[entry.key]
            ratings[entry.key] = Rating(sum(parts.values()), parts, memo)
        return Integration(_dump(words, chosen or layer), ratings)

    def _static_values(
        self, waiting: Sequence[Waiting], graph: LinkGraph
    ) -> Iterator[tuple[int, tuple[float, float]]]:
        """Both parts of each waiting URL's f."""
        counts = np.bincount(graph.targets, minlength=len(graph.keys))
        n_links = dict(zip(graph.keys.tolist(), counts.tolist(), strict=True))
        scale = self._saturation or typical_scale(counts[counts > 0].tolist())
        for entry in waiting:
            link = link_value(n_links.get(entry.key, 0), scale)
            content = float(entry.memo.get("content", 0.0))
            yield entry.key, (self._phi1 * link, (1 - self._phi1) * content)


def _load(state: bytes) -> _Memory:
    return msgspec.msgpack.decode(state, type=_Memory)


def _dump(words: bytes, layer: dict[int, float]) -> bytes:
    return msgspec.msgpack.encode(_Memory(words, layer))
