"""The papers' judges against numbers worked out by hand."""

from math import log2, sqrt

import numpy as np
import pytest

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, TrainingSet
from crawler.knowledge.judges.adaptive_judge import AdaptiveJudge, ClassWeights
from crawler.knowledge.judges.content_judge import ContentJudge
from crawler.knowledge.judges.ontology_judge import Constants, OntologyJudge, similarity
from crawler.knowledge.judges.overlap_judge import OverlapJudge, overlap
from crawler.knowledge.profile import TopicConcept, TopicProfile, WeightedTerm
from crawler.knowledge.vectors import tag_weights
from crawler.page.parsed import ANCHOR, PLAIN, STRONG
from tests.crawler.knowledge.judged_pages import page_of, solar_examples, training_set_of

ZERO = Constants(0.0, 0.0, 3)


@pytest.mark.parametrize(("tag_class", "times"), [(PLAIN, 1), (STRONG, 2), (ANCHOR, 3)])
def test_term_weight_is_tf_times_lg_times_tag_class(tag_class: int, times: int) -> None:
    """[P1 eq. 2]: tf 1/2, N = 10, n = 2, so lg(10 / 2 + 0.5)."""
    frequencies = DocumentFrequencies({"en": 10})
    frequencies.terms.update({"grid": 2, "relay": 10})

    weights = tag_weights(page_of("grid relay", tag_class=tag_class), frequencies)

    assert weights["grid"] == pytest.approx(0.5 * np.log10(5.5) * times)
    assert weights["relay"] == pytest.approx(0.5 * np.log10(1.5) * times)


@pytest.mark.parametrize(
    ("topic", "page", "constants", "expected"),
    [
        ([1, 2, 3], [2, 4, 6], ZERO, 1),
        ([1, 0, 0], [0, 1, 0], ZERO, 0),
        ([1, 2, 3], [3, 2, 1], ZERO, 10 / 14),
        ([1, 2, 3], [3, 2, 1], Constants(2, 2, 3), -1),
        ([1, 2, 4], [2, 1, 1], Constants(1, 1, 3), 0),
        ([1, 2], [1, 2], ZERO, 0),  # too few terms
        ([1, 1, 1], [1, 2, 3], Constants(1, 0, 3), 0),  # 0/0 in the paper
        ([1], [5], Constants(0, 0, 1), 1),
        ([], [], Constants(0, 0, 0), 0),
    ],
)
def test_similarity_of_shared_terms(
    topic: list[float], page: list[float], constants: Constants, expected: float
) -> None:
    found = similarity(np.array(topic, float), np.array(page, float), constants)

    assert found == pytest.approx(expected)


def test_labels_of_one_concept_are_one_term() -> None:
    """电脑 on the page matches the topic's 计算机 [P1]."""
    concepts = tuple(
        TopicConcept(label, language, 1.0, concept)
        for concept, label, language in [
            ("computer", "计算机", "zh"),
            ("computer", "电脑", "zh"),
            ("computer", "computer", "en"),
            ("processor", "处理器", "zh"),
            ("laptop", "笔记本", "zh"),
        ]
    )
    judge = OntologyJudge(TopicProfile("", concepts=concepts), training_set_of(), ZERO)

    same = [
        judge.judge(page_of(f"{word}的处理器，笔记本", "zh"))
        for word in ("计算机", "电脑", "computer")
    ]

    assert {match.via for match in same[0].matched} == {"computer", "processor", "laptop"}
    assert same[0].relevance > 0.5
    assert same[1].relevance == pytest.approx(same[0].relevance)
    assert same[2].relevance == pytest.approx(same[0].relevance)


def test_content_relevance_is_the_share_of_key_terms() -> None:
    judge = ContentJudge(TopicProfile("solar panel"), TrainingSet(DocumentFrequencies()))

    assert judge.judge(page_of("solar panel roof house")).relevance == 0.5
    assert judge.judge(page_of("violin opera")).relevance == 0


@pytest.mark.parametrize(
    ("query", "document", "fit"),
    [
        ("", "", 0),
        ("a b", "", 0),
        ("a b", "c d", 0),
        ("a b", "b c", 1 / 3),
        ("a b", "a b", 1),
        ("a", "a b c d", 0.25),
    ],
)
def test_overlap_is_shared_over_all(query: str, document: str, fit: float) -> None:
    assert overlap(set(query.split()), set(document.split())) == pytest.approx(fit)


def test_overlap_counts_every_token_of_the_page() -> None:
    verdict = OverlapJudge(TopicProfile("solar panel")).judge(page_of("solar roof solar house"))

    assert verdict.relevance == pytest.approx(1 / 4)


def test_class_weights_raise_what_the_topic_has_and_others_lack() -> None:
    """[P3] Resolved: log2(2 + ((1 + 1) / (1 + 2)) / ((n + 1) / (8 + 2)))."""
    frequencies = DocumentFrequencies({"en": 8})
    frequencies.terms.update({"relay": 1, "page": 8})
    training_set = TrainingSet(frequencies, [Example(page_of("relay page"))])

    weights = ClassWeights.of(training_set).of_terms(["relay", "page", "film"])

    assert weights.tolist() == pytest.approx(
        [log2(2 + (2 / 3) / (2 / 10)), log2(2 + (2 / 3) / (9 / 10)), log2(2 + (1 / 3) / (1 / 10))]
    )


def test_adaptive_relevance_is_one_half_at_the_threshold() -> None:
    training_set = TrainingSet(DocumentFrequencies())
    page = page_of("solar roof")
    cosine = 1 / sqrt(2)

    judge = AdaptiveJudge(TopicProfile("solar"), training_set, threshold=cosine)

    assert judge.judge(page).relevance == pytest.approx(0.5)


def test_a_higher_threshold_lowers_every_relevance() -> None:
    training_set = training_set_of(*solar_examples())
    page = page_of("solar panel on a castle by the river")
    relevances = [
        AdaptiveJudge(TopicProfile("solar"), training_set, threshold).judge(page).relevance
        for threshold in (0.05, 0.15, 0.6)
    ]

    assert relevances == sorted(relevances, reverse=True)
    assert relevances[0] > relevances[2]


def test_the_ontology_judge_counts_the_pages_kept() -> None:
    """N and n of [P1 eq. 2] are of the library that the crawl has kept."""
    profile = TopicProfile("heron", terms=(WeightedTerm("marsh"), WeightedTerm("nest")))
    kept = page_of("heron marsh nest owl")
    seen = TrainingSet(DocumentFrequencies(), [Example(kept)])
    seen.frequencies.add([kept, *[page_of("diesel engine owl")] * 20])
    judge = OntologyJudge(profile, seen, ZERO, threshold=0.6)

    first = judge.learn([(kept, 0.6), (page_of("owl diesel"), 0.59)], b"")
    second = judge.learn([(kept, 0.9), (page_of("heron owl eagle"), 0.7)], first.memory)
    library = DocumentFrequencies.load(second.memory)

    assert (first.is_news, second.is_news) == (False, True)
    assert (library.total, library.terms["owl"], library.terms["diesel"]) == (3, 3, 0)
    learnt = TrainingSet(seen.frequencies, seen.examples, memories={"ontology": second.memory})
    page = page_of("heron marsh nest eagle")
    # Each of the 3 kept pages holds "heron" and 2 hold the others, which now weigh more.
    assert OntologyJudge(profile, learnt, ZERO).judge(page) != judge.judge(page)
