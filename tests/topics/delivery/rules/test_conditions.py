"""Written conditions of alert rules: what is stored, and what is refused."""

import pytest

from topics.delivery.rules.conditions import WRITTEN, ConditionError, stored_condition


@pytest.mark.parametrize("name", WRITTEN)
def test_no_condition_is_stored_as_none(name: str) -> None:
    assert stored_condition(name, " ") == ""


@pytest.mark.parametrize(
    ("name", "typed", "stored"),
    [
        ("term", "power grid", "power grid"),
        ("query", " title:grid ", "title:grid"),
        ("site", "B.test, a.test b.test", "b.test, a.test"),
        ("not_site", "例子.测试", "例子.测试"),
        ("language", "zh-CN", "zh"),
        ("language", "中文", "zh"),
        ("language", "English", "en"),
    ],
)
def test_a_condition_is_stored_in_one_spelling(name: str, typed: str, stored: str) -> None:
    assert stored_condition(name, typed) == stored


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("term", "the", "only common words"),
        ("query", "a OR", "OR"),
        ("site", "a.test, b/c", "b/c"),
        ("not_site", ".", "name of a site"),
        ("language", "Klingonish", "code of a language"),
    ],
)
def test_a_condition_that_cannot_be_read_is_refused(name: str, typed: str, said: str) -> None:
    with pytest.raises(ConditionError, match=said):
        stored_condition(name, typed)
