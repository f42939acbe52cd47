"""A problem with a source has a sentence in both languages."""

from datetime import UTC, datetime

import pytest
from django.utils.translation import override

from crawler.problems import MAX_DETAIL, Problem, ProblemKind
from topics.sources.problem_sentences import TROUBLES, problem_sentence

SINCE = datetime(2026, 5, 1, 12, tzinfo=UTC)


def sentence_in(problem: Problem, language: str) -> str:
    with override(language):
        return problem_sentence(problem.packed())


def test_every_trouble_has_its_sentence() -> None:
    assert set(TROUBLES) == set(ProblemKind)


@pytest.mark.parametrize("trouble", ProblemKind)
def test_a_trouble_is_reported_with_all_that_is_known_in_both_languages(
    trouble: ProblemKind,
) -> None:
    problem = Problem(trouble, "http://a.test/100%", "answered 403", times=3, since=SINCE)
    english, chinese = sentence_in(problem, "en"), sentence_in(problem, "zh-hans")

    assert english != chinese
    for sentence in (english, chinese):
        assert "http://a.test/100%" in sentence
        assert ("2026-05-01 12:00 UTC" in sentence) is trouble.endswith("_fails")
        assert ("answered 403" in sentence) is not trouble.endswith("_fails")
    assert english.endswith(".")
    assert chinese.endswith("。")


def test_a_refused_search_says_what_to_do() -> None:
    assert "search.formats" in sentence_in(Problem(ProblemKind.SEARCH_REFUSED, "solar"), "zh-hans")


def test_what_is_a_sentence_already_is_reported_as_it_is() -> None:
    assert problem_sentence("The moon is down.") == "The moon is down."


def test_a_trouble_of_another_version_is_reported_as_far_as_it_goes() -> None:
    assert (
        problem_sentence({"trouble": "flood", "about": "a.test", "detail": "wet"}) == "a.test wet"
    )


def test_a_run_keeps_no_novel() -> None:
    packed = Problem(ProblemKind.SOURCE_FAILED, "x" * 999, "y" * 999).packed()

    assert packed == {
        "trouble": "source_failed",
        "about": "x" * MAX_DETAIL,
        "detail": "y" * MAX_DETAIL,
    }
