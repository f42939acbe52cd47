"""The query language: what is understood, and what is refused where."""

import time

import pytest

from topics.search.errors import QueryError
from topics.search.problems import SENTENCES, Problem, sentence
from topics.search.query import MAX_CHARACTERS, MAX_TERMS, parse_query


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("crawler", [("crawler", False)], []),
        ("  two\u3000words ", [("two", False), ("words", False)], []),
        ('"deep learning" gpu', [("deep learning", True), ("gpu", False)], []),
        ("“深度学习” 电网", [("深度学习", True), ("电网", False)], []),
        ("「深度学习」", [("深度学习", True)], []),
        ("＂深度 学习＂", [("深度 学习", True)], []),
        ("电网 -新闻", [("电网", False)], [("新闻", False)]),
        ("电网 －“每日 新闻”", [("电网", False)], [("每日 新闻", True)]),
        ('ab"cd"', [("ab", False), ("cd", True)], []),
        ("c++ c# node.js tcp/ip e-mail", None, []),
        ("10:30 什么是爬虫？ 人工智能：未来", None, []),
        ('"site:example (a) b*"', [("site:example (a) b*", True)], []),
    ],
)
def test_parse_query_reads_words_phrases_and_exclusions(
    text: str, wanted: list[tuple[str, bool]] | None, unwanted: list[tuple[str, bool]]
) -> None:
    query = parse_query(text)

    found = [(clause.text, clause.is_phrase) for clause in query.wanted]
    assert found == ([(word, False) for word in text.split()] if wanted is None else wanted)
    assert [(clause.text, clause.is_phrase) for clause in query.unwanted] == unwanted


@pytest.mark.parametrize(
    ("text", "problem", "position"),
    [
        ("", Problem.EMPTY, 0),
        (" \u3000\n", Problem.EMPTY, 0),
        ("grid nul\x00", Problem.BAD_CHARACTER, 8),
        ("grid \ud800", Problem.BAD_CHARACTER, 5),
        ('grid "deep learning', Problem.UNCLOSED_QUOTE, 5),
        ("“深度学习", Problem.UNCLOSED_QUOTE, 0),
        ("a - b", Problem.LONELY_MINUS, 2),
        ("a --b", Problem.LONELY_MINUS, 2),
        ("a -", Problem.LONELY_MINUS, 2),
        ("-新闻", Problem.ONLY_EXCLUDED, 0),
        ("a & b", Problem.NOTHING_TO_FIND, 2),
        ('a ""', Problem.NOTHING_TO_FIND, 2),
        ("a ﾞ", Problem.NOTHING_TO_FIND, 2),
        ("a title:grid", Problem.FIELD, 2),
        ("site: example", Problem.FIELD, 0),
        ("标题：电网", Problem.FIELD, 0),
        ("http://example.com/", Problem.FIELD, 0),
        ("a grid*", Problem.WILDCARD, 2),
        ("gr?d", Problem.WILDCARD, 0),
        ("*", Problem.WILDCARD, 0),
        ("a /gr.d/", Problem.REGEX, 2),
        ("a (b c)", Problem.PARENTHESIS, 2),
        ("（电网）", Problem.PARENTHESIS, 0),
        ("-(a)", Problem.PARENTHESIS, 1),
        ("[a TO z]", Problem.BRACKET, 0),
        ("a OR b", Problem.OR, 2),
        ("a | b", Problem.OR, 2),
        ("a AND b", Problem.AND, 2),
        ("NOT a", Problem.NOT, 0),
        ("a !b", Problem.NOT, 2),
        ("+a", Problem.PLUS, 0),
        ("grid~2", Problem.FUZZY, 0),
        ("grid^3", Problem.FUZZY, 0),
        ("x" * (MAX_CHARACTERS + 1), Problem.TOO_LONG, MAX_CHARACTERS),
        ("a " * (MAX_TERMS + 1), Problem.TOO_MANY_TERMS, 2 * MAX_TERMS),
    ],
)
def test_parse_query_says_what_is_wrong_and_where(
    text: str, problem: Problem, position: int
) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(text)

    assert (caught.value.problem, caught.value.position) == (problem, position)


def test_parse_query_takes_a_query_of_exactly_the_limits() -> None:
    assert len(parse_query("a " * MAX_TERMS).wanted) == MAX_TERMS
    assert parse_query("x" * MAX_CHARACTERS).text == "x" * MAX_CHARACTERS


@pytest.mark.parametrize("text", ["NOT " * 2000, "(" * 20_000, "a OR " * 50_000, "字" * 100_000])
def test_parse_query_refuses_monsters_at_once(text: str) -> None:
    started = time.process_time()

    with pytest.raises(QueryError):
        parse_query(text)

    assert time.process_time() - started < 0.1


def test_every_problem_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Problem)


def test_sentence_counts_positions_from_one() -> None:
    assert "character 6" in sentence(Problem.OR, 5, "OR")
    assert "“OR”" in sentence(Problem.OR, 5, "OR")
