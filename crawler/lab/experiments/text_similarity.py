"""What the third and the fourth paper call relevant: pages whose text is like the topic."""

from collections.abc import Mapping, Sequence

import numpy as np

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, TrainingSet
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.page_matrix import PageMatrix
from crawler.lab.evaluating import topic_profile
from crawler.page.parsed import ParsedPage
from crawler.replay.metrics import Truth
from crawler.replay.oracle import breadth_first_order, followable_links
from crawler.replay.snapshot import SnapshotTopic


def truths_by_text(
    pages: Mapping[str, ParsedPage], topics: Sequence[SnapshotTopic]
) -> dict[str, Truth]:
    """Per topic, the pages of the largest cosine with its name and seeds.

    *Resolved*: a threshold that fits one collection leaves a handful of pages in another,
    so that as many pages are relevant as have the topic's label.
    """
    keys = list(pages)
    terms = [pages[key].terms for key in keys]
    frequencies = DocumentFrequencies()
    frequencies.add(terms)
    matrix, graph = PageMatrix.of(terms), followable_links(pages)
    truths = {}
    for topic in topics:
        examples = [Example(pages[seed].terms) for seed in topic.seeds if seed in pages]
        judge = CosineJudge(topic_profile(topic), TrainingSet(frequencies, examples))
        order = np.argsort(-judge.relevances(matrix), kind="stable")
        alike = frozenset(keys[place] for place in order[: topic.pages].tolist())
        reached = alike.intersection(breadth_first_order(graph, topic.seeds))
        truths[topic.name] = Truth(alike, frozenset(topic.seeds), topic.pages, len(reached))
    return truths
