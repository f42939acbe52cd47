"""The query language: what is understood, and what is refused where."""

import time
from datetime import date, timedelta

import pytest

from tests.topics.search.reference import same
from topics.search.errors import QueryError
from topics.search.fields import NAMES
from topics.search.problems import SENTENCES, QueryProblem, sentence
from topics.search.query import MAX_CHARACTERS, MAX_TERMS, parse_query
from topics.search.tree import (
    Ages,
    Clause,
    Fact,
    Field,
    Numbers,
    Pattern,
    Period,
    UnitStart,
    query_text,
)


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
        ("a !b", [("a", False)], [("b", False)]),
        ("a -(b “c d”)", [("a", False)], [("b", False), ("c d", True)]),
        ("recycl* 电*", [("recycl", False), ("电", False)], []),
        ("标题：电网", [("电网", False)], []),
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
        ("", QueryProblem.EMPTY, 0),
        (" \u3000\n", QueryProblem.EMPTY, 0),
        ("grid nul\x00", QueryProblem.BAD_CHARACTER, 8),
        ("grid \ud800", QueryProblem.BAD_CHARACTER, 5),
        ('grid "deep learning', QueryProblem.UNCLOSED_QUOTE, 5),
        ("“深度学习", QueryProblem.UNCLOSED_QUOTE, 0),
        ("a - b", QueryProblem.LONELY_MINUS, 2),
        ("a --b", QueryProblem.LONELY_MINUS, 2),
        ("a -", QueryProblem.LONELY_MINUS, 2),
        ("-新闻", QueryProblem.ONLY_EXCLUDED, 0),
        ("a & b", QueryProblem.NOTHING_TO_FIND, 2),
        ('a ""', QueryProblem.NOTHING_TO_FIND, 2),
        ("a ﾞ", QueryProblem.NOTHING_TO_FIND, 2),
        ("a titel:grid", QueryProblem.FIELD, 2),
        ("http://example.com/", QueryProblem.ADDRESS, 0),
        ("a https://example.com/x?y=1&z[]=2", QueryProblem.ADDRESS, 2),
        ('uri:"a b"', QueryProblem.FIELD, 0),
        ("age:old", QueryProblem.BAD_AGE, 4),
        ("age:<2026", QueryProblem.BAD_AGE, 4),
        ("pub:nextweek", QueryProblem.BAD_DATE, 4),
        ("link:high", QueryProblem.BAD_NUMBER, 5),
        ("a text:gr*d", QueryProblem.WILDCARD, 2),
        ("a site: example", QueryProblem.EMPTY_VALUE, 2),
        ("标题：", QueryProblem.EMPTY_VALUE, 0),
        ("a is:blue", QueryProblem.BAD_VALUE, 5),
        ("a has:wings", QueryProblem.BAD_VALUE, 6),
        ("lang:e", QueryProblem.BAD_VALUE, 5),
        ("site:a/b", QueryProblem.BAD_VALUE, 5),
        ("score:high", QueryProblem.BAD_NUMBER, 6),
        ("score:0.5..", QueryProblem.BAD_NUMBER, 6),
        ("pub:2026-13", QueryProblem.BAD_DATE, 4),
        ("before:>2026", QueryProblem.BAD_DATE, 7),
        ("gr*d", QueryProblem.WILDCARD, 0),
        ("gr?d", QueryProblem.WILDCARD, 0),
        ("*", QueryProblem.WILDCARD, 0),
        ("a g*", QueryProblem.SHORT_PREFIX, 2),
        ("a 在GP*", QueryProblem.MIXED_PREFIX, 2),
        ("title:電網ab*", QueryProblem.MIXED_PREFIX, 6),
        ("a /gr.d/x", QueryProblem.REGEX, 2),
        ("/usr/bin/", QueryProblem.REGEX, 0),
        ("a /gr(d/", QueryProblem.BAD_REGEX, 5),
        (r"/a(b)\1/", QueryProblem.BAD_REGEX, 5),
        ("/(?=a)/", QueryProblem.BAD_REGEX, 1),
        ("/(a{99}){99}/", QueryProblem.LARGE_REGEX, 1),
        ("a (b c", QueryProblem.UNCLOSED_GROUP, 2),
        ("（电网", QueryProblem.UNCLOSED_GROUP, 0),
        ("a b)", QueryProblem.UNOPENED_GROUP, 3),
        ("a ()", QueryProblem.EMPTY_GROUP, 2),
        (")", QueryProblem.UNOPENED_GROUP, 0),
        ("(" * 11 + "a" + ")" * 11, QueryProblem.TOO_DEEP, 10),
        ("[a TO z]", QueryProblem.BRACKET, 0),
        ("a OR", QueryProblem.LONELY_OR, 2),
        ("OR a", QueryProblem.LONELY_OR, 0),
        ("a OR OR b", QueryProblem.LONELY_OR, 2),
        ("(a OR)", QueryProblem.LONELY_OR, 3),
        ("-a -b", QueryProblem.ONLY_EXCLUDED, 0),
        ("a AND b", QueryProblem.AND, 2),
        ("NOT a", QueryProblem.NOT, 0),
        ("+a", QueryProblem.PLUS, 0),
        ("grid~2", QueryProblem.FUZZY, 0),
        ("grid^3", QueryProblem.FUZZY, 0),
        ("x" * (MAX_CHARACTERS + 1), QueryProblem.TOO_LONG, MAX_CHARACTERS),
        ("a " * (MAX_TERMS + 1), QueryProblem.TOO_MANY_TERMS, 2 * MAX_TERMS),
    ],
)
def test_parse_query_says_what_is_wrong_and_where(
    text: str, problem: QueryProblem, position: int
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
    assert set(SENTENCES) == set(QueryProblem)


def test_sentence_counts_positions_from_one() -> None:
    message = sentence(QueryProblem.LONELY_OR, 5, "OR")

    assert "character 6" in message
    assert "“OR”" in message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("http://example.com:80/a?b=1", "site:example.com"),
        ("https://", ""),
        ("is:blue", "is:news, is:known, is:newsite, is:relevant"),
        ("状态：收藏", "状态：新内容, 状态：已知, 状态：新站点, 状态：相关"),
        ("含有:视频", "含有：日期, 含有：图片, 含有：作者, 含有：文章, 含有：pdf"),
        ("语言：法", "语言：中文, 语言：英文"),
        ("发布：昨日", "发布：2026-11"),
        ("score:high", "score:>0.6, score:0.3..0.6"),
        ("全文:电网", "标题： 正文： 站点： 网址： 作者： 主题： 术语："),
        ("https://a.test/x", "site:a.test, url:https://a.test/x"),
        ("/a[/", "."),
        ("距今:很久", "距今：<1周, 距今：<12小时"),
    ],
)
def test_a_hint_is_in_the_language_of_the_fields_name(text: str, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(text)

    assert caught.value.hint.startswith(hint)
    assert bool(caught.value.hint) is bool(hint)


def test_sentence_says_what_would_do() -> None:
    with pytest.raises(QueryError) as caught:
        parse_query("a titel:grid")

    message = sentence(QueryProblem.FIELD, 2, "titel:grid", caught.value.hint)
    assert message.endswith("Possible: title:")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b OR c", "(a b) OR c"),
        ("a (b OR c) -d", "a (b OR c) -d"),
        ("(a b) c", "(a b) c"),
        ("a | b || c", "a OR b OR c"),
        ("-(a OR b) c", "-(a OR b) c"),
        ("（GPU OR 显卡） －新闻", "(GPU OR 显卡) -新闻"),
        ("“a b” c", '"a b" c'),
        ('「a "b" c」 d', '「a "b" c」 d'),
        ("『他说“你好”』 d", "「他说“你好”」 d"),
        ("title:『a “b” 「c」』 d", "title:『a “b” 「c」』 d"),
    ],
)
def test_words_side_by_side_bind_more_than_or(text: str, expected: str) -> None:
    tree = parse_query(text).tree

    assert query_text(tree) == expected
    assert same(parse_query(expected).tree, tree)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("site:Example.ORG", Field.SITE, "example.org"),
        ("站点：https://example.org/", Field.SITE, "example.org"),
        ("topic:“power grid”", Field.TOPIC, "power grid"),
        ("主题：电网", Field.TOPIC, "电网"),
        ("term:CPU", Field.TERM, "CPU"),
        ("语言：中文", Field.LANG, "zh"),
        ("lang:zh-Hant", Field.LANG, "zh-hant"),
        ("is:NEW", Field.IS, "news"),
        ("状态：未读", Field.IS, "unread"),
        ("含有：图片", Field.HAS, "image"),
        ("狀態：未讀", Field.IS, "unread"),
        ("含有：圖片", Field.HAS, "image"),
        ("語言：漢語", Field.LANG, "zh"),
        ("標籤：電網", Field.TAG, "電網"),
        ("連結：>0.2", Field.LINK, Numbers(low=0.2, open_low=True)),
        ("距今：<1週", Field.AGE, Ages(most=timedelta(days=7))),
        ("距今：12小時", Field.AGE, Ages(most=timedelta(hours=12))),
        ("發布：3個月", Field.PUB, Period(90, 0)),
        ("發現：本週", Field.SEEN, Period(UnitStart("week", 0), UnitStart("week", -1, -1))),
        ("score:>0.6", Field.SCORE, Numbers(low=0.6, open_low=True)),
        ("得分：＞＝０．６", Field.SCORE, Numbers(low=0.6)),
        ("score:.2..0.5", Field.SCORE, Numbers(0.2, 0.5)),
        ("score:0.5", Field.SCORE, Numbers(low=0.5)),
        ("pub:2026", Field.PUB, Period(date(2026, 1, 1), date(2026, 12, 31))),
        ("pub:2026-02", Field.PUB, Period(date(2026, 2, 1), date(2026, 2, 28))),
        ("发布：2026年2月3日", Field.PUB, Period(date(2026, 2, 3), date(2026, 2, 3))),
        ("pub:>2026-02", Field.PUB, Period(first=date(2026, 3, 1))),
        ("pub:2026-02..2026-03", Field.PUB, Period(date(2026, 2, 1), date(2026, 3, 31))),
        ("seen:7d", Field.SEEN, Period(7, 0)),
        ("seen:P2W", Field.SEEN, Period(14, 0)),
        ("发现：昨天", Field.SEEN, Period(1, 1)),
        ("seen:lastweek", Field.SEEN, Period(UnitStart("week", 1), UnitStart("week", 0, -1))),
        ('pub:"last month"', Field.PUB, Period(UnitStart("month", 1), UnitStart("month", 0, -1))),
        ("发布：本周", Field.PUB, Period(UnitStart("week", 0), UnitStart("week", -1, -1))),
        ("before:今年", Field.BEFORE, Period(last=UnitStart("year", 0, -1))),
        ("发布：3个月", Field.PUB, Period(90, 0)),
        ("发布：2026年", Field.PUB, Period(date(2026, 1, 1), date(2026, 12, 31))),
        ("age:<1w", Field.AGE, Ages(most=timedelta(days=7))),
        ("age:12h", Field.AGE, Ages(most=timedelta(hours=12))),
        ("距今：＞２天", Field.AGE, Ages(least=timedelta(days=2))),
        ("age:1d..P2W", Field.AGE, Ages(timedelta(days=1), timedelta(days=14))),
        ("url:https://a.test/x?y=[1]", Field.URL, "https://a.test/x?y=[1]"),
        ("作者：“王 伟”", Field.AUTHOR, "王 伟"),
        ('rule:"Chips now"', Field.RULE, "Chips now"),
        ("link:>0.2", Field.LINK, Numbers(low=0.2, open_low=True)),
        ("content:0.5..1", Field.CONTENT, Numbers(0.5, 1)),
        ("状态：有改动", Field.IS, "changed"),
        ("text:grid", Field.TEXT, Clause("grid")),
        ("正文：“电网 调度”", Field.TEXT, Clause("电网 调度", is_phrase=True)),
        ("/gr[ai]d s?/i", Field.PATTERN, Pattern("gr[ai]d s?", ignore_case=True)),
        (r"／a\/b|（c）／", Field.PATTERN, Pattern(r"a\/b|（c）")),
        ("before:2026-11-03", Field.BEFORE, Period(last=date(2026, 11, 2))),
        ("after:2026-11", Field.AFTER, Period(first=date(2026, 12, 1))),
        ("after:7d", Field.AFTER, Period(first=7)),
        ("before:7d", Field.BEFORE, Period(last=8)),
    ],
)
def test_parse_query_reads_fields(text: str, field: Field, value: object) -> None:
    tree = parse_query(text).tree

    assert isinstance(tree, Fact)
    assert (tree.field, tree.value, tree.text) == (field, value, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title:grid", Clause("grid", position=6, in_title=True)),
        ("标题：“电网 调度”", Clause("电网 调度", True, 3, in_title=True)),
        ("title:recycl*", Clause("recycl", position=6, is_prefix=True, in_title=True)),
    ],
)
def test_a_title_is_searched_by_words_phrases_and_beginnings(text: str, expected: Clause) -> None:
    assert parse_query(text).tree == expected


def test_every_field_has_a_chinese_name() -> None:
    assert {field for name, field in NAMES.items() if not name.isascii()} == {
        field for field in Field if field is not Field.PATTERN
    }
