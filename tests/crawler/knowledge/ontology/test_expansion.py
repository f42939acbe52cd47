"""Terms around a topic: the best path to each, however the graph runs in circles."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.knowledge.ontology import expansion
from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.knowledge.ontology.concepts import (
    DEFAULT_DEGREES,
    Concept,
    Label,
    Relation,
    RelationKind,
)
from crawler.knowledge.ontology.expansion import ExpandedTerm, ExpansionStep, expand, reach
from crawler.knowledge.ontology.matching import ConceptMatcher
from crawler.text.tokens import tokenize

SYNONYM, HAS, ONE_OF, IS_A, KIND_OF = RelationKind

COMPUTER = Concept(
    "computer",
    (Label("电脑", "zh"), Label("computer", "en"), Label("计算机", "zh", "alternative")),
)
LAPTOP = Concept("laptop", (Label("笔记本", "zh"), Label("laptop", "en")))
CPU = Concept("cpu", (Label("CPU", ""), Label("处理器", "zh", "alternative")))
CACHE = Concept("cache", (Label("缓存", "zh"), Label("cache memory", "en")))
GRAPH = ConceptGraph(
    [COMPUTER, LAPTOP, CPU, CACHE],
    [
        Relation("laptop", KIND_OF, "computer"),
        Relation("computer", HAS, "cpu"),
        Relation("cpu", HAS, "cache"),
    ],
)


def degrees_of(terms: tuple[ExpandedTerm, ...]) -> dict[str, float]:
    return {term.text: round(term.degree, 9) for term in terms}


def test_each_label_gets_the_product_of_the_degrees_on_its_path() -> None:
    terms = expand(GRAPH, ["computer"])

    assert degrees_of(terms) == {
        "computer": 1.0,
        "电脑": 1.0,
        "计算机": 1.0,
        "laptop": 0.8,
        "笔记本": 0.8,
        "CPU": 0.6,
        "处理器": 0.6,
        "cache memory": 0.36,
        "缓存": 0.36,
    }


def test_a_term_says_which_relations_brought_it() -> None:
    term = next(t for t in expand(GRAPH, ["laptop"]) if t.text == "CPU")

    assert term.concept == "cpu"
    assert term.path == (
        ExpansionStep("laptop", KIND_OF, "computer", 0.5),
        ExpansionStep("computer", HAS, "cpu", 0.6),
    )
    assert term.degree == pytest.approx(0.3)


@pytest.mark.parametrize("start", ["计算机", "計算機", "ＣＯＭＰＵＴＥＲ", "Computers", "computer"])
def test_a_start_term_matches_in_any_script_width_case_and_ending(start: str) -> None:
    assert expand(GRAPH, [start]) == expand(GRAPH, ["computer"])


@pytest.mark.parametrize("start", ["", "  ", "网络", "the", "comp"])
def test_a_start_term_that_names_no_concept_brings_nothing(start: str) -> None:
    assert expand(GRAPH, [start]) == ()


def test_one_label_may_start_from_several_concepts() -> None:
    graph = ConceptGraph([Concept("bank", (Label("bank"),)), Concept("river", (Label("Bank"),))])

    assert {r.concept for r in reach(graph, ["bank", "river"])} == {"bank", "river"}
    assert [t.concept for t in expand(graph, ["BANK"])] == ["bank"]  # one text, shown once


@pytest.mark.parametrize(
    ("depth", "reached"),
    [(0, {"computer"}), (1, {"computer", "laptop", "cpu"}), (2, set(GRAPH.concepts))],
)
def test_depth_bounds_the_walk(depth: int, reached: set[str]) -> None:
    assert {r.concept for r in reach(GRAPH, ["computer"], depth=depth)} == reached


def test_labels_can_be_limited_to_languages_while_the_walk_crosses_them() -> None:
    terms = expand(GRAPH, ["电脑"], languages=["en"])

    assert [t.text for t in terms] == ["computer", "laptop", "CPU", "cache memory"]


def test_a_concept_switched_off_is_not_walked_through() -> None:
    assert degrees_of(expand(GRAPH, ["laptop"], switched_off={"computer"})) == {
        "laptop": 1.0,
        "笔记本": 1.0,
    }


def test_a_label_switched_off_leaves_the_others() -> None:
    terms = expand(GRAPH, ["computer"], switched_off={"計算機", "LAPTOP"})

    assert {"计算机", "laptop"}.isdisjoint(degrees_of(terms))
    assert {"电脑", "笔记本", "CPU"} <= set(degrees_of(terms))


def test_a_lower_synonym_degree_also_lowers_alternative_labels() -> None:
    degrees = {**DEFAULT_DEGREES, SYNONYM: 0.5}

    assert degrees_of(expand(GRAPH, ["computer"], degrees=degrees))["计算机"] == 0.5
    assert degrees_of(expand(GRAPH, ["computer"], degrees=degrees))["电脑"] == 1.0


def test_a_kind_without_a_degree_is_not_walked() -> None:
    assert [r.concept for r in reach(GRAPH, ["computer"], degrees={HAS: 0.6})] == [
        "computer",
        "cpu",
        "cache",
    ]


def test_a_longer_path_wins_when_its_product_is_better() -> None:
    graph = ConceptGraph(
        [Concept(x) for x in "abc"],
        [
            Relation("a", HAS, "c", 0.1),
            Relation("a", HAS, "b", 0.9),
            Relation("b", HAS, "c", 0.9),
        ],
    )
    best = {r.concept: r for r in reach(graph, ["a"])}

    assert best["c"].degree == pytest.approx(0.81)
    assert [step.target for step in best["c"].path] == ["b", "c"]


def test_the_better_but_longer_path_does_not_hide_what_lies_behind_the_shorter() -> None:
    # c is best through b, but from there d would be one hop too far.
    graph = ConceptGraph(
        [Concept(x) for x in "abcd"],
        [
            Relation("a", HAS, "c", 0.1),
            Relation("a", HAS, "b", 0.9),
            Relation("b", HAS, "c", 0.9),
            Relation("c", HAS, "d", 0.5),
        ],
    )

    assert {r.concept: round(r.degree, 9) for r in reach(graph, ["a"])}["d"] == 0.05


@pytest.mark.parametrize("depth", [2, 50])
def test_cycles_end_and_never_raise_a_degree(depth: int) -> None:
    graph = ConceptGraph(
        [Concept(x) for x in "abc"],
        [Relation("a", IS_A, "b"), Relation("b", IS_A, "c"), Relation("c", IS_A, "a")],
    )

    found = {r.concept: r.degree for r in reach(graph, ["a"], depth=depth)}

    assert found == {"a": 1.0, "b": 0.8, "c": pytest.approx(0.64)}


def test_a_graph_of_many_concepts_is_cut_to_the_nearest() -> None:
    n = expansion.MAX_CONCEPTS + 500
    leaves = [f"c{i:05}" for i in range(n)]
    relations = [Relation("root", IS_A, name, 0.2) for name in leaves[:-1]]
    relations.append(Relation("root", IS_A, leaves[-1], 0.9))
    graph = ConceptGraph([Concept("root"), *map(Concept, leaves)], relations)

    reached = reach(graph, ["root"])

    assert len(reached) == expansion.MAX_CONCEPTS
    assert [r.concept for r in reached[:2]] == ["root", leaves[-1]]


@pytest.mark.parametrize("degree", [0.0, 1.5, float("nan")])
def test_default_degrees_are_checked(degree: float) -> None:
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        reach(GRAPH, ["computer"], degrees={HAS: degree})


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0 hops, got -1"):
        reach(GRAPH, ["computer"], depth=-1)


EDGES = st.lists(
    st.tuples(
        st.sampled_from("abcde"),
        st.sampled_from(list(RelationKind)),
        st.sampled_from("abcde"),
        st.sampled_from([None, 0.1, 0.5, 0.9, 1.0]),
    ).filter(lambda edge: edge[0] != edge[2]),
    max_size=8,
)


def slow_degree(graph: ConceptGraph, target: str, depth: int) -> float:
    """Try every simple path from a to the target."""
    best = 1.0 if target == "a" else 0.0
    for n in range(depth):
        for middle in permutations([x for x in "bcde" if x != target], n):
            hops = list(zip(("a", *middle), (*middle, target), strict=True))
            options = [
                [e.degree or DEFAULT_DEGREES[e.kind] for e in graph.edges(s) if e.target == t]
                for s, t in hops
            ]
            for degrees in product(*options):
                worth = 1.0
                for degree in degrees:
                    worth *= degree
                best = max(best, worth)
    return best


@settings(max_examples=150, deadline=None)
@given(edges=EDGES, depth=st.integers(0, 3))
def test_degrees_agree_with_trying_every_path(
    edges: list[tuple[str, RelationKind, str, float | None]], depth: int
) -> None:
    graph = ConceptGraph([Concept(x) for x in "abcde"], [Relation(*edge) for edge in edges])

    found = {r.concept: r.degree for r in reach(graph, ["a"], depth=depth)}

    for name in "abcde":
        assert found.get(name, 0.0) == pytest.approx(slow_degree(graph, name, depth))


def test_an_english_topic_finds_a_chinese_page_and_the_other_way_round() -> None:
    from_english, from_chinese = (
        ConceptMatcher((term.concept, term.text) for term in expand(GRAPH, [topic]))
        for topic in ("laptop", "笔记本")
    )

    assert "laptop" in from_english.present(tokenize("新款筆記本上市"))
    assert "laptop" in from_chinese.present(tokenize("The new laptops are here."))
