"""What the section of a site says of a page in it."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.knowledge.answers import clipped_log_odds
from crawler.knowledge.judge import SectionEffect, Verdict
from crawler.knowledge.judges.logistic import sigmoid
from crawler.knowledge.sections import (
    MAX_FOLDERS,
    MIN_PAGES,
    MOST_LOWERED,
    MOST_RAISED,
    Sections,
    section_paths,
)

SITE = "http://news.test/"
SPORT, COOKING = "http://news.test/sport/", "http://news.test/cooking/"


def counted(*folders: tuple[str, int, float]) -> Sections:
    """Sections of so many pages of one relevance in each folder."""
    urls = [f"{folder}{n}.html" for folder, n_pages, _ in folders for n in range(n_pages)]
    relevances = [relevance for _, n_pages, relevance in folders for _ in range(n_pages)]
    return Sections.of(urls, np.array(relevances))


def moved(sections: Sections, url: str, relevance: float) -> float:
    return float(sections.relevances([url], np.array([relevance]))[0])


@pytest.mark.parametrize(
    ("url", "paths"),
    [
        ("http://a.test", ["a.test"]),
        ("http://a.test/", ["a.test"]),
        ("http://a.test/page", ["a.test"]),
        ("https://a.test/x/page?at=/y/z", ["a.test", "a.test/x"]),
        ("http://a.test/x/y/", ["a.test", "a.test/x", "a.test/x/y"]),
    ],
)
def test_a_page_lies_in_its_site_and_in_each_folder(url: str, paths: list[str]) -> None:
    assert [*section_paths(url)] == paths


def test_folders_are_told_apart_from_the_top_only() -> None:
    paths = [*section_paths("http://a.test/" + "f/" * 50)]

    assert len(paths) == 1 + MAX_FOLDERS


def test_a_page_among_relevant_ones_is_raised_and_one_among_others_lowered() -> None:
    sections = counted((SPORT, 30, 0.9), (COOKING, 60, 0.1))

    assert moved(sections, SPORT + "new.html", 0.4) > 0.5
    assert moved(sections, COOKING + "new.html", 0.55) < 0.5
    assert moved(sections, "http://elsewhere.test/", 0.4) == 0.4


def test_the_estimate_starts_from_the_section_around_it() -> None:
    sections = counted((SPORT, 30, 0.8), (COOKING, 30, 0.2))

    effect = sections.effect(SPORT + "new.html")

    # 24 of 30 pages, and twenty pages as relevant as those of the site: half of all.
    estimate = (24 + 20 * 0.5) / 50
    assert effect is not None
    assert effect.change == pytest.approx(log(estimate / (1 - estimate)) / 2)
    assert (effect.path, effect.n_pages) == ("news.test/sport", 30)
    assert (effect.mean, effect.mean_of_all) == pytest.approx((0.8, 0.5))


def test_a_section_with_all_pages_says_nothing() -> None:
    sections = counted((SPORT, 50, 0.9))

    assert sections.effect(SPORT + "new.html") is None
    assert moved(sections, SPORT + "new.html", 0.4) == 0.4


def test_too_few_pages_say_nothing() -> None:
    sections = counted((SPORT, MIN_PAGES - 1, 0.9), ("http://other.test/", 50, 0.1))

    assert sections.effect(SPORT + "new.html") is None


def test_a_small_folder_counts_as_the_section_around_it() -> None:
    sections = counted(
        (SPORT, 30, 0.9), (SPORT + "golf/", MIN_PAGES - 1, 0.1), ("http://other.test/", 50, 0.1)
    )

    assert sections.effect(SPORT + "golf/new.html") == sections.effect(SPORT + "new.html")


def test_the_section_that_is_named_lies_on_the_side_the_page_is_moved_to() -> None:
    # The site has few relevant pages, a small folder of it some more, but still fewer than all.
    sections = counted(
        (SPORT, 100, 0.1), (SPORT + "golf/", 5, 0.5), ("http://other.test/", 60, 0.9)
    )

    effect = sections.effect(SPORT + "golf/new.html")

    assert effect is not None and effect.change < 0
    assert effect.mean < effect.mean_of_all


def test_a_section_is_not_named_for_being_better_than_the_one_around_it() -> None:
    # Most of the way up from the site to the inner folder is the step to the folder around it,
    # whose pages are less relevant than all pages.
    golf, other = SPORT + "golf/", "http://other.test/"
    sections = counted((SITE, 200, 0.02), (SPORT, 50, 0.2), (golf, 30, 0.8), (other, 200, 0.9))

    effect = sections.effect(golf + "new.html")

    assert effect is not None and effect.change > 0
    assert (effect.path, effect.mean > effect.mean_of_all) == ("news.test/sport/golf", True)


places = st.tuples(
    st.sampled_from(["a.test", "b.test"]), st.lists(st.sampled_from("xyz"), max_size=4)
)
pages = st.lists(st.tuples(places, st.floats(0, 1)), min_size=1, max_size=80)


@given(pages, st.floats(0, 1))
def test_no_section_changes_more_than_it_may_or_gives_a_false_reason(
    counted_pages: list[tuple[tuple[str, list[str]], float]], relevance: float
) -> None:
    urls = [f"http://{'/'.join([site, *path])}/p" for (site, path), _ in counted_pages]
    sections = Sections.of(urls, np.array([relevance for _, relevance in counted_pages]))

    for url in urls:
        effect, after = sections.effect(url), moved(sections, url, relevance)
        highest = sigmoid(clipped_log_odds(np.array([relevance])) + MOST_RAISED)[0]
        assert 0 <= after <= max(relevance, highest)
        assert (after > 0) is (relevance > 0)
        if effect is None:
            assert after == relevance
            continue
        assert effect.change and -MOST_LOWERED <= effect.change <= MOST_RAISED
        assert (effect.mean > effect.mean_of_all) is (effect.change > 0)
        assert after >= relevance if effect.change > 0 else after <= relevance


def test_a_page_that_is_surely_on_topic_stays_kept_among_others() -> None:
    sections = counted((SPORT, 1, 0.9), (COOKING, 500, 0.0), ("http://other.test/", 90, 0.9))

    assert moved(sections, SPORT + "new.html", 0.6) >= 0.5


def test_a_page_that_a_rule_forbids_stays_at_nothing() -> None:
    sections = counted((SPORT, 30, 0.9), (COOKING, 60, 0.1))

    assert moved(sections, SPORT + "new.html", 0.0) == 0.0
    said = Verdict(0.0, note="excluded_present")
    assert sections.verdict(SPORT + "new.html", said) == said


def test_a_verdict_says_what_the_section_changed() -> None:
    sections = counted((SPORT, 30, 0.9), (COOKING, 60, 0.1))

    verdict = sections.verdict(SPORT + "new.html", Verdict(0.4))

    assert verdict.relevance == moved(sections, SPORT + "new.html", 0.4)
    assert isinstance(verdict.section, SectionEffect)
    assert verdict.section == sections.effect(SPORT + "new.html")


def test_sections_survive_being_stored() -> None:
    sections = counted((SPORT, 30, 0.9), (COOKING, 60, 0.1))

    again = Sections.unpack(sections.pack())

    assert again.effect(SPORT + "new.html") == sections.effect(SPORT + "new.html")
    assert Sections.unpack(b"").effect(SPORT) is None
    assert Sections.of([], np.zeros(0)).pack() == Sections().pack()
