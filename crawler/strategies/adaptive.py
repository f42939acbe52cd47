"""Inherited value: the main channel first, side channels when it is blocked [P3]."""

from collections.abc import Sequence
from math import atan, inf, pi

from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import ParsedPage
from crawler.ranking.pagerank import pagerank
from crawler.strategies.base import FrontierView, Integration, JudgedPage, Rating
from crawler.strategies.order import ByPriority, Memory
from crawler.strategies.topic_words import TopicVector, topic_similarity
from focusweb.parameters import Parameter, gettext_noop, require

#: Val of a seed.
FULL = 100.0
#: Part of a link's own value that its authority can make up.
AUTHORITY_SHARE = 0.2


class _Memory(Memory, frozen=True):
    """The topic vector, and pages since the last PageRank."""

    words: bytes
    n_buffered: int = 0


class Adaptive(ByPriority):
    """URLs by the value they inherited, and those of equal value by their own.

    A link with val > f inherits its page's Val whole; another gets Val * r, so that the
    crawl goes on through off-topic pages when nothing better waits. val is a part from the
    text, and a part from PageRank, recomputed when a buffer of pages is full. *Resolved*: three
    things make the part from the text, of which the largest counts. They are the similarity of
    the link's words with the adaptive topic vector, that of its block, and half the page's
    relevance. The paper calls a channel blocked when its page is off topic.

    *Resolved*: Val is 100 * r^n after n links below f. So the priority is 100 - n + val. As val
    is below 1, that sorts by Val first and by val second.

    Parameters
    ----------
    threshold : float, default 0.15
        f, in [0, 1].
    factor : float, default 0.7
        r, what a blocked channel keeps, in [0, 1) (*Resolved*); 0 drops its links. Any r above 0
        gives the same order.
    buffer : int, default 50
        Pages after which PageRank is computed anew.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    name = "adaptive"
    parameters = (
        Parameter(
            "threshold", 0.15, gettext_noop("similarity at which a link inherits the full score")
        ),
        Parameter(
            "factor",
            0.7,
            gettext_noop("share of the score that other links inherit; 0 drops them"),
            excluded=frozenset({1.0}),
        ),
        Parameter(
            "buffer",
            50,
            gettext_noop("re-rank the frontier after this many pages"),
            1,
            inf,
            is_whole=True,
        ),
    )

    def __init__(self, threshold: float = 0.15, factor: float = 0.7, buffer: int = 50) -> None:
        require(self, threshold=threshold, factor=factor, buffer=buffer)
        self._threshold, self._factor, self._buffer = threshold, factor, int(buffer)

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Know the topic's own words."""
        return _Memory(TopicVector.of(profile_vector(profile)).dump()).dump()

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        words = TopicVector.load(_Memory.load(state).words)
        n_blocked = int(judged.memo.get("blocked", 0))
        contexts = [topic_similarity(block, words) for block in page.blocks]
        ratings: list[Rating | None] = []
        for link in page.links:
            around = contexts[link.block] if link.block >= 0 else 0.0
            text = max(topic_similarity(link.tokens, words), around, judged.relevance / 2)
            rating = self._rating(n_blocked, text, 0.0)
            is_given_up = rating.memo["blocked"] and not self._factor
            ratings.append(None if is_given_up else rating)
        return ratings

    def _rating(self, parent_blocked: int, text: float, authority: float) -> Rating:
        own = (1 - AUTHORITY_SHARE) * text + AUTHORITY_SHARE * authority
        n_blocked = parent_blocked + (own <= self._threshold)
        value = FULL * self._factor**n_blocked
        parts = {
            "inherited": FULL - n_blocked,
            "words": (1 - AUTHORITY_SHARE) * text,
            "authority": AUTHORITY_SHARE * authority,
        }
        memo = {
            "value": value,
            "blocked": n_blocked,
            "parent_blocked": parent_blocked,
            "text": text,
        }
        return Rating(sum(parts.values()), parts, memo)

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Revise the topic vector; when the buffer is full, the authorities too."""
        memory = _Memory.load(state)
        words = TopicVector.load(memory.words).learnt(pages).dump()
        n_buffered = memory.n_buffered + len(pages)
        if n_buffered < self._buffer:
            return Integration(_Memory(words, n_buffered).dump())
        graph = view.graph()
        ranks = pagerank(len(graph.keys), graph.sources, graph.targets)
        by_key = dict(zip(graph.keys.tolist(), ranks.tolist(), strict=True))
        ratings = {}
        for entry in view.waiting(None):
            if entry.parent is not None:
                authority = 2 / pi * atan(by_key.get(entry.key, 0.0))
                memo = entry.memo
                ratings[entry.key] = self._rating(
                    int(memo.get("parent_blocked", 0)), float(memo.get("text", 0.0)), authority
                )
        return Integration(_Memory(words).dump(), ratings)
