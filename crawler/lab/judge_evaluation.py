"""How well a judge knows a topic's pages: precision, and whether its probabilities are true."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crawler.judging.context import as_judged
from crawler.knowledge.feedback import Feedback
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, JudgeKind, TrainingSet
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.page_matrix import relevances as relevances_of
from crawler.knowledge.profile import CrawlSettings, TopicConcept, TopicProfile
from crawler.knowledge.sections import Sections
from crawler.lab.evaluating import topic_profile
from crawler.page.parsed import PageTerms, ParsedPage
from crawler.replay.snapshot import Snapshot, SnapshotTopic

Vector = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Pages of any subject a judge compares with, as in a crawl.
N_BACKGROUND = 300
N_BINS = 10
#: A label one step down the label tree, as `is_a` in an ontology.
STEP_DEGREE = 0.8


@dataclass(frozen=True, slots=True)
class Bin:
    """Pages whose relevance falls into one tenth of [0, 1].

    Attributes
    ----------
    relevance : float
        What the judge said, on average; 0 for an empty bin.
    relevant : float
        Share of pages that carry the label; 0 for an empty bin.
    """

    n_pages: int
    relevance: float
    relevant: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's figures on one topic.

    Attributes
    ----------
    ap : float
        Average precision over all pages of the snapshot.
    ap_unseen : float
        The same over the pages the judge was not shown as examples.
    precision_100 : float
        Share of relevant pages among the 100 best.
    brier : float
        Mean squared error of relevance as a probability, over all pages.
    bins : tuple of Bin
        Reliability, by tenths of relevance.
    """

    ap: float
    ap_unseen: float
    precision_100: float
    brier: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class JudgedWeb:
    """A parsed snapshot, as judges see it.

    Attributes
    ----------
    pages : list of PageTerms
        Each key's terms.
    frequencies : DocumentFrequencies
        Of all pages.
    matrix : PageMatrix
        Their terms, to judge all in one go.
    """

    snapshot: Snapshot
    keys: list[str]
    pages: list[PageTerms]
    frequencies: DocumentFrequencies
    matrix: PageMatrix

    @classmethod
    def of(cls, snapshot: Snapshot, parsed: Mapping[str, ParsedPage]) -> "JudgedWeb":
        """Count the terms of all pages."""
        pages = [page.terms for page in parsed.values()]
        frequencies = DocumentFrequencies()
        frequencies.add(pages)
        return cls(snapshot, list(parsed), pages, frequencies, PageMatrix.of(pages))

    def places(self, keys: Collection[str]) -> list[int]:
        """Numbers of the pages with these keys, in page order."""
        return [number for number, key in enumerate(self.keys) if key in keys]

    def is_among(self, keys: Collection[str]) -> Bools:
        """True for each page whose key is among some, shape (n_pages,)."""
        return np.fromiter((key in keys for key in self.keys), np.bool_, len(self.keys))


def evaluate_judge(
    kind: JudgeKind,
    web: JudgedWeb,
    topic: SnapshotTopic,
    *,
    n_thumbs: int = 0,
    with_ontology: bool = False,
    seed: int = 0,
) -> Judged:
    """Build a judge for a topic from its seeds and name, and rate every page.

    Parameters
    ----------
    n_thumbs : int, default 0
        The judge's best pages that are not seeds get their true label as a thumb.
    with_ontology : bool, default False
        The labels below the topic's own in the snapshot's tree count as concepts.
    seed : int, default 0
        Of the background's choice and of the order of ties.

    Returns
    -------
    Judged
        Labels serve for scoring only, besides the thumbs.
    """
    rng = np.random.default_rng(seed)
    profile = topic_profile(topic)
    if with_ontology:
        profile = with_concepts(profile, web.snapshot, topic)
    relevant = web.is_among(web.snapshot.pages_with(topic.name))
    shown = web.is_among(topic.seeds)
    examples = [Example(web.pages[i]) for i in np.flatnonzero(shown)]
    others = rng.permutation(np.flatnonzero(~shown))
    background, ties = others[:N_BACKGROUND].tolist(), rng.permutation(len(web.pages))

    training_set = TrainingSet(web.frequencies, examples, [web.pages[i] for i in background])
    judge = kind.build(profile, CrawlSettings(), training_set)
    relevances = relevances_of(judge, web.matrix)
    if n_thumbs:
        best = [i for i in by_relevance(relevances, ties) if not shown[i]][:n_thumbs]
        rated = [Example(web.pages[i], bool(relevant[i])) for i in best]
        shown[best] = True
        said = as_judged(judge, Sections(), training_set)
        feedback = Feedback.of(profile, replace(training_set, rated=rated), said)
        relevances = feedback.relevances(web.matrix, relevances)
    n_relevant = len(web.snapshot.pages_with(topic.name))
    order = by_relevance(relevances, ties)
    unseen = order[~shown[order]]
    return Judged(
        ap=average_precision(relevant[order], n_relevant),
        ap_unseen=average_precision(relevant[unseen], n_relevant - int(relevant[shown].sum())),
        precision_100=float(relevant[order[:100]].mean()),
        brier=float(((relevances - relevant) ** 2).mean()),
        bins=reliability(relevances, relevant),
    )


def by_relevance(relevances: Vector, ties: NDArray[np.int64]) -> NDArray[np.int64]:
    """Page numbers, best first; equal pages in the order of `ties`."""
    return np.lexsort((ties, -relevances))


def average_precision(hits: Bools, n_relevant: int) -> float:
    """Mean over all relevant pages of the precision at each one's rank.

    Parameters
    ----------
    hits : ndarray of bool, shape (n_pages,)
        Whether each page is relevant, best ranked first.
    n_relevant : int
        Relevant pages in all; one that is not ranked counts 0. 0 gives 0.
    """
    ranks = np.flatnonzero(hits) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum()) / max(n_relevant, 1)


def reliability(relevances: Vector, relevant: Bools) -> tuple[Bin, ...]:
    """Compare what a judge said with what was true, by tenths of relevance."""
    tenths = np.minimum((relevances * N_BINS).astype(int), N_BINS - 1)
    bins = []
    for tenth in range(N_BINS):
        inside = tenths == tenth
        n_pages = int(inside.sum())
        said = float(relevances[inside].mean()) if n_pages else 0.0
        bins.append(Bin(n_pages, said, float(relevant[inside].mean()) if n_pages else 0.0))
    return tuple(bins)


def with_concepts(profile: TopicProfile, snapshot: Snapshot, topic: SnapshotTopic) -> TopicProfile:
    """Return the profile with the labels of the topic's subtree as concepts."""
    concepts: list[TopicConcept] = []
    layer, degree = {topic.name}, 1.0
    while layer:
        degree *= STEP_DEGREE
        below = [row for row in snapshot.ontology if row.parent in layer]
        concepts += [TopicConcept(row.name, "", degree, row.name) for row in below]
        layer = {row.label for row in below}
    return TopicProfile(
        profile.name,
        profile.languages,
        profile.terms,
        seeds=profile.seeds,
        concepts=tuple(concepts),
    )
