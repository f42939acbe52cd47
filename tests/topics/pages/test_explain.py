"""The sentence that says why a page is here."""

from typing import Any

import pytest
from django.utils.translation import override

from tests.topics.factories import explanation
from topics.pages.explain import (
    found_terms,
    parts,
    percentile_sentence,
    section_sentence,
    title_sentence,
    why_sentence,
)

LINK = {"n_sites": 3, "value": 0.5, "weight": 0.7}
STANDING = {"value": 0.4, "weight": 0.3, "by": "standing"}
JUDGE = {"relevance": 0.7099, "threshold": 0.5, "note": "", "matched": []}
SECTION = {"path": "a.test/%E7%94%B5%E7%BD%91", "n_pages": 41, "mean": 0.78, "mean_of_all": 0.31}

# explanation, English, Chinese
SENTENCES: list[tuple[dict[str, Any], str, str]] = [
    ({}, "No reason is stored for this page.", "没有存储这个网页的入选理由。"),
    ({"link": LINK}, "3 sites link to it.", "有 3 个网站链接到它。"),
    ({"link": LINK | {"n_sites": 1}}, "1 site links to it.", "有 1 个网站链接到它。"),
    (
        {"link": LINK | {"n_sites": 0}, "judge": JUDGE},
        "No link from another site counts yet; relevance 0.71 (threshold 0.50).",
        "还没有其他网站的链接计入；相关度 0.71（阈值 0.50）。",
    ),
    (
        {"content": {"matched": ["CPU", "缓存"]}, "judge": JUDGE},
        "Mentions CPU, 缓存; relevance 0.71 (threshold 0.50).",
        "提到 CPU、缓存；相关度 0.71（阈值 0.50）。",
    ),
    (
        {"judge": JUDGE | {"matched": [{"term": "笔记本", "share": 1.0, "via": "laptop"}]}},
        "Mentions 笔记本 (via laptop); relevance 0.71 (threshold 0.50).",
        "提到 笔记本（经由 laptop）；相关度 0.71（阈值 0.50）。",
    ),
    (
        {"judge": JUDGE | {"note": "too_little"}},
        "Relevance 0.71 (threshold 0.50); the judge has too little data.",
        "相关度 0.71（阈值 0.50）；判定依据不足。",
    ),
    (
        {"judge": JUDGE | {"note": "required_missing"}},
        "Relevance 0.71 (threshold 0.50); a required term is missing.",
        "相关度 0.71（阈值 0.50）；缺少必须出现的词语。",
    ),
    (
        {"judge": JUDGE | {"note": "excluded_present"}},
        "Relevance 0.71 (threshold 0.50); it has an excluded term.",
        "相关度 0.71（阈值 0.50）；含有排除的词语。",
    ),
    (
        {"judge": JUDGE | {"section": SECTION | {"change": 0.8}}},
        "Relevance 0.71 (threshold 0.50);"
        " raised because pages in a.test/电网 tend to be more relevant.",
        "相关度 0.71（阈值 0.50）；因 a.test/电网 下的网页通常更相关而提高。",
    ),
    (
        {"judge": JUDGE | {"section": SECTION | {"mean": 0.05, "change": -0.8}}},
        "Relevance 0.71 (threshold 0.50);"
        " lowered because pages in a.test/电网 tend to be less relevant.",
        "相关度 0.71（阈值 0.50）；因 a.test/电网 下的网页大多不太相关而降低。",
    ),
    (
        {"judge": JUDGE | {"section": SECTION | {"mean": 0.33, "change": 0.04}}},
        "Relevance 0.71 (threshold 0.50).",
        "相关度 0.71（阈值 0.50）。",
    ),
    (
        {"content": STANDING | {"counted": 0.93}, "judge": JUDGE},
        "Relevance 0.71 (threshold 0.50); among the top tenth of this topic.",
        "相关度 0.71（阈值 0.50）；在本主题中居前 10%。",
    ),
    (
        {"content": STANDING | {"counted": 0.12}, "judge": JUDGE},
        "Relevance 0.71 (threshold 0.50); in the lower half of this topic.",
        "相关度 0.71（阈值 0.50）；在本主题中居后一半。",
    ),
    (
        {
            "content": STANDING | {"places": {"by_relevance": 0.8, "by_density": 0.7}},
            "judge": JUDGE,
        },
        "Relevance 0.71 (threshold 0.50); among the top quarter of this topic.",
        "相关度 0.71（阈值 0.50）；在本主题中居前四分之一。",
    ),
    (
        {
            "content": STANDING | {"places": {"by_relevance": 0.6, "by_density": 0.3}},
            "judge": JUDGE,
        },
        "Relevance 0.71 (threshold 0.50); in the upper half of this topic.",
        "相关度 0.71（阈值 0.50）；在本主题中居前一半。",
    ),
    (
        {
            "link": LINK,
            "parts": [{"name": "link", "value": 0.4}, {"name": "stuffed", "value": -0.387}],
        },
        "3 sites link to it; score reduced by 0.39 for keyword stuffing.",
        "有 3 个网站链接到它；因关键词堆砌，得分降低 0.39。",
    ),
    (
        {"link": LINK, "parts": [{"name": "stuffed", "value": -0.004}]},
        "3 sites link to it.",
        "有 3 个网站链接到它。",
    ),
    (
        {"content": {"matched": list("abcdefgh")}},
        "Mentions a, b, c, d, e.",
        "提到 a、b、c、d、e。",
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
    ("content", "expected"),
    [
        (STANDING | {"counted": 1.0}, "more relevant than 99 % of kept pages"),
        (STANDING | {"counted": 0.0}, "less relevant than 99 % of kept pages"),
        (
            STANDING | {"places": {"by_relevance": 0.93, "by_density": 0.7}},
            "more relevant than 93 % of kept pages, denser in topic terms than 70 % of them",
        ),
        (
            STANDING | {"places": {"by_relevance": 0.12, "by_density": 0.3}},
            "less relevant than 88 % of kept pages, less dense in topic terms than 70 % of them",
        ),
        (STANDING | {"counted": 0.93, "weight": 0.0}, ""),
        (STANDING | {"counted": 0.71, "by": "relevance"}, ""),
        ({"value": 0.4, "weight": 0.3}, ""),
    ],
)
def test_the_standing_is_reported_only_where_it_counts(
    content: dict[str, Any], expected: str
) -> None:
    assert percentile_sentence({"content": content}) == expected


@pytest.mark.parametrize(("change", "effect"), [(0.8, "raised"), (-0.8, "lowered")])
def test_the_figures_of_a_section_are_given(change: float, effect: str) -> None:
    stored = {"judge": JUDGE | {"section": SECTION | {"change": change}}}
    assert section_sentence(stored) == (
        "By their text, the 41 pages in a.test/电网 have a mean relevance of 0.78, and all pages"
        f" of the topic 0.31. So the judge's relevance was {effect}."
    )


@pytest.mark.parametrize(
    ("relevance", "change"), [(0.71, 0.04), (0.999, 1.0), (1.0, 1.0), (0.001, -1.0), (0.0, 1.0)]
)
def test_a_section_that_changes_nothing_one_can_see_is_not_named(
    relevance: float, change: float
) -> None:
    judge = JUDGE | {"relevance": relevance, "section": SECTION | {"change": change}}

    assert section_sentence({"judge": judge}) == ""
    assert why_sentence({"judge": judge}).endswith(" (threshold 0.50).")


def test_a_judge_that_names_no_section_says_nothing_of_one() -> None:
    assert section_sentence({"judge": JUDGE | {"section": None}}) == ""
    assert section_sentence({}) == ""


TITLE = {"kind": "bird", "chinese_kind": "鸟", "change": 0.8}


@pytest.mark.parametrize(
    ("language", "title", "kind"),
    [
        ("en", TITLE, "bird"),
        ("zh-hans", TITLE, "鸟"),
        ("zh-hant", TITLE, "鳥"),
        ("zh-hans", TITLE | {"chinese_kind": ""}, "bird"),
    ],
)
def test_the_kind_of_thing_that_a_title_names_is_said_in_the_readers_language(
    language: str, title: dict[str, Any], kind: str
) -> None:
    stored = {"judge": JUDGE | {"title": title}}

    with override(language):
        assert kind in title_sentence(stored)
        assert kind in why_sentence(stored)


def test_a_title_that_raises_a_page_is_named() -> None:
    assert why_sentence({"judge": JUDGE | {"title": TITLE}}).endswith(
        "raised because its title names the same kind of thing as the examples (bird)."
    )
    assert title_sentence({"judge": JUDGE | {"title": TITLE}}) == (
        "Its title names the same kind of thing as the examples or the topic's name: bird. So the"
        " judge's relevance was raised."
    )


@pytest.mark.parametrize("title", [None, TITLE | {"change": 0.04}])
def test_a_title_that_changes_nothing_one_can_see_is_not_named(
    title: dict[str, Any] | None,
) -> None:
    assert title_sentence({"judge": JUDGE | {"title": title}}) == ""
    assert title_sentence({}) == ""
    assert "title" not in why_sentence({"judge": JUDGE | {"title": title}})


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a.test/%E2%80%AEgro/%0Ax", "a.test/gro/ x"),
        ("a.test/%CE%C4%BB%AF", "a.test/%CE%C4%BB%AF"),  # GBK
        ("a.test/" + 200 * "f", "a.test/" + 72 * "f" + "…"),
    ],
)
def test_the_path_of_a_section_can_be_read(path: str, shown: str) -> None:
    judge = JUDGE | {"section": SECTION | {"path": path, "change": 0.8}}

    assert f"raised because pages in {shown} tend" in why_sentence({"judge": judge})
    assert f"pages in {shown} have" in section_sentence({"judge": judge})


def test_the_factor_of_the_content_part_is_what_counts() -> None:
    stored = explanation(content=0.279)
    stored["content"] |= {"counted": 0.93, "by": "standing"}
    _link, content = parts(stored)
    assert (content["value"], content["factor"], content["weight"]) == (0.279, 0.93, 0.3)


def test_a_new_site_is_named_last() -> None:
    assert why_sentence({"link": LINK}, new_site=True) == ("3 sites link to it; the site is new.")


def test_a_term_that_is_found_twice_is_named_once() -> None:
    assert found_terms(explanation()) == [("CPU", ""), ("cache", "")]


def test_terms_are_spelt_as_the_page_spells_them() -> None:
    stored = {"content": {"matched": ["memori", "cpu", "cach", "内存"]}}
    text = "Memory and memory, memory: a CPU has caches. A cache is small, a cache is fast. Cpus."
    terms = found_terms(stored, text)
    assert why_sentence(stored, terms=terms) == "Mentions memory, CPU, cache, 内存."


def test_the_parts_carry_the_factors_they_are_made_of() -> None:
    link, content = parts(explanation())
    assert (link["value"], link["factor"], link["weight"]) == (0.35, 0.5, 0.7)
    assert (content["value"], content["factor"], content["weight"]) == (0.12, 0.4, 0.3)
