"""A topic's Chinese terms are found in longer words that end in them."""

import random

import numpy as np
import pytest

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, JudgeKind, TrainingSet
from crawler.knowledge.judges.adaptive_judge import AdaptiveKind
from crawler.knowledge.judges.content_judge import ContentKind
from crawler.knowledge.judges.cosine_judge import CosineKind
from crawler.knowledge.judges.focus_kind import FocusKind
from crawler.knowledge.judges.ontology_judge import OntologyKind
from crawler.knowledge.judges.overlap_judge import OverlapKind
from crawler.knowledge.page_matrix import PageMatrix, relevances
from crawler.knowledge.profile import CrawlSettings, TopicConcept, TopicProfile, WeightedTerm
from crawler.knowledge.suffixes import SuffixMatcher, has_own_words
from crawler.page.page_terms import text_terms
from crawler.page.parsed import PageTerms

OTHER = "厨房 面粉 黄油 足球 教练 小提琴 歌剧 城堡 国王 河流 渔船 小说 剧院 贷款 法院 选举".split()
GRID = WeightedTerm("电网")
#: Full of a word that ends in the term, without the term itself.
GRID_PAGE = text_terms("国家电网。 " * 12 + "厨房 面粉")
#: The same page with the longer word that has another end.
OTHER_PAGE = text_terms("国家剧院。 " * 12 + "厨房 面粉")


def profile(*terms: WeightedTerm, name: str = "", concepts: tuple[str, ...] = ()) -> TopicProfile:
    return TopicProfile(name, terms=terms, concepts=tuple(map(TopicConcept, concepts)))


def training_set(*examples: Example) -> TrainingSet:
    rng = random.Random(1)
    background = [text_terms(" ".join(rng.choices(OTHER, k=30))) for _ in range(40)]
    frequencies = DocumentFrequencies()
    frequencies.add([*background, *(example.terms for example in examples)])
    return TrainingSet(frequencies, examples, background)


def words(topic: TopicProfile, text: str) -> list[str]:
    return SuffixMatcher(topic).page(text_terms(text)).vocabulary


@pytest.mark.parametrize(
    ("term", "text", "read"),
    [
        ("电网", "国家电网", ["电网"]),
        ("電網", "國家電網", ["电网"]),
        ("国家", "国家电网", ["国家电网"]),  # it begins with the term
        ("电网", "国家电网 电网", ["国家电网", "电网"]),  # the page has the term
        ("电网", "国家电网 南方电网 南方电网", ["国家电网", "电网"]),  # what occurs most
        ("电网", "国家电网 南方电网", ["电网", "南方电网"]),  # what comes first
        ("网", "国家电网", ["国家电网"]),
        ("art", "start party smart", ["start", "parti", "smart"]),
        ("电网", "grid", ["grid"]),
    ],
)
def test_a_longer_word_stands_for_a_term_it_ends_in(term: str, text: str, read: list[str]) -> None:
    assert words(profile(WeightedTerm(term)), text) == read


@pytest.mark.parametrize(
    "topic",
    [
        profile(GRID, WeightedTerm("国家电网")),
        profile(GRID, name="国家电网"),
        profile(GRID, concepts=("国家电网",)),
    ],
)
def test_a_word_of_the_topic_itself_stays(topic: TopicProfile) -> None:
    assert words(topic, "国家电网") == ["国家电网"]


def test_the_longest_term_takes_the_word() -> None:
    topic = profile(WeightedTerm("共和国"), WeightedTerm("人民共和国"))
    assert words(topic, "中华人民共和国") == ["人民共和国"]


@pytest.mark.parametrize(
    "topic",
    [
        profile(name="电网"),
        profile(concepts=("电网",)),
        profile(WeightedTerm("电网", excluded=True)),
        profile(),
    ],
)
def test_only_weighted_terms_are_looked_for(topic: TopicProfile) -> None:
    assert SuffixMatcher(topic).page(GRID_PAGE) is GRID_PAGE


def test_a_matrix_is_read_as_its_pages_are() -> None:
    rng = random.Random(2)
    pool = [*OTHER, "国家电网", "南方电网", "电网", "继电保护", "保护", "大剧院"]
    pages = [text_terms(" ".join(rng.choices(pool, k=rng.randint(1, 12)))) for _ in range(200)]
    pages += [PageTerms(), GRID_PAGE]
    reading = SuffixMatcher(profile(GRID, WeightedTerm("保护"), WeightedTerm("剧院")))

    read = reading.matrix(PageMatrix.of(pages))

    named = {column: term for term, column in read.terms.items()}
    for number, page in enumerate(map(reading.page, pages)):
        entries = np.flatnonzero(read.rows == number)
        assert [named[column] for column in read.columns[entries].tolist()] == page.vocabulary
    assert any(reading.page(page) is not page for page in pages)


def test_pages_without_a_longer_word_are_read_as_they_are() -> None:
    matrix = PageMatrix.of([OTHER_PAGE])
    assert SuffixMatcher(profile(GRID)).page(OTHER_PAGE) is OTHER_PAGE
    assert SuffixMatcher(profile(GRID)).matrix(matrix) is matrix


KINDS = [
    AdaptiveKind(),
    ContentKind(),
    CosineKind(),
    FocusKind(),
    OntologyKind(),
    OverlapKind(),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("examples", [(), (Example(GRID_PAGE),)], ids=["terms", "example"])
def test_every_judge_finds_a_term_in_a_longer_word(
    kind: JudgeKind, examples: tuple[Example, ...]
) -> None:
    settings = CrawlSettings(judge_parameters={"min_shared_terms": 1})
    judge = kind.build(profile(GRID, name="电网"), settings, training_set(*examples))

    verdict = judge.judge(GRID_PAGE)

    assert verdict.relevance > judge.judge(OTHER_PAGE).relevance
    assert "电网" in [match.term for match in verdict.matched]


@pytest.mark.parametrize("kind", [CosineKind(), FocusKind()], ids=lambda kind: kind.name)
def test_a_page_full_of_the_longer_word_is_kept(kind: JudgeKind) -> None:
    judge = kind.build(
        profile(GRID, name="电网"), CrawlSettings(), training_set(Example(GRID_PAGE))
    )
    page = text_terms("南方电网。 " * 12 + "河流 小说")
    assert judge.judge(page).relevance >= CrawlSettings().threshold
    at_once = relevances(judge, PageMatrix.of([page, OTHER_PAGE])).tolist()
    one_by_one = [judge.judge(each).relevance for each in (page, OTHER_PAGE)]
    assert at_once == pytest.approx(one_by_one, abs=1e-6)


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (WeightedTerm("国家电网", required=True), True),
        (WeightedTerm("国家", excluded=True), False),
        (WeightedTerm("国家 厨房", required=True), False),
    ],
)
def test_rules_look_at_the_words_the_page_has(rule: WeightedTerm, kept: bool) -> None:
    judge = CosineKind().build(profile(GRID, rule), CrawlSettings(), training_set())
    page = text_terms("国家电网 国家电网 电力")
    assert bool(judge.judge(page).relevance) is kept
    assert bool(relevances(judge, PageMatrix.of([page]))[0]) is kept


@pytest.mark.parametrize(
    ("terms", "words", "found"),
    [
        (("电网",), {"国家电网", "厨房"}, True),
        (("电网",), {"国家剧院", "厨房"}, False),
        (("网",), {"电网"}, False),
        (("solar", "电网"), {"solar"}, True),
        (("solar",), set(), False),
        ((), {"厨房"}, True),
    ],
)
def test_words_of_a_topic_are_found_among_others(
    terms: tuple[str, ...], words: set[str], *, found: bool
) -> None:
    topic = profile(*(WeightedTerm(term) for term in terms))
    assert has_own_words(topic, words) is found
