"""Concepts in token sequences."""

import time

import pytest

from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.knowledge.ontology.concepts import Concept, Label
from crawler.knowledge.ontology.matching import ConceptMatch, ConceptMatcher, LabelIndex
from crawler.text.tokens import tokenize

MATCHER = ConceptMatcher(
    [
        ("grid", "电网"),
        ("grid", "power grid"),
        ("smart", "smart power grid"),
        ("power", "power"),
        ("relay", "继电保护装置"),
        ("electricity", "电"),
    ]
)


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("", set()),
        ("网络电视", set()),
        ("the power grid", {"grid"}),
        ("Power-Grids", {"grid"}),
        ("smart power grids", {"smart"}),
        ("smart power plants", {"power"}),
        ("power of the grid", {"grid"}),  # stop words are not tokens
        ("grid power", {"power"}),
        ("電網的運行", {"grid"}),
        ("ＰＯＷＥＲ　ＧＲＩＤ", {"grid"}),
    ],
)
def test_the_longest_label_at_each_place_is_found(text: str, present: set[str]) -> None:
    assert MATCHER.present(tokenize(text)) == present


@pytest.mark.parametrize(
    "tokens",
    [["继电保护装置"], ["继电", "保护装置"], ["继电", "保护", "装置"], ["继", "电", "保护装置"]],
)
def test_han_labels_are_found_however_they_were_cut(tokens: list[str]) -> None:
    assert MATCHER.find(["看", *tokens, "看"]) == [ConceptMatch(1, 1 + len(tokens), ("relay",))]


@pytest.mark.parametrize("tokens", [["大电网"], ["电网络"], ["电", "网络"]])
def test_a_label_is_not_found_across_half_a_token(tokens: list[str]) -> None:
    assert "grid" not in MATCHER.present(tokens)


def test_a_one_character_label_counts_where_it_is_a_word() -> None:
    assert MATCHER.count(["电", "x", "电"]) == {"electricity": 2}


def test_matches_do_not_overlap_and_come_in_order() -> None:
    tokens = ["power", "power", "grid", "grid", "power"]

    assert MATCHER.find(iter(tokens)) == [
        ConceptMatch(0, 1, ("power",)),
        ConceptMatch(1, 3, ("grid",)),
        ConceptMatch(4, 5, ("power",)),
    ]


def test_a_label_shared_by_two_concepts_finds_both() -> None:
    matcher = ConceptMatcher([("b", "Bank"), ("a", "bank"), ("a", "banks")])

    assert matcher.find(["bank"]) == [ConceptMatch(0, 1, ("a", "b"))]


@pytest.mark.parametrize("label", ["", "the", " ".join(f"word{i}" for i in range(40))])
def test_labels_without_tokens_or_of_sentence_length_are_never_found(label: str) -> None:
    assert ConceptMatcher([("a", label)]).find(tokenize(label)) == []


def test_time_grows_with_the_tokens_only() -> None:
    matcher = ConceptMatcher([("a", "power " * 16), ("b", "power " * 15 + "grid")])
    tokens = ["power"] * 15 + ["x"]

    started = time.process_time()
    assert matcher.find(tokens * 5_000) == []
    assert time.process_time() - started < 5


def test_people_name_concepts_by_id_label_or_another_ending() -> None:
    graph = ConceptGraph(
        [
            Concept("c1", (Label("Computing", "en"),)),
            Concept("c2", (Label("computer", "en"), Label("电脑", "zh"))),
        ]
    )
    index = LabelIndex(graph)

    assert index.find("c1") == ("c1",)
    assert index.find("COMPUTING") == ("c1",)
    assert index.find("computer") == ("c2",)
    assert index.find("電腦") == ("c2",)
    assert index.find("computers") == ("c1", "c2")  # one stem: both may be meant
    assert index.find("laptop") == ()


def test_labels_of_every_language_and_kind_are_found() -> None:
    matcher = ConceptMatcher([("c", "电脑"), ("c", "pc")])

    assert matcher.count(tokenize("PC 电脑 pc")) == {"c": 3}
