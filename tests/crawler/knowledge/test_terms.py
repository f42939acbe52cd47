"""Required and excluded terms: whole phrases, in Chinese also inside longer words."""

import pytest

from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.profile import TopicConcept, TopicProfile, WeightedTerm
from crawler.knowledge.terms import TermRules, holds_phrase
from crawler.page.page_terms import text_terms
from crawler.text.tokens import tokenize


@pytest.mark.parametrize(
    ("term", "text", "held"),
    [
        ("电网", "国家电网公司公布了数据。", True),  # one word to the segmenter
        ("電網", "国家电网公司公布了数据。", True),
        ("茶", "春天的绿茶最好。", True),
        ("茶", "他在家喝茶。", True),
        ("茶", "他在家喝咖啡。", False),
        ("智能电网", "国家电网公司公布了数据。", False),
        ("CPU", "新的ＣＰＵ上市。", True),
        ("art", "Start the party.", False),
        ("solar cell", "A solar cell on the roof.", True),
        ("solar cell", "A cell of solar light.", False),
        ("的", "春天的绿茶最好。", False),  # a stop word is not a term
    ],
)
def test_a_term_is_held_or_not(term: str, text: str, held: bool) -> None:
    page = text_terms(text)
    assert holds_phrase(page, tokenize(term)) is held

    pages = PageMatrix.of([page, text_terms("Nothing of it.")])
    excluded = TermRules(TopicProfile("", terms=(WeightedTerm(term, excluded=True),)))
    required = TermRules(TopicProfile("", terms=(WeightedTerm(term, required=True),)))
    assert excluded.broken_pages(pages).tolist() == [held, False]
    assert required.broken_pages(pages).tolist() == [not held, True]
    assert excluded.broken_by(page) == ("excluded_present" if held else "")


COMPUTER = tuple(
    TopicConcept(text, concept="computer") for text in ("计算机", "电脑", "desktop computer")
)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("他买了一台新电脑。", True),
        ("计算机科学", True),
        ("A new Desktop Computer is sold.", True),
        ("A computer is sold.", False),
        ("手机很贵。", False),
    ],
)
def test_a_required_or_excluded_term_stands_for_its_synonyms(text: str, held: bool) -> None:
    page = text_terms(text)
    pages = PageMatrix.of([page])
    other = TopicConcept("手机", concept="phone")

    for flag, broken in (("required", not held), ("excluded", held)):
        term = WeightedTerm("计算机", **{flag: True})
        rules = TermRules(TopicProfile("", terms=(term,), concepts=(*COMPUTER, other)))
        assert bool(rules.broken_by(page)) is broken
        assert rules.broken_pages(pages).tolist() == [broken]
