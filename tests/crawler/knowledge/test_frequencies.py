"""How rare a word is: of the web, not of a crawl that brings nothing but the topic."""

import random
from collections import Counter

import pytest

from crawler.knowledge.content_value import content_value
from crawler.knowledge.frequencies import MAX_TERMS, DocumentFrequencies
from crawler.knowledge.judge import TrainingSet
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.profile import TopicProfile
from tests.crawler.knowledge.judged_pages import other_page, page_of, solar_page

TOPIC = TopicProfile("solar panel photovoltaic inverter sunlight")


def crawled(n_on: int, n_off: int, *, know_kept: bool = True) -> DocumentFrequencies:
    """Frequencies of so many pages that are on topic and kept, and so many others."""
    rng = random.Random(4)
    frequencies = DocumentFrequencies()
    frequencies.add([solar_page(rng) for _ in range(n_on)], n_kept=n_on if know_kept else 0)
    frequencies.add([other_page(rng) for _ in range(n_off)])
    return frequencies


def judged(frequencies: DocumentFrequencies) -> tuple[float, float]:
    """Relevance and content value of a page on solar power."""
    page = solar_page(random.Random(9))
    judge = CosineJudge(TOPIC, TrainingSet(frequencies))
    value = content_value(page, judge.topic_terms, frequencies).value
    return judge.judge(page).relevance, value


def test_a_crawl_whose_every_page_is_on_topic_keeps_its_values() -> None:
    mixed, focused = judged(crawled(30, 270)), judged(crawled(300, 0))

    assert focused[0] > 0.9 * mixed[0]
    assert focused[1] >= mixed[1]


def test_without_a_word_on_what_was_kept_they_sink() -> None:
    assert judged(crawled(300, 0, know_kept=False)) < judged(crawled(300, 0))


@pytest.mark.parametrize(
    ("n_held", "n_kept", "expected"),
    [(50, 0, 0.301), (50, 50, 1.301), (50, 100, 1.301), (50, 20, 0.495), (100, 100, 1), (1, 9, 2)],
)
def test_pages_that_may_have_been_kept_count_for_a_tenth(
    n_held: int, n_kept: int, expected: float
) -> None:
    frequencies = DocumentFrequencies()
    pages = [page_of("grid" if number < n_held else "river") for number in range(100)]
    frequencies.add(pages, n_kept)

    assert frequencies.idf(["grid"], topic={"grid"}) == pytest.approx(expected, abs=1e-3)
    assert frequencies.idf(["grid"]) == frequencies.idf(["grid"], topic={"river"})


def test_one_way_and_many_at_once_agree_and_the_counts_are_stored() -> None:
    frequencies = DocumentFrequencies.load(crawled(80, 20).dump())
    judge = CosineJudge(TOPIC, TrainingSet(frequencies))
    rng = random.Random(5)
    pages = [solar_page(rng), other_page(rng)]

    assert frequencies == crawled(80, 20)
    found = judge.relevances(PageMatrix.of(pages)).tolist()
    assert found == pytest.approx([judge.judge(page).relevance for page in pages])


def test_a_few_pages_in_no_known_language_do_not_make_every_word_common() -> None:
    frequencies = DocumentFrequencies()
    frequencies.add([page_of("grid river"), *(page_of("grid sun") for _ in range(99))])
    before = frequencies.idf(["grid", "river"])
    frequencies.add([page_of("404", language="")])

    assert frequencies.idf(["grid", "river"]) == pytest.approx(before, abs=0.01)
    assert frequencies.idf(["404"], "") == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("n_once", [MAX_TERMS // 2, 0])
def test_of_too_many_terms_the_rarest_are_forgotten(n_once: int) -> None:
    """A long crawl meets more than enough words on two pages: those would be forgotten never."""
    held = {f"once{number}": 1 for number in range(n_once)}
    held |= {f"twice{number}": 2 for number in range(MAX_TERMS - n_once)}
    frequencies = DocumentFrequencies({"en": 1000}, Counter(held | {"grid": 3}))

    frequencies.add([page_of("river")])

    assert ("twice7" in frequencies.terms) == (n_once > 0)
    assert "once7" not in frequencies.terms
    assert frequencies.terms["grid"] == 3
    assert len(frequencies.terms) < 0.76 * MAX_TERMS
