"""Many pages judged in one go get what each gets alone."""

import random

import numpy as np
import pytest

from crawler.knowledge.content_value import content_value, content_values
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, JudgeKind, TrainingSet
from crawler.knowledge.judges.cosine_judge import CosineKind
from crawler.knowledge.judges.focus_kind import FocusKind
from crawler.knowledge.page_matrix import MatrixJudge, PageMatrix, relevances
from crawler.knowledge.profile import CrawlSettings, TopicConcept, TopicProfile, WeightedTerm
from crawler.page.page_terms import text_terms
from crawler.page.parsed import PageTerms

WORDS = (
    "cache processor memory soup onion kite river stone music paper 处理器 内存 洋葱 河流".split()
)


def page(seed: int) -> PageTerms:
    """A page of 1 to 400 words, its first ones rarer than the rest."""
    rng = random.Random(seed)
    first = rng.sample(WORDS, 3)
    return text_terms(" ".join(first + rng.choices([*WORDS, f"word{seed}"], k=rng.randint(1, 400))))


PAGES = [page(seed) for seed in range(80)] + [PageTerms(), PageTerms("en")]
EXAMPLES = [Example(text_terms("cache memory processor cache")), Example(page(1), good=False)]
CONCEPTS = (TopicConcept("处理器", "zh", 0.8, "processor", ""),)


def training_set() -> TrainingSet:
    frequencies = DocumentFrequencies()
    frequencies.add(PAGES)
    return TrainingSet(frequencies, EXAMPLES, PAGES[:60])


@pytest.mark.parametrize("kind", [CosineKind(), FocusKind()], ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "terms",
    [
        (),
        (WeightedTerm("cache", 2.0), WeightedTerm("soup", 0.5)),
        (WeightedTerm("cache"), WeightedTerm("onion kite", required=True)),
        (WeightedTerm("cache"), WeightedTerm("stone", excluded=True)),
        (WeightedTerm("…", required=True),),
    ],
)
@pytest.mark.parametrize("concepts", [(), CONCEPTS])
def test_judging_at_once_is_judging_one_by_one(
    kind: JudgeKind, terms: tuple[WeightedTerm, ...], concepts: tuple[TopicConcept, ...]
) -> None:
    profile = TopicProfile("memory", terms=terms, concepts=concepts)
    judge = kind.build(profile, CrawlSettings(), training_set())
    assert isinstance(judge, MatrixJudge)
    alone = [judge.judge(each).relevance for each in PAGES]
    assert relevances(judge, PageMatrix.of(PAGES)) == pytest.approx(alone, abs=1e-6)


def test_content_values_are_those_of_each_page() -> None:
    known = training_set().frequencies
    topic = frozenset({"cach", "处理器", "soup"})
    weights = {"cach": 1.0, "soup": 0.5}
    alone = [content_value(each, topic, known, weights) for each in PAGES]
    together = content_values(PageMatrix.of(PAGES), topic, known, weights)
    assert [(one.value, one.matched, one.n_key) for one in together] == [
        (one.value, one.matched, one.n_key) for one in alone
    ]
    assert [one.trust for one in together] == pytest.approx([one.trust for one in alone])
    assert [one.density for one in together] == pytest.approx([one.density for one in alone])
    some = np.arange(len(PAGES)) % 3 == 0
    valued = content_values(PageMatrix.of(PAGES), topic, known, weights, some)
    expected = [one.value if is_wanted else 0.0 for one, is_wanted in zip(alone, some, strict=True)]
    assert [one.value for one in valued] == pytest.approx(expected)


def test_the_matrix_holds_what_the_pages_hold() -> None:
    matrix = PageMatrix.of(PAGES)
    assert matrix.sums(matrix.counts.astype(np.float64)).tolist() == [len(p) for p in PAGES]
    holding = [{"soup", "kite"} <= set(p.vocabulary) for p in PAGES]
    assert matrix.holding(["soup", "kite"]).tolist() == holding
    assert not matrix.holding(["absent"]).any()


def test_no_pages_make_an_empty_matrix() -> None:
    matrix = PageMatrix.of([])
    judge = CosineKind().build(TopicProfile("memory"), CrawlSettings(), training_set())
    assert relevances(judge, matrix).tolist() == []
    assert content_values(matrix, frozenset(), DocumentFrequencies()) == []
