"""The default crawl order: what is known of a link, weighed, and renewed as pages come in."""

import random
from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from crawler.knowledge.parameters import Parameter, gettext_noop, require
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import ParsedPage
from crawler.page.url import site_of
from crawler.strategies.base import (
    FrontierView,
    Integration,
    JudgedPage,
    LinkGraph,
    Memo,
    Rating,
    Waiting,
)
from crawler.strategies.focus_memory import FocusMemory, Known, known, load
from crawler.strategies.link_features import (
    Floats,
    WordLists,
    bucket,
    buckets_of,
    lifts_of,
    packed_words,
)
from crawler.strategies.order import ByPriority
from crawler.text.tokens import url_tokens

#: Words of a block and of an anchor that are remembered with a link.
MAX_CONTEXT, MAX_ANCHOR = 40, 12
#: Most of a crawl that chance may choose.
MOST_EXPLORATION = 0.03
#: What each piece of evidence weighs, in log-odds; measured as told in docs/strategies.md.
WEIGHTS: Mapping[str, float] = {
    "parents": 0.9,
    "parents_mean": 0.5,
    "name": 0.2,
    "context_words": 0.6,
    "anchor_words": 0.4,
    "context": 3.0,
    "site": 2.4,
    "block": 1.2,
    "hub": 1.2,
    "anchors_seen": 0.2,
    "diversity": 0.0,
}
#: Log-odds of a link of which nothing is known.
START = -2.5
#: A large crawl rates the frontier anew when it has grown by this share: that costs as much
#: as thousands of waiting URLs do, and fewer pages than these change little.
GROWTH = 0.05


class Focus(ByPriority):
    """Links by the log-odds that their page is on topic, from everything seen so far.

    Evidence of a link: how much worth its parents have, together and on average; the
    topic's name in its anchor; what pages with the words of its anchor and block were
    worth; how similar the block is to the worthy pages; what other pages of its site and
    folder, of its block and behind each of its parents were worth; what pages under
    similar anchors were worth. With `diversity` above 0, every page fetched from a site
    makes its next a little less wanted. All of it is learnt during the crawl; the frontier
    is rated anew every `interval` pages.

    Parameters
    ----------
    interval : int, default 25
        Pages after which the frontier is rated anew; in a crawl of more than 20 times as many,
        after a twentieth of its pages.
    exploration : float, default 0
        Share of pages chosen by chance, in [0, 0.03].
    **weights : float
        What a piece of evidence weighs instead of its default; 0 leaves it out.

    Raises
    ------
    ValueError
        If a parameter is out of range or a weight has no such name.
    """

    name = "focus"
    parameters = (
        Parameter(
            "interval", 25, gettext_noop("pages after which the frontier is rated anew"),
            1, inf, is_whole=True,
        ),
        Parameter(
            "exploration", 0.0, gettext_noop("share of pages chosen by chance"),
            0, MOST_EXPLORATION,
        ),
        *(
            Parameter(
                piece, weight,
                gettext_noop("weight of this piece of evidence; 0 leaves it out"), 0, 100,
            )
            for piece, weight in WEIGHTS.items()
        ),
    )  # fmt: skip

    def __init__(self, interval: int = 25, exploration: float = 0.0, **weights: float) -> None:
        require(self, interval=interval, exploration=exploration, **weights)
        self._interval, self._exploration = int(interval), exploration
        self._weights = {**WEIGHTS, **weights}

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Know the topic's own words."""
        return FocusMemory(sorted({bucket(word) for word in profile_vector(profile)})).dump()

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        knowledge = known(state)
        contexts = [packed_words(block, MAX_CONTEXT) for block in page.blocks]
        memos = [
            {
                "anchor": packed_words(link.tokens or url_tokens(link.url), MAX_ANCHOR),
                "context": contexts[link.block] if link.block >= 0 else b"",
                "block": link.block,
            }
            for link in page.links
        ]
        parent = np.full(len(memos), judged.relevance if judged.parent is not None else 1.0)
        evidence = (
            self._words(memos, knowledge)
            | {
                "parents": np.log1p(parent),
            }
            | _site_evidence([(site_of(link.url), link.url) for link in page.links], knowledge)
        )
        return self._ratings(memos, evidence)

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Learn from the pages; when enough have come, rate the frontier anew."""
        memory = load(state)
        n_unrated = memory.n_unrated + len(pages)
        interval = max(self._interval, int(GROWTH * len(memory.pages)))
        # The first pages change everything that is known.
        is_due = n_unrated >= min(interval, 5 + len(memory.pages) // 4)
        grown = memory.learnt(pages, 0 if is_due else n_unrated).dump()
        if not is_due:
            return Integration(grown)
        waiting = [entry for entry in view.waiting(None) if entry.parent is not None]
        return Integration(grown, self._rated(waiting, view.graph(), known(grown)))

    def choose(
        self, view: FrontierView, n_pages: int, state: bytes, rng: random.Random
    ) -> list[int]:
        """The best waiting URLs; now and then, if asked for, any."""
        best = [entry.key for entry in view.waiting(n_pages)]
        n_drawn = sum(rng.random() < self._exploration for _ in best)
        if n_drawn:
            others = [entry.key for entry in view.waiting(None)]
            best[-n_drawn:] = rng.sample(others, n_drawn)
        return best

    def _rated(
        self, waiting: Sequence[Waiting], graph: LinkGraph, knowledge: Known
    ) -> dict[int, Rating]:
        memos = [
            {name: value for name, value in entry.memo.items() if name != "parts"}
            for entry in waiting
        ]
        evidence = (
            self._words(memos, knowledge)
            | _graph_evidence(waiting, graph, knowledge)
            | _site_evidence([(entry.site, entry.url) for entry in waiting], knowledge)
            | {
                "block": np.array(
                    [
                        knowledge.block_lift(entry.parent or 0, int(memo.get("block", -1)))
                        for entry, memo in zip(waiting, memos, strict=True)
                    ]
                ),
            }
        )
        keys = [entry.key for entry in waiting]
        return dict(zip(keys, self._ratings(memos, evidence), strict=True))

    def _words(self, memos: Sequence[Memo], knowledge: Known) -> dict[str, Floats]:
        """Evidence in the words of anchors and blocks."""
        anchors = [memo.get("anchor", b"") for memo in memos]
        anchor = WordLists.of(anchors)
        context = WordLists.of([memo.get("context", b"") for memo in memos])
        rarity, even = knowledge.rarity, np.ones_like(knowledge.rarity)
        return {
            "name": np.array([_named(words, knowledge.name) for words in anchors]),
            "anchor_words": anchor.mean(knowledge.word_lifts, rarity),
            "context_words": context.mean(knowledge.word_lifts, rarity),
            "context": context.cosine(knowledge.centre, rarity),
            "anchors_seen": anchor.mean(knowledge.anchor_lifts, even),
        }

    def _ratings(self, memos: Sequence[Memo], evidence: Mapping[str, Floats]) -> list[Rating]:
        """Weigh the evidence; what each piece adds is a part of the priority."""
        names = [name for name in evidence if self._weights[name]]
        columns = [(evidence[name] * self._weights[name]).tolist() for name in names]
        ratings = []
        for memo, *values in zip(memos, *columns, strict=True):
            parts = {"start": START, **dict(zip(names, values, strict=True))}
            ratings.append(Rating(sum(parts.values()), parts, memo))
        return ratings


def _named(words: bytes, name: frozenset[int]) -> float:
    """How much of an anchor is the topic's name, in [0, 1]."""
    buckets = buckets_of(words).tolist()
    shared = sum(number in name for number in buckets)
    return min(shared / len(buckets) ** 0.5, 1.0) if shared else 0.0


def _site_evidence(places: Sequence[tuple[str, str]], knowledge: Known) -> dict[str, Floats]:
    """Evidence in where URLs, given with their sites, lie."""
    return {
        "site": np.array([knowledge.site_lift(site, url) for site, url in places]),
        "diversity": -np.log1p([knowledge.n_fetched_from(site) for site, _ in places]),
    }


def _graph_evidence(
    waiting: Sequence[Waiting], graph: LinkGraph, knowledge: Known
) -> dict[str, Floats]:
    """Evidence in who links to a URL: the parents' worth, and their other children's."""
    n_nodes = len(graph.keys)
    if not n_nodes:
        nothing = np.zeros(len(waiting))
        return {"parents": nothing, "parents_mean": nothing, "hub": nothing}
    worth = np.array([knowledge.worth.get(key, -1.0) for key in graph.keys.tolist()])
    links = graph.distinct()
    sources, targets = links.sources, links.targets
    is_known = worth[targets] >= 0
    children = np.bincount(sources[is_known], minlength=n_nodes).astype(np.float64)
    fruit = np.bincount(sources[is_known], worth[targets[is_known]], n_nodes).astype(np.float64)
    places = np.searchsorted(graph.keys, [entry.key for entry in waiting])
    places = np.minimum(places, n_nodes - 1)

    def over_parents(values: Floats) -> Floats:
        sums: Floats = np.bincount(targets, values[sources], n_nodes)[places].astype(np.float64)
        return sums

    n_parents = over_parents((worth >= 0).astype(np.float64))
    total = over_parents(np.maximum(worth, 0.0))
    # A parent none of whose children is known has no part in the mean.
    n_hubs = over_parents((children > 0).astype(np.float64))
    lifts = over_parents(lifts_of(children, fruit, knowledge.mean))
    return {
        "parents": np.log1p(total),
        "parents_mean": lifts_of(n_parents, total, knowledge.mean),
        "hub": lifts / np.maximum(n_hubs, 1.0),
    }
