"""Which tokens a text gives to the index, and a query to the search."""

import pytest

from topics.search.analysis import (
    MAX_TOKEN,
    exact_tokens,
    index_words,
    phrase_tokens,
    query_words,
)
from topics.search.subwords import finest, sub_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("。，！ …", []),
        ("Crawlers crawling", ["crawler", "crawl"]),
        ("ＦＵＬＬ Width", ["full", "width"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("Newton's law", ["newton", "law"]),
        ("GPT-3.5", ["gpt", "3", "5"]),
        ("深度學習", ["深度", "学习"]),
        ("snake_case", ["snake", "case"]),
    ],
)
def test_index_words_are_folded_and_stemmed(text: str, words: list[str]) -> None:
    assert list(index_words(text)) == words


def test_index_words_hold_the_sub_words_of_a_long_word() -> None:
    assert {"中国", "农业", "银行"} <= set(index_words("中国农业银行"))


def test_query_words_are_the_finest_that_cover_a_word() -> None:
    assert query_words("农业银行") == ["农业", "银行"]


def test_query_words_come_once_each() -> None:
    assert query_words("grid Grids 电网电网") == ["grid", "电网"]


def test_finest_keeps_a_word_that_its_parts_do_not_cover() -> None:
    assert "能源" in sub_words("新能源")
    assert finest("新能源") == ("新能源",)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("字", [("字", 0)]),
        ("电网", [("电", 0), ("电网", 0), ("网", 1)]),
        ("在GPT", [("在", 0), ("gpt", 1)]),
        ("a\nb", [("a", 0), ("b", 2)]),
        ("电 网", [("电", 0), ("电网", 0), ("网", 1)]),
        ("Newton's c++", [("newton", 0), ("c++", 1)]),
    ],
)
def test_exact_tokens_count_characters_and_words(text: str, tokens: list[tuple[str, int]]) -> None:
    assert list(exact_tokens(text)) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("深度学习", ["深度", "度学", "学习"]),
        ("深度 学习", ["深度", "度学", "学习"]),
        ("在GPT", ["在", "gpt"]),
        ("5月10日", ["5", "月", "10", "日"]),
        ("focused crawlers", ["focused", "crawlers"]),
        ("字", ["字"]),
    ],
)
def test_phrase_tokens_follow_one_another_in_the_index(text: str, tokens: list[str]) -> None:
    assert phrase_tokens(text) == tokens
    positions = dict(exact_tokens(text))
    assert [positions[token] for token in tokens] == list(range(len(tokens)))


def test_a_word_of_a_megabyte_is_cut() -> None:
    assert [len(word) for word in index_words("x" * 1_000_000)] == [MAX_TOKEN]
