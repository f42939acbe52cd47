"""Terms that separate pages from others."""

import pytest

from crawler.knowledge.discriminative_terms import discriminative_terms
from crawler.page.page_terms import text_terms
from crawler.page.parsed import PageTerms


def pages(*texts: str) -> list[PageTerms]:
    return [text_terms(text) for text in texts]


OURS = pages("cache memory 处理器", "cache river 处理器", "cache memory")
OTHERS = pages("river soup", "river memory soup", "soup stone", "river kite")


def test_what_only_ours_say_comes_first() -> None:
    terms = [term for term, _ in discriminative_terms(OURS, OTHERS)]
    assert terms[:2] == ["cach", "处理器"]
    assert "river" not in terms


def test_bad_examples_turn_it_round() -> None:
    assert next(t for t, _ in discriminative_terms(OURS, OTHERS, bad=True)) == "soup"


def test_scores_fall_and_stay_above_nothing() -> None:
    scores = [score for _, score in discriminative_terms(OURS, OTHERS)]
    assert scores == sorted(scores, reverse=True) and min(scores) > 0


def test_a_word_on_one_page_of_many_is_chance() -> None:
    assert "river" not in dict(discriminative_terms(OURS, pages("soup")))


@pytest.mark.parametrize(("ours", "others"), [([], OTHERS), ([], []), (pages(""), OTHERS)])
def test_too_little_tells_nothing(ours: list[PageTerms], others: list[PageTerms]) -> None:
    assert discriminative_terms(ours, others) == []


def test_what_everybody_says_tells_nothing() -> None:
    assert discriminative_terms(pages("same", "same"), pages("same", "same")) == []
