"""Shark-Search: inherited relevance, the anchor's words and the words around it."""

from collections.abc import Sequence

from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import ParsedPage
from crawler.strategies.base import FrontierView, Integration, JudgedPage, Rating
from crawler.strategies.order import ByPriority
from crawler.strategies.topic_words import TopicVector, topic_similarity
from focusweb.parameters import Parameter, gettext_noop, require

#: Relevance above which a page hands on its own, not what it inherited.
RELEVANT = 0.1
#: An anchor this similar needs no context.
CLEAR_ANCHOR = 0.02


class SharkSearch(ByPriority):
    """Fish-Search with degrees: how relevant, how near, how well announced.

    Parameters
    ----------
    decay : float, default 0.5
        delta, what is left of an ancestor's relevance after one link, in [0, 1].
    inherited_share : float, default 0.5
        gamma, weight of what is inherited against the link's own words, in [0, 1].
    anchor_share : float, default 0.8
        beta, weight of the anchor against its context, in [0, 1].

    Raises
    ------
    ValueError
        If a parameter is outside [0, 1].

    References
    ----------
    M. Hersovici and others, "The Shark-Search algorithm. An application: tailored
    Web site mapping", Proc. WWW7, 1998.
    """

    name = "shark_search"
    parameters = (
        Parameter(
            "decay", 0.5, gettext_noop("share of a page's relevance that remains after one link")
        ),
        Parameter(
            "inherited_share",
            0.5,
            gettext_noop("weight of the inherited score against the link's own text"),
        ),
        Parameter(
            "anchor_share", 0.8, gettext_noop("weight of the anchor text against its context")
        ),
    )

    def __init__(
        self, decay: float = 0.5, inherited_share: float = 0.5, anchor_share: float = 0.8
    ) -> None:
        require(self, decay=decay, inherited_share=inherited_share, anchor_share=anchor_share)
        self._decay, self._gamma, self._beta = decay, inherited_share, anchor_share

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Know the topic's own words."""
        return TopicVector.of(profile_vector(profile)).dump()

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Learn what the topic's pages say."""
        return Integration(TopicVector.load(state).learnt(pages).dump())

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        words = TopicVector.load(state)
        before = float(judged.memo.get("inherited", 0.0))
        own = judged.relevance if judged.relevance > RELEVANT else before
        inherited = self._decay * own
        contexts = [topic_similarity(block, words) for block in page.blocks]
        ratings: list[Rating | None] = []
        for link in page.links:
            anchor = topic_similarity(link.tokens, words)
            around = contexts[link.block] if link.block >= 0 else 0.0
            context = 1.0 if anchor > CLEAR_ANCHOR else around
            parts = {
                "parent": self._gamma * inherited,
                "anchor": (1 - self._gamma) * self._beta * anchor,
                "context": (1 - self._gamma) * (1 - self._beta) * context,
            }
            ratings.append(Rating(sum(parts.values()), parts, {"inherited": inherited}))
        return ratings
