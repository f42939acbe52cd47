"""How well what a first crawl keeps fits its topic: the judge where it works, not in a test."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crawler.knowledge.profile import CrawlSettings
from crawler.lab.evaluating import PRODUCT, Conditions, known_pages, topic_profile
from crawler.lab.judge_evaluation import Bin, average_precision, by_relevance, reliability
from crawler.lab.labelled_answers import answer_questions
from crawler.page.parsed import ParsedPage
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.replay.replay import Replayed, replay
from crawler.replay.snapshot import Snapshot, SnapshotTopic


@dataclass(frozen=True, slots=True)
class Kept:
    """What a crawl fetched and kept, its seeds left out.

    Attributes
    ----------
    n_fetched, n_on_topic, n_kept, n_right : int
        `n_on_topic` of the fetched pages carry the label, `n_right` of the kept ones.
    n_asked, n_asked_on_topic : int
        Of the fetched pages, those with a question; they are kept if on topic.
    ap_unseen : float
        Average precision of the fetched pages in the order of their relevance, without seeds and
        without pages that had a question.
    bins : tuple of Bin
        Reliability by tenths of relevance, without the same pages.
    """

    n_fetched: int
    n_on_topic: int
    n_kept: int
    n_right: int
    n_asked: int = 0
    n_asked_on_topic: int = 0
    ap_unseen: float = 0.0
    bins: tuple[Bin, ...] = ()

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

    @property
    def f1_unseen(self) -> float:
        """The same without the pages that had a question."""
        answered = self.n_asked_on_topic
        return 2 * (self.n_right - answered) / max(self.n_kept + self.n_on_topic - 2 * answered, 1)


def first_crawl(
    pages: Mapping[str, ParsedPage],
    topic: SnapshotTopic,
    *,
    judge: str,
    n_pages: int,
    seed: int = 0,
    conditions: Conditions = PRODUCT,
) -> Replayed:
    """Crawl a topic from its seeds with the default strategy, as the product does at first."""
    profile = topic_profile(topic)
    settings = CrawlSettings(judge=judge, n_pages=n_pages, max_depth_hops=conditions.max_depth_hops)
    background = known_pages(pages, exclude=topic.seeds, seed=seed, most=conditions.n_known)
    return replay(
        pages,
        profile,
        settings,
        profile.seeds,
        limits=conditions.limits,
        chance=seed,
        background=background,
    )


def crawl_and_keep(
    snapshot: Snapshot,
    pages: Mapping[str, ParsedPage],
    topic: SnapshotTopic,
    *,
    judge: str,
    n_pages: int,
    seed: int = 0,
    conditions: Conditions = PRODUCT,
    answers: Sequence[int] = (0,),
) -> list[Kept]:
    """Crawl a topic as `first_crawl` does; measure what it kept after each number of answers.

    The labels score, and answer the questions in a person's place.
    """
    done = first_crawl(pages, topic, judge=judge, n_pages=n_pages, seed=seed, conditions=conditions)
    relevant, seeds = snapshot.pages_with(topic.name), frozenset(topic.seeds)
    return [measure_kept(done.board, relevant, seeds, n_answers) for n_answers in answers]


def measure_kept(
    board: MemoryBlackboard, relevant: Collection[str], seeds: Collection[str], n_answers: int
) -> Kept:
    """Compare what a crawl kept, after so many answers, with the labels."""
    relevances, answered = answer_questions(board, relevant, n_answers)
    kept = {}
    for row in board.judged_pages():
        key = row.url.partition("://")[2]
        passes = relevances[key] >= board.settings.threshold and not row.kept_out
        kept[key] = key in relevant if key in answered else passes if answered else row.kept
    unseen = {key: is_kept for key, is_kept in kept.items() if key not in seeds}
    ranked = [key for key in unseen if key not in answered]
    return Kept(
        n_fetched=len(unseen),
        n_on_topic=len(unseen.keys() & relevant),
        n_kept=sum(unseen.values()),
        n_right=sum(is_kept for key, is_kept in unseen.items() if key in relevant),
        n_asked=len(answered),
        n_asked_on_topic=sum(key in relevant for key in answered),
        ap_unseen=_ap(ranked, relevances, relevant),
        bins=_bins(ranked, relevances, relevant),
    )


def _ap(keys: Sequence[str], relevances: Mapping[str, float], relevant: Collection[str]) -> float:
    """Average precision of some pages, of equal ones those fetched first ahead."""
    order = by_relevance(np.array([relevances[key] for key in keys]), np.arange(len(keys)))
    hits = np.array([key in relevant for key in keys], np.bool_)
    return average_precision(hits[order], int(hits.sum()))


def _bins(
    keys: Sequence[str], relevances: Mapping[str, float], relevant: Collection[str]
) -> tuple[Bin, ...]:
    """Reliability of some pages' relevance."""
    said = np.array([relevances[key] for key in keys], np.float64)
    return reliability(said, np.array([key in relevant for key in keys], np.bool_))
