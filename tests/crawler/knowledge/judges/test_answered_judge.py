"""Pages answered with yes are examples of a second judge; the mean of both judges counts."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from crawler.knowledge.answers import MIN_ANSWERS
from crawler.knowledge.judge import Example, Judge, TrainingSet, without_own_answer
from crawler.knowledge.judges.answered_judge import AnsweredJudge
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.judges.focus_judge import FocusJudge
from crawler.knowledge.judges.focus_kind import FocusKind
from crawler.knowledge.page_matrix import PageMatrix, relevances
from crawler.knowledge.profile import CrawlSettings, TopicProfile, WeightedTerm
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import (
    OTHER_WORDS,
    other_page,
    page_of,
    solar_examples,
    solar_page,
    training_set_of,
)

SOLAR = TopicProfile("solar")
STEAMLESS = TopicProfile("solar", terms=(WeightedTerm("steam", 1.0, excluded=True),))
#: A part of the topic whose words no example has.
THERMAL_WORDS = "collector boiler mirror tank heat steam tower absorber".split()
GIVEN = training_set_of(*solar_examples(5), n_background=80)
_RNG = random.Random(17)


def thermal_page() -> PageTerms:
    """A page of which no word is on the examples."""
    words = _RNG.choices(THERMAL_WORDS, k=20) + _RNG.choices(OTHER_WORDS, k=20)
    return page_of(" ".join(words))


ANSWERED = [thermal_page() for _ in range(4)] + [other_page(_RNG) for _ in range(4)]
MORE = [thermal_page() for _ in range(10)]
OTHERS = [other_page(_RNG) for _ in range(30)]
#: Three pages are on topic, and three are not.
SIX = {0: True, 1: True, 2: True, 4: False, 5: False, 6: False}


def with_answers(answers: Mapping[int, bool]) -> TrainingSet:
    """The given pages, and answers by the place in `ANSWERED`; numbers count from 1."""
    rated = [
        Example(ANSWERED[place], good, page=place + 1, answers=True)
        for place, good in answers.items()
    ]
    return replace(GIVEN, rated=rated)


def judge_of(training_set: TrainingSet, profile: TopicProfile = SOLAR) -> Judge:
    return FocusKind().build(profile, CrawlSettings(), training_set)


def mean_relevance(judge: Judge, pages: Sequence[PageTerms]) -> float:
    return fmean(judge.judge(page).relevance for page in pages)


def test_pages_answered_with_yes_teach_words_that_no_example_has() -> None:
    before, after = judge_of(GIVEN), judge_of(with_answers(SIX))

    assert isinstance(after, AnsweredJudge)
    assert mean_relevance(after, MORE) > mean_relevance(before, MORE) + 0.2
    assert mean_relevance(after, OTHERS) < 0.2


def test_fewer_than_five_answers_teach_nothing() -> None:
    few = dict(list(SIX.items())[: MIN_ANSWERS - 1])

    assert isinstance(judge_of(with_answers(few)), FocusJudge)


def test_answers_that_all_say_no_teach_nothing() -> None:
    assert isinstance(judge_of(with_answers(dict.fromkeys(range(3, 8), False))), FocusJudge)


def test_thumbs_teach_nothing() -> None:
    thumbs = [replace(example, answers=False) for example in with_answers(SIX).rated]

    assert isinstance(judge_of(replace(GIVEN, rated=thumbs)), FocusJudge)


def test_a_page_that_is_an_example_already_does_not_count_twice() -> None:
    shown = [Example(ANSWERED[place], weight=2.0, page=place + 1) for place in (0, 1, 2)]
    given = replace(with_answers(SIX), examples=[*GIVEN.examples, *shown])

    assert isinstance(judge_of(given), FocusJudge)


def test_without_a_background_the_usual_judge_of_few_pages_answers() -> None:
    few = replace(with_answers(SIX), background=GIVEN.background[:20])

    assert isinstance(judge_of(few), CosineJudge)


def test_many_pages_are_judged_as_each_alone() -> None:
    judge = judge_of(with_answers(SIX))
    pages = [*ANSWERED, *MORE, *OTHERS, page_of("")]

    found = relevances(judge, PageMatrix.of(pages))

    assert found == pytest.approx([judge.judge(page).relevance for page in pages], abs=1e-6)
    assert ((found >= 0) & (found <= 1)).all()


def test_words_and_terms_stay_those_of_the_judge_without_answers() -> None:
    before, after = judge_of(GIVEN), judge_of(with_answers(SIX))

    assert isinstance(before, FocusJudge) and isinstance(after, AnsweredJudge)
    assert after.topic_terms == before.topic_terms
    assert after.term_weights == before.term_weights
    assert [after.judge(page).matched for page in MORE] == [
        before.judge(page).matched for page in MORE
    ]


def test_an_excluded_word_keeps_a_page_at_zero() -> None:
    judge = judge_of(with_answers(SIX), STEAMLESS)
    page = page_of("solar solar steam collector boiler mirror tank")

    assert isinstance(judge, AnsweredJudge)
    assert judge.judge(page).relevance == 0.0
    assert judge.judge(page).note == "excluded_present"
    assert relevances(judge, PageMatrix.of([page]))[0] == 0.0


def test_of_a_page_that_it_learnt_from_a_judge_can_say_what_it_would_without_it() -> None:
    training_set = with_answers(SIX)
    judge = judge_of(training_set)

    without = without_own_answer(judge, training_set)

    assert without.keys() == {1, 2, 3}
    for place in (0, 1, 2):
        alone = judge_of(with_answers({**SIX, place: False}))
        assert without[place + 1] < judge.judge(ANSWERED[place]).relevance
        # One fit stands in for one without each page in turn: near to it, not equal.
        assert without[place + 1] == pytest.approx(alone.judge(ANSWERED[place]).relevance, abs=0.15)


def test_the_same_answers_in_another_order_give_the_same_judge() -> None:
    pages = PageMatrix.of([*MORE, *OTHERS, *[solar_page(_RNG) for _ in range(5)]])
    one = relevances(judge_of(with_answers(SIX)), pages)
    other = relevances(judge_of(with_answers(dict(reversed(SIX.items())))), pages)

    assert np.allclose(one, other, atol=1e-6)
