"""What a query becomes: what certainly holds it, and what has to be tested."""

import pytest

from topics.search.postgres.query import conditions
from topics.search.query import parse_query
from topics.search.tree import And, Clause, Ids, Node, Not, Or

NO_LONG_PAGE = ["'o'"]


def queries(node: Node) -> list[str]:
    """The text search query that each condition begins with."""
    return [one.values[0] for one in conditions(node, "pages")]


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("grid", "('wgrid' & !'o')"),
        ("title:grid", "('tgrid' & !'o')"),
        ("recycl*", "('xrecycl':* & !'o')"),
        ("王", "('x王':* & !'o')"),
    ],
)
def test_a_single_word_is_answered_by_the_index_alone(text: str, sure: str) -> None:
    assert queries(parse_query(text).tree) == [sure, *NO_LONG_PAGE]


def test_a_phrase_is_tested_on_the_pages_that_hold_its_words() -> None:
    (tested,) = conditions(parse_query('"focused crawler"').tree, "pages")

    assert tested.values == ["(('xfocused' & 'xcrawler') | 'o')", " focused  crawler "]
    assert "strpos(exact, %s) > 0" in tested.sql


def test_only_pages_without_the_words_themselves_are_tested_for_the_characters() -> None:
    sure, tested = queries(parse_query("电网调度").tree)

    assert sure == "(('w电网' & 'w调度') & !'o')"
    assert tested == (
        "(((('w电网' & 'w调度') | ('x电网' & 'x网调' & 'x调度')) & !('w电网' & 'w调度')) | 'o')"
    )


def test_what_may_hold_an_excluded_phrase_is_not_excluded_untested() -> None:
    (tested,) = queries(parse_query('grid -"power flow"').tree)[1:]

    assert tested == "(('wgrid' & !('wgrid' & !('xpower' & 'xflow'))) | 'o')"


def test_pages_that_nothing_else_narrows_are_looked_up_word_by_word() -> None:
    grid, few = Clause("grid"), Ids(frozenset({3, 1}))

    (one,) = conditions(Or((few, grid)), "pages")

    assert "id IN (SELECT id FROM pages WHERE" in one.sql
    assert one.values[0] == [1, 3]


def test_facts_alone_need_no_index() -> None:
    (one,) = conditions(And((Ids(frozenset({1})), Not(Ids(frozenset({2}))))), "pages")

    assert "lexemes" not in one.sql
    assert one.values == [[1], [2]]
