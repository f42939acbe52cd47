"""Key words of Chinese texts."""

import time

import pytest

from crawler.text.keywords import MAX_CHARS, chinese_keywords

TEXT = "智能电网的调度中心平衡发电与用电。电网调度离不开储能，储能让电网更稳定。我们的电网。"


def test_the_words_a_text_is_about_come_first() -> None:
    words = [word for word, _ in chinese_keywords(TEXT, 5)]
    assert words[0] == "电网"
    assert {"储能", "调度"} <= set(words)
    assert "我们" not in words


def test_traditional_characters_give_the_same_words() -> None:
    assert "电网" in dict(chinese_keywords("智能電網的調度中心。電網。"))


@pytest.mark.parametrize("text", ["", "only English words", "一", "。，"])
def test_a_text_without_chinese_words_has_none(text: str) -> None:
    assert chinese_keywords(text) == []


def test_endless_text_takes_no_longer_than_a_long_one() -> None:
    started = time.perf_counter()
    chinese_keywords("电" * 20 * MAX_CHARS)
    assert time.perf_counter() - started < 5
