"""Breadth-first with a filter: links whose words do not name the topic are dropped [P1]."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import inf
from zlib import crc32

from crawler.knowledge.ontology.matching import ConceptMatcher
from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import ParsedPage
from crawler.strategies.base import FrontierView, Integration, JudgedPage, Rating
from crawler.strategies.link_notes import SAMPLED, SHARE
from crawler.strategies.order import SEED_PRIORITY, ByPriority, Memory
from crawler.strategies.topic_words import TopicVector
from focusweb.parameters import Parameter, ParameterRule, gettext_noop, require

#: Words of the example pages that count as topic features beside the person's own.
N_LEARNT = 40
#: A sampled link comes after the others of its depth, and before those of the next.
_LATER = 0.5


class _Memory(Memory, frozen=True):
    """The topic's features: concepts by label, and words (of which examples teach more)."""

    labels: list[tuple[str, str]]
    words: bytes
    features: list[str] = []


class OntologyStrategy(ByPriority):
    """Breadth-first over the links that pass the anchor-text filter (ATAA).

    pi is the number of topic features in the anchor and its block, divided by the number
    of all features, at most `rich_block` (*Resolved*). Below `drop_below` the link is
    dropped; from `direct_from` on its page is fetched at once and kept unjudged. Nothing
    is dropped before the example pages have taught their words (*Resolved*): they are the
    paper's first library. One in `sample` links that would be dropped is followed, so that the
    share of relevant pages among the dropped ones is known (*Resolved*). The URL alone decides
    whether a link is in the sample.

    Parameters
    ----------
    drop_below : float, default 0.1
        theta', in [0, 1].
    direct_from : float, default 0.6
        theta, in (theta', 1].
    rich_block : int, default 10
        Features that a rich block can hold; caps the divisor.
    sample : int, default 50
        One in so many dropped links is followed; 0 for none.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    name = "ontology"
    parameters = (
        Parameter(
            "drop_below",
            0.1,
            gettext_noop("drop links whose share of topic features is below this"),
        ),
        Parameter(
            "direct_from",
            0.6,
            gettext_noop("fetch a page at once and keep it from this share on"),
        ),
        Parameter(
            "rich_block",
            10,
            gettext_noop("number of features that a rich text block can contain"),
            1,
            inf,
            is_whole=True,
        ),
        Parameter(
            "sample",
            50,
            gettext_noop("follow one in so many dropped links, to estimate the error; 0 for none"),
            0,
            inf,
            is_whole=True,
        ),
    )
    rules = (
        ParameterRule(
            ("drop_below", "direct_from"),
            lambda low, high: low < high,
            gettext_noop(
                "drop_below must be less than direct_from, got %(drop_below)s and %(direct_from)s"
            ),
        ),
    )

    def __init__(
        self,
        drop_below: float = 0.1,
        direct_from: float = 0.6,
        rich_block: int = 10,
        sample: int = 50,
    ) -> None:
        require(
            self,
            drop_below=drop_below,
            direct_from=direct_from,
            rich_block=rich_block,
            sample=sample,
        )
        self._low, self._high, self._rich = drop_below, direct_from, int(rich_block)
        self._sample = int(sample)

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Know the topic's name, terms and concepts."""
        texts = [profile.name, *(term.text for term in profile.terms if not term.excluded)]
        labels = [(text, text) for text in texts]
        labels += [(concept.concept, concept.text) for concept in profile.concepts]
        return _Memory(labels, TopicVector.of({}).dump()).dump()

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Take up the strongest words of example pages; later pages teach nothing [P1]."""
        examples = [page for page in pages if page.depth_hops == 0]
        memory = _Memory.load(state)
        words = TopicVector.load(memory.words).learnt(examples)
        best = sorted(words.vector, key=lambda term: (-words.vector[term], term))
        memory = _Memory(memory.labels, words.dump(), best[:N_LEARNT])
        return Integration(memory.dump())

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        features = _features(state)
        depth_hops = judged.depth_hops + 1
        blocks = [features.present(block) for block in page.blocks]
        ratings: list[Rating | None] = []
        for link in page.links:
            found = features.present(link.tokens)
            if link.block >= 0:
                found |= blocks[link.block]
            share = len(found) / max(min(features.n_features, self._rich), 1)
            is_dropped = share < self._low and features.is_taught
            ratings.append(
                self._sampled(link.url, depth_hops, share)
                if is_dropped
                else self._rating(depth_hops, share)
            )
        return ratings

    def _rating(self, depth_hops: int, share: float) -> Rating:
        parts = {"depth": -float(depth_hops)}
        if share < self._high:
            return Rating(parts["depth"], parts, {SHARE: share})
        parts["direct"] = SEED_PRIORITY / 2
        return Rating(sum(parts.values()), parts, {SHARE: share}, keep=True)

    def _sampled(self, url: str, depth_hops: int, share: float) -> Rating | None:
        """The rating of a dropped link; None unless it is in the sample."""
        if not self._sample or crc32(url.encode()) % self._sample:
            return None
        parts = {"depth": -float(depth_hops), SAMPLED: -_LATER}
        return Rating(sum(parts.values()), parts, {SHARE: share, SAMPLED: True})


class _Features:
    """Finds the topic's features among tokens."""

    def __init__(self, memory: _Memory) -> None:
        self._matcher = ConceptMatcher(memory.labels)
        self._words = frozenset(memory.features)
        self.n_features = len(self._words.union(concept for concept, _ in memory.labels))
        self.is_taught = bool(self._words)

    def present(self, tokens: Iterable[str]) -> frozenset[str]:
        """Concepts and words that occur; a word inside a found label counts as well."""
        listed = list(tokens)
        return self._matcher.present(listed) | self._words.intersection(listed)


@lru_cache(maxsize=4)
def _features(state: bytes) -> _Features:
    # Every page of an interval passes the same bytes.
    return _Features(_Memory.load(state))
