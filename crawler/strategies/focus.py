"""The default strategy: all evidence of a link, weighed, and renewed as pages come in."""

import random
from collections.abc import Mapping, Sequence
from math import inf

import msgspec
import numpy as np

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
from crawler.strategies.focus_memory import (
    FocusMemory,
    FocusState,
    PageStatistics,
    knowledge_of,
    known,
    load_memory,
    load_state,
    new_page,
)
from crawler.strategies.link_features import (
    Floats,
    WordLists,
    bucket,
    lifts_of,
    packed_words,
)
from crawler.strategies.order import ByPriority
from crawler.text.hypernyms import senses_of
from crawler.text.tokens import url_tokens
from focusweb.parameters import Parameter, gettext_noop, require

#: Words of a block and of an anchor that are remembered with a link.
MAX_CONTEXT, MAX_ANCHOR = 40, 12
#: Most of a crawl that chance may choose.
MOST_EXPLORATION = 0.03
#: What each piece of evidence weighs, in log-odds; see docs/research/strategies.md.
WEIGHTS: Mapping[str, float] = {
    "parents": 0.9,
    "parents_mean": 0.5,
    "name": 3.0,
    "context_words": 0.6,
    "anchor_words": 0.4,
    "context": 3.0,
    "site": 2.4,
    "block": 1.2,
    "hub": 1.2,
    "anchors_seen": 0.2,
    "hypernyms": 2.2,
    "diversity": 0.0,
}
#: Parents that link to a page from their frames alone count as so many of their mean worth: a
#: menu is on every page of its site, whatever the page is about. With `MOST_FRAME_PARENTS` they
#: count as all others do.
FRAME_PARENTS, MOST_FRAME_PARENTS = 0.5, 1000
#: Log-odds of a link of which nothing is known.
START = -2.5
#: A large crawl rates the frontier anew when it has grown by this share: that costs as much
#: as thousands of waiting URLs do, and fewer pages than these change little.
GROWTH = 0.05
#: Of a larger frontier only so many, the best, are rated anew each time; all of it when the
#: crawl has grown by `WHOLE_GROWTH` since that was last done.
MOST_RATED, WHOLE_GROWTH = 3_000, 0.25


class Focus(ByPriority):
    """Links by the log-odds that their page is on topic, from everything seen so far.

    Evidence of a link: how much worth its parents have, together and on average, where those that
    link to it from their frames alone count as half a parent at most; the
    topic's name in its anchor; what pages with the words of its anchor and block were
    worth; how similar the block is to the worthy pages; what other pages of its site and
    folder, of its block and behind each of its parents were worth; what pages under
    similar anchors were worth, and under anchors that name the same kind of thing. With
    `diversity` above 0, every page fetched from a site makes its next a little less wanted. All
    of it is learnt during the crawl; the frontier is rated anew every `interval` pages.

    Parameters
    ----------
    interval : int, default 25
        Pages after which the frontier is rated anew; in a crawl of more than 20 times as many,
        after a twentieth of its pages.
    exploration : float, default 0
        Share of pages chosen by chance, in [0, 0.03].
    frame_parents : float, default 0.5
        Parents that link to a page from their frames alone count together as so many at most, in
        [0, 1000].
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
            "interval",
            25,
            gettext_noop("re-score the frontier after this many pages"),
            1,
            inf,
            is_whole=True,
        ),
        Parameter(
            "exploration",
            0.0,
            gettext_noop("share of pages chosen at random"),
            0,
            MOST_EXPLORATION,
        ),
        Parameter(
            "frame_parents",
            FRAME_PARENTS,
            gettext_noop("all pages whose menus link to a page count as this many at most"),
            0,
            MOST_FRAME_PARENTS,
        ),
        *(
            Parameter(
                piece,
                weight,
                gettext_noop("weight of this feature; 0 turns it off"),
                0,
                100,
            )
            for piece, weight in WEIGHTS.items()
        ),
    )

    def __init__(
        self,
        interval: int = 25,
        exploration: float = 0.0,
        frame_parents: float = FRAME_PARENTS,
        **weights: float,
    ) -> None:
        own = {"interval": interval, "exploration": exploration, "frame_parents": frame_parents}
        require(self, **own, **weights)
        self._interval, self._exploration = int(interval), exploration
        self._frame_parents = frame_parents
        self._weights = {**WEIGHTS, **weights}

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Know the topic's own words."""
        name = sorted({bucket(word) for word in profile_vector(profile)})
        return FocusState(FocusMemory(name).dump()).dump()

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
                "phrase": link.anchor if senses_of(link.anchor) else "",
            }
            for link in page.links
        ]
        worth = judged.relevance if judged.parent is not None else 1.0
        share = np.where([link.in_frame for link in page.links], min(self._frame_parents, 1.0), 1.0)
        evidence = (
            self._words(memos, knowledge)
            | {
                "parents": np.log1p(worth * share),
            }
            | _site_evidence([(site_of(link.url), link.url) for link in page.links], knowledge)
        )
        return self._ratings(memos, evidence)

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Learn from the pages; when enough have come, rate the frontier anew."""
        held = load_state(state)
        new = [*held.new, *map(new_page, pages)]
        memory = load_memory(held.memory)
        n_seen = len(memory.pages)
        # The first pages change everything that is known.
        interval = max(self._interval, int(GROWTH * n_seen))
        if len(new) < min(interval, 5 + n_seen // 4):
            return Integration(msgspec.structs.replace(held, new=new).dump())
        memory = memory.learnt(new)
        grown, n_pages = memory.dump(), held.n_pages + len(new)
        is_whole = n_pages >= (1 + WHOLE_GROWTH) * held.n_rated
        found = view.waiting(None if is_whole else MOST_RATED)
        waiting = [entry for entry in found if entry.parent is not None]
        ratings = self._rated(waiting, view.graph(in_frame=True), knowledge_of(grown))
        n_rated = n_pages if is_whole or len(found) < MOST_RATED else held.n_rated
        return Integration(FocusState(grown, [], n_pages, n_rated).dump(), ratings)

    def choose(
        self, view: FrontierView, n_pages: int, state: bytes, rng: random.Random
    ) -> list[int]:
        """Return the best waiting URLs; now and then, with exploration, any."""
        best = [entry.key for entry in view.waiting(n_pages)]
        n_drawn = sum(rng.random() < self._exploration for _ in best)
        if n_drawn:
            others = [entry.key for entry in view.waiting(None)]
            best[-n_drawn:] = rng.sample(others, n_drawn)
        return best

    def _rated(
        self, waiting: Sequence[Waiting], graph: LinkGraph, knowledge: PageStatistics
    ) -> dict[int, Rating]:
        memos = [
            {name: value for name, value in entry.memo.items() if name != "parts"}
            for entry in waiting
        ]
        evidence = (
            self._words(memos, knowledge)
            | _graph_evidence(waiting, graph, knowledge, self._frame_parents)
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

    def _words(self, memos: Sequence[Memo], knowledge: PageStatistics) -> dict[str, Floats]:
        """Evidence in the words of anchors and blocks."""
        anchor = WordLists.of([memo.get("anchor", b"") for memo in memos])
        context = WordLists.of([memo.get("context", b"") for memo in memos])
        rarity, even = knowledge.rarity, np.ones_like(knowledge.rarity)
        return {
            "name": _named(anchor, knowledge.name),
            "anchor_words": anchor.mean(knowledge.word_lifts, rarity),
            "context_words": context.mean(knowledge.word_lifts, rarity),
            "context": context.cosine(knowledge.centre, rarity),
            "anchors_seen": anchor.mean(knowledge.anchor_lifts, even),
            "hypernyms": np.array(
                [knowledge.hypernyms.lift(memo.get("phrase", "")) for memo in memos]
            ),
        }

    def _ratings(self, memos: Sequence[Memo], evidence: Mapping[str, Floats]) -> list[Rating]:
        """Weigh the evidence; what each piece adds is a part of the priority."""
        names = [name for name in evidence if self._weights[name]]
        columns = [np.full(len(memos), START)]
        columns += [evidence[name] * self._weights[name] for name in names]
        totals = sum(columns[1:], columns[0]).tolist()
        rows = zip(*(column.tolist() for column in columns), strict=True)
        named = ["start", *names]
        return [
            Rating(total, dict(zip(named, row, strict=True)), memo)
            for total, row, memo in zip(totals, rows, memos, strict=True)
        ]


def _named(anchors: WordLists, name: Floats) -> Floats:
    """How much of each anchor is the topic's name, and what that is worth, in [-1, 1]."""
    lengths = anchors.sum(np.ones_like(name))
    shares: Floats = np.clip(anchors.sum(name) / np.sqrt(np.maximum(lengths, 1.0)), -1.0, 1.0)
    return shares


def _site_evidence(
    places: Sequence[tuple[str, str]], knowledge: PageStatistics
) -> dict[str, Floats]:
    """Evidence in where URLs, given with their sites, lie."""
    return {
        "site": np.array([knowledge.site_lift(site, url) for site, url in places]),
        "diversity": -np.log1p([knowledge.n_fetched_from(site) for site, _ in places]),
    }


def _graph_evidence(
    waiting: Sequence[Waiting],
    graph: LinkGraph,
    knowledge: PageStatistics,
    frame_parents: float,
) -> dict[str, Floats]:
    """Evidence in who links to a URL: the parents' worth, and their other children's."""
    n_nodes = len(graph.keys)
    if not n_nodes:
        nothing = np.zeros(len(waiting))
        return {"parents": nothing, "parents_mean": nothing, "hub": nothing}
    worth = np.array([knowledge.worth.get(key, -1.0) for key in graph.keys.tolist()])
    sources, targets = graph.sources, graph.targets
    is_known = worth[targets] >= 0
    children = np.bincount(sources[is_known], minlength=n_nodes).astype(np.float64)
    fruit = np.bincount(sources[is_known], worth[targets[is_known]], n_nodes).astype(np.float64)
    places = np.searchsorted(graph.keys, [entry.key for entry in waiting])
    places = np.minimum(places, n_nodes - 1)
    framed = np.zeros(len(sources)) if graph.in_frame is None else graph.in_frame.astype(np.float64)

    def over_parents(values: Floats, weights: Floats) -> Floats:
        sums = np.bincount(targets, values[sources] * weights, n_nodes)[places]
        return sums.astype(np.float64)

    def counted(values: Floats, is_counted: Floats) -> tuple[Floats, Floats]:
        """Sum of the parents' values, and how many count; of frames at most `frame_parents`."""
        n_framed = over_parents(is_counted, framed)
        share = np.minimum(frame_parents / np.maximum(n_framed, 1.0), 1.0)
        total = over_parents(values, 1 - framed) + share * over_parents(values, framed)
        return total, over_parents(is_counted, 1 - framed) + share * n_framed

    total, n_parents = counted(np.maximum(worth, 0.0), (worth >= 0).astype(np.float64))
    # A parent none of whose children is known has no part in the mean.
    has_known = (children > 0).astype(np.float64)
    lifts, n_hubs = counted(lifts_of(children, fruit, knowledge.mean) * has_known, has_known)
    return {
        "parents": np.log1p(total),
        "parents_mean": lifts_of(n_parents, total, knowledge.mean),
        "hub": lifts / np.where(n_hubs > 0, n_hubs, 1.0),
    }
