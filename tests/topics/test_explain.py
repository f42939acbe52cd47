"""The sentence that says why a page is here."""

from typing import Any

import pytest
from django.utils.translation import override

from tests.topics.factories import explanation
from topics.explain import matched_terms, parts, standing, why_sentence

LINK = {"n_sites": 3, "value": 0.5, "weight": 0.7}
STANDING = {"value": 0.4, "weight": 0.3, "by": "standing"}
JUDGE = {"relevance": 0.7099, "threshold": 0.5, "note": "", "matched": []}

# explanation, English, Chinese
SENTENCES: list[tuple[dict[str, Any], str, str]] = [
    ({}, "No reason was stored with this page.", "这个网页没有存储理由。"),
    ({"link": LINK}, "3 sites link to it.", "有 3 个网站链接到它。"),
    ({"link": LINK | {"n_sites": 1}}, "1 site links to it.", "有 1 个网站链接到它。"),
    (
        {"link": LINK | {"n_sites": 0}, "judge": JUDGE},
        "No link from another site counts yet; relevance 0.71 (0.50 needed).",
        "还没有计入来自其他网站的链接；相关度 0.71（要求 0.50）。",
    ),
    (
        {"content": {"matched": ["CPU", "缓存"]}, "judge": JUDGE},
        "Speaks of CPU, 缓存; relevance 0.71 (0.50 needed).",
        "谈到 CPU、缓存；相关度 0.71（要求 0.50）。",
    ),
    (
        {"judge": JUDGE | {"matched": [{"term": "笔记本", "share": 1.0, "via": "laptop"}]}},
        "Speaks of 笔记本 (through laptop); relevance 0.71 (0.50 needed).",
        "谈到 笔记本（通过 laptop）；相关度 0.71（要求 0.50）。",
    ),
    (
        {"judge": JUDGE | {"note": "too_little"}},
        "Relevance 0.71 (0.50 needed); the judge has too little to go on.",
        "相关度 0.71（要求 0.50）；评判器的依据太少。",
    ),
    (
        {"content": STANDING | {"counted": 0.93}, "judge": JUDGE},
        "Relevance 0.71 (0.50 needed); more on topic than 93 % of the pages kept.",
        "相关度 0.71（要求 0.50）；切题程度高于 93 % 的已保留网页。",
    ),
    (
        {"content": STANDING | {"counted": 0.12}, "judge": JUDGE},
        "Relevance 0.71 (0.50 needed); less on topic than 88 % of the pages kept.",
        "相关度 0.71（要求 0.50）；切题程度低于 88 % 的已保留网页。",
    ),
    (
        {
            "content": STANDING | {"places": {"by_relevance": 0.93, "by_density": 0.7}},
            "judge": JUDGE,
        },
        "Relevance 0.71 (0.50 needed); more on topic than 93 % of the pages kept,"
        " fuller of the topic's words than 70 % of them.",
        "相关度 0.71（要求 0.50）；切题程度高于 93 % 的已保留网页、主题词密度高于其中的 70 %。",
    ),
    (
        {
            "content": STANDING | {"places": {"by_relevance": 0.12, "by_density": 0.3}},
            "judge": JUDGE,
        },
        "Relevance 0.71 (0.50 needed); less on topic than 88 % of the pages kept,"
        " less full of the topic's words than 70 % of them.",
        "相关度 0.71（要求 0.50）；切题程度低于 88 % 的已保留网页、主题词密度低于其中的 70 %。",
    ),
    (
        {
            "link": LINK,
            "parts": [{"name": "link", "value": 0.4}, {"name": "stuffed", "value": -0.387}],
        },
        "3 sites link to it; 0.39 is taken off its score, as it is stuffed with the topic's words.",
        "有 3 个网站链接到它；因堆砌主题词，得分被扣去 0.39。",
    ),
    (
        {"link": LINK, "parts": [{"name": "stuffed", "value": -0.004}]},
        "3 sites link to it.",
        "有 3 个网站链接到它。",
    ),
    (
        {"content": {"matched": list("abcdefgh")}},
        "Speaks of a, b, c, d, e.",
        "谈到 a、b、c、d、e。",
    ),
]


@pytest.mark.parametrize(("stored", "english", "chinese"), SENTENCES)
def test_the_reason_is_a_sentence_in_the_readers_language(
    stored: dict[str, Any], english: str, chinese: str
) -> None:
    with override("en"):
        assert why_sentence(stored) == english
    with override("zh-hans"):
        assert why_sentence(stored) == chinese


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (STANDING | {"counted": 1.0}, "more on topic than 99 % of the pages kept"),
        (STANDING | {"counted": 0.0}, "less on topic than 99 % of the pages kept"),
        (STANDING | {"counted": 0.93, "weight": 0.0}, ""),
        (STANDING | {"counted": 0.71, "by": "relevance"}, ""),
        ({"value": 0.4, "weight": 0.3}, ""),
    ],
)
def test_the_standing_is_told_only_where_it_counts(content: dict[str, Any], told: str) -> None:
    assert standing({"content": content}) == told


def test_the_factor_of_the_content_part_is_what_counts() -> None:
    stored = explanation(content=0.279)
    stored["content"] |= {"counted": 0.93, "by": "standing"}
    _link, content = parts(stored)
    assert (content["value"], content["factor"], content["weight"]) == (0.279, 0.93, 0.3)


def test_a_new_site_is_named_last() -> None:
    assert why_sentence({"link": LINK}, new_site=True) == ("3 sites link to it; the site is new.")


def test_a_term_that_is_found_twice_is_named_once() -> None:
    assert matched_terms(explanation()) == [("CPU", ""), ("cache", "")]


def test_terms_are_spelt_as_the_page_spells_them() -> None:
    stored = {"content": {"matched": ["memori", "cpu", "cach", "内存"]}}
    text = "Memory and memory, memory: a CPU has caches. A cache is small, a cache is fast. Cpus."
    assert why_sentence(stored, text=text) == "Speaks of memory, CPU, cache, 内存."


def test_the_parts_carry_the_factors_they_are_made_of() -> None:
    link, content = parts(explanation())
    assert (link["value"], link["factor"], link["weight"]) == (0.35, 0.5, 0.7)
    assert (content["value"], content["factor"], content["weight"]) == (0.12, 0.4, 0.3)
