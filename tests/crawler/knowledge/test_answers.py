"""Answers correct a judge as a whole; a thumb beside them stays one-way."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.knowledge.answers import (
    LIKENESS_VARIANCE,
    MIN_ANSWERS,
    OFFSET_VARIANCE,
    Correction,
    LabelledAnswer,
    answered_yes,
    clipped_log_odds,
    fit_correction,
)
from crawler.knowledge.feedback import Feedback, Vector
from crawler.knowledge.judge import Example
from crawler.knowledge.judges.logistic import sigmoid
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.profile import TopicProfile, WeightedTerm
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import (
    other_page,
    page_of,
    solar_examples,
    solar_page,
    training_set_of,
)

SOLAR = TopicProfile("solar", terms=(WeightedTerm("solar panel", 1.0),))
LIBRARY = training_set_of(*solar_examples(5), n_background=60)
_RNG = random.Random(11)
PAGES = [solar_page(_RNG) for _ in range(10)] + [other_page(_RNG) for _ in range(10)]
MATRIX = PageMatrix.of(PAGES)
#: A judge that knows nothing, and keeps all.
UNSURE = np.full(len(PAGES), 0.7)


def corrected(answers: dict[int, bool], thumbs: dict[int, bool] | None = None) -> Vector:
    rated = [Example(PAGES[one], good, page=one, answers=True) for one, good in answers.items()]
    rated += [Example(PAGES[one], good) for one, good in (thumbs or {}).items()]
    training_set = replace(LIBRARY, rated=rated)
    feedback = Feedback.of(SOLAR, training_set, lambda one: float(UNSURE[one.page]))
    return feedback.relevances(MATRIX, UNSURE)


def test_five_answers_tell_pages_apart_that_the_judge_could_not() -> None:
    found = corrected({0: True, 3: True, 10: False, 13: False, 16: False})
    assert found[:10].min() > UNSURE[0] > found[10:].max()


def test_answers_that_all_say_no_lower_pages_unlike_them_too() -> None:
    found = corrected(dict.fromkeys(range(10, 15), False))
    assert (found < UNSURE).all()


def test_answers_may_raise_and_lower_at_once_and_without_them_nothing_moves() -> None:
    found = corrected({0: True, 3: True, 10: False, 13: False, 16: False})
    assert (found > UNSURE).any() and (found < UNSURE).any()
    assert np.array_equal(corrected({}), UNSURE)


def test_fewer_answers_are_thumbs() -> None:
    few = dict.fromkeys(range(10, 10 + MIN_ANSWERS - 1), False)
    assert np.array_equal(corrected(few), corrected({}, few))
    more = few | {19: False}
    assert not np.array_equal(corrected(more), corrected({}, more))


ANSWERS = st.dictionaries(
    st.integers(0, len(PAGES) - 1), st.booleans(), min_size=MIN_ANSWERS, max_size=10
)


@settings(max_examples=60, deadline=None)
@given(ANSWERS, st.integers(0, len(PAGES) - 1), st.booleans())
def test_a_thumb_beside_answers_moves_pages_one_way(
    answers: dict[int, bool], page: int, good: bool
) -> None:
    before, after = corrected(answers), corrected(answers, {page: good})
    change = after - before
    assert (change >= -1e-15).all() if good else (change <= 1e-15).all()
    assert np.array_equal(corrected(answers), before)  # undo


@settings(max_examples=60, deadline=None)
@given(ANSWERS)
def test_every_relevance_stays_a_probability(answers: dict[int, bool]) -> None:
    found = corrected(answers)
    assert ((found > 0) & (found < 1)).all()


def test_an_answer_that_was_expected_changes_little() -> None:
    answers = [LabelledAnswer(page, good=True, judged=0.99) for page in PAGES[:5]]
    correction = Correction.of(answers, LIBRARY.background, LIBRARY.frequencies)
    change = clipped_log_odds(correction.relevances(MATRIX, UNSURE)) - clipped_log_odds(UNSURE)
    assert np.abs(change).max() < 1.0


def test_one_page_is_corrected_as_many_are() -> None:
    answers = [LabelledAnswer(page, good=n < 2, judged=0.5) for n, page in enumerate(PAGES[8:13])]
    correction = Correction.of(answers, LIBRARY.background, LIBRARY.frequencies)
    one_by_one = [correction.relevance(page, 0.7) for page in PAGES]
    assert one_by_one == pytest.approx(correction.relevances(MATRIX, UNSURE).tolist())


def test_a_page_without_terms_is_corrected_by_the_common_part() -> None:
    answers = [LabelledAnswer(page, good=False, judged=0.7) for page in PAGES[10:15]]
    correction = Correction.of(answers, (), LIBRARY.frequencies)
    empty = PageTerms()
    both = correction.relevances(PageMatrix.of([empty]), np.array([0.7]))
    expected = sigmoid(clipped_log_odds(np.array([0.7])) + correction.offset)
    assert both == pytest.approx(expected) == correction.relevance(empty, 0.7)


def test_a_page_that_breaks_a_rule_stays_out_whatever_is_answered() -> None:
    rules = TopicProfile("solar", terms=(WeightedTerm("football", 1.0, excluded=True),))
    page = page_of("solar panel football solar panel")
    rated = [Example(one, answers=True) for one in PAGES[:5]]
    feedback = Feedback.of(rules, replace(LIBRARY, rated=rated), lambda one: 0.5)
    assert feedback.relevances(PageMatrix.of([page]), np.zeros(1)).tolist() == [0.0]
    assert feedback.relevance(page, 0.0) == 0.0


@pytest.mark.parametrize(
    ("said", "good"),
    [([0.0], [1.0]), ([6.0], [0.0]), ([-6.0, 6.0, 0.0], [1.0, 0.0, 1.0])],
)
def test_the_dual_is_the_answer_less_the_corrected_probability(
    said: list[float], good: list[float]
) -> None:
    n = len(said)
    covariance = OFFSET_VARIANCE + LIKENESS_VARIANCE * np.eye(n)
    dual = fit_correction(covariance, np.array(said), np.array(good))
    chances = sigmoid(np.array(said) + covariance @ dual)
    assert dual == pytest.approx(np.array(good) - chances, abs=1e-7)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(-6, 6), st.booleans()), min_size=1, max_size=20))
def test_every_fit_settles(answers: list[tuple[float, bool]]) -> None:
    """Also where all pages are the same page, and answers contradict each other."""
    said = np.array([one for one, _ in answers])
    good = np.array([float(one) for _, one in answers])
    covariance = np.full((len(said), len(said)), OFFSET_VARIANCE + LIKENESS_VARIANCE)
    dual = fit_correction(covariance, said, good)
    assert np.isfinite(dual).all() and (np.abs(dual) <= 1).all()


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match="need 2 rows"):
        fit_correction(np.eye(3), np.zeros(2), np.zeros(2))


def test_a_judge_learns_from_the_pages_answered_with_yes_if_there_are_five_answers() -> None:
    answers = [Example(PAGES[n], good=n < 2, answers=True) for n in range(5)]
    thumbs = [Example(PAGES[n]) for n in range(5, 9)]

    assert answered_yes([*thumbs, *answers]) == answers[:2]
    assert answered_yes([*thumbs, *answers[:4]]) == []
