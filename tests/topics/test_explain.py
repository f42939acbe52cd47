"""The sentence that says why a page is here."""

from typing import Any

import pytest
from django.utils.translation import override

from tests.topics.factories import explanation
from topics.explain import matched_terms, parts, why_sentence

LINK = {"n_sites": 3, "value": 0.5, "weight": 0.7}
JUDGE = {"relevance": 0.7099, "threshold": 0.5, "note": "", "matched": []}

# explanation, English, Chinese
SENTENCES: list[tuple[dict[str, Any], str, str]] = [
    ({}, "No reason was stored with this page.", "这个网页没有存储理由。"),
    ({"link": LINK}, "3 sites link to it.", "有 3 个网站链接到它。"),
    ({"link": LINK | {"n_sites": 1}}, "1 site links to it.", "有 1 个网站链接到它。"),
    (
        {"link": LINK | {"n_sites": 0}, "judge": JUDGE},
        "No other site links to it yet; relevance 0.71 (0.50 needed).",
        "还没有其他网站链接到它；相关度 0.71（要求 0.50）。",
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
