"""How well what a first crawl keeps fits its topic: the judge where it works, not in a test."""

from collections.abc import Mapping
from dataclasses import dataclass

from crawler.evaluation.evaluating import topic_profile
from crawler.evaluation.replay import Replayed, replay
from crawler.evaluation.snapshot import Snapshot, SnapshotTopic
from crawler.knowledge.profile import CrawlSettings
from crawler.page.parsed import ParsedPage


@dataclass(frozen=True, slots=True)
class Kept:
    """What a crawl fetched and kept, its seeds left out.

    Attributes
    ----------
    n_fetched, n_on_topic, n_kept, n_right : int
        `n_on_topic` of the fetched pages carry the label, `n_right` of the kept ones.
    """

    n_fetched: int
    n_on_topic: int
    n_kept: int
    n_right: int

    @property
    def precision(self) -> float:
        """Share of the kept pages that carry the label; 0 if none is kept."""
        return self.n_right / max(self.n_kept, 1)

    @property
    def recall(self) -> float:
        """Share of the fetched pages of the topic that are kept; 0 if none was fetched."""
        return self.n_right / max(self.n_on_topic, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.n_right / max(self.n_kept + self.n_on_topic, 1)


def first_crawl(
    pages: Mapping[str, ParsedPage],
    topic: SnapshotTopic,
    *,
    judge: str,
    n_pages: int,
    seed: int = 0,
) -> Replayed:
    """Crawl a topic from its seeds in the default order, as the product does at first."""
    profile = topic_profile(topic)
    settings = CrawlSettings(judge=judge, n_pages=n_pages)
    return replay(pages, profile, settings, profile.seeds, chance=seed)


def crawl_and_keep(
    snapshot: Snapshot,
    pages: Mapping[str, ParsedPage],
    topic: SnapshotTopic,
    *,
    judge: str,
    n_pages: int,
    seed: int = 0,
) -> Kept:
    """Crawl a topic as `first_crawl` does, and look at what it kept.

    Labels serve for scoring only.
    """
    done = first_crawl(pages, topic, judge=judge, n_pages=n_pages, seed=seed)
    relevant, seeds = snapshot.pages_with(topic.name), frozenset(topic.seeds)
    found = {
        posting.claim.url.partition("://")[2]: posting.kept
        for posting in done.board.harvests.values()
    }
    unseen = {key: kept for key, kept in found.items() if key not in seeds}
    return Kept(
        n_fetched=len(unseen),
        n_on_topic=len(unseen.keys() & relevant),
        n_kept=sum(unseen.values()),
        n_right=sum(kept for key, kept in unseen.items() if key in relevant),
    )
