"""Best-first: the parent's relevance and the topic's words in the anchor."""

from collections.abc import Sequence

from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import PageLink, ParsedPage
from crawler.strategies.base import JudgedPage, Rating
from crawler.strategies.order import ByPriority, Memory
from crawler.text.tokens import tokenize, url_tokens
from focusweb.parameters import Parameter, gettext_noop, require


class _Memory(Memory, frozen=True):
    """The topic's words, with weights in (0, 1]."""

    words: dict[str, float]


class BestFirst(ByPriority):
    """Links of relevant pages first, and among them those whose anchor names the topic.

    Parameters
    ----------
    anchor_weight : float, default 0.5
        Share of the anchor in the priority, in [0, 1]; the parent has the rest.

    Raises
    ------
    ValueError
        If `anchor_weight` is outside [0, 1].
    """

    name = "best_first"
    parameters = (
        Parameter(
            "anchor_weight",
            0.5,
            gettext_noop("weight of the anchor text; the rest goes to the parent page"),
        ),
    )

    def __init__(self, anchor_weight: float = 0.5) -> None:
        require(self, anchor_weight=anchor_weight)
        self._anchor_weight = anchor_weight

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Remember the words of the topic's name and terms."""
        words = dict.fromkeys(tokenize(profile.name), 1.0)
        for term in profile.terms:
            if not term.excluded:
                words |= dict.fromkeys(tokenize(term.text), min(term.weight, 1.0))
        return _Memory(words).dump()

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        words = _Memory.load(state).words
        weight = self._anchor_weight
        from_parent = (1 - weight) * judged.relevance
        ratings: list[Rating | None] = []
        for link in page.links:
            from_anchor = weight * anchor_match(link, words)
            parts = {"parent": from_parent, "anchor": from_anchor}
            ratings.append(Rating(from_parent + from_anchor, parts))
        return ratings


def anchor_match(link: PageLink, words: dict[str, float]) -> float:
    """Share of an anchor's (or, without one, the URL's) words that are the topic's, in [0, 1]."""
    tokens = link.tokens or url_tokens(link.url)
    # Most anchors hold none of the topic's words.
    if words.keys().isdisjoint(tokens):
        return 0.0
    distinct = set(tokens)
    share: float = sum(words[token] for token in words.keys() & distinct) / len(distinct) ** 0.5
    return min(share, 1.0)
