"""A thumb moves pages one way only, under every judge, and its undo changes nothing."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.knowledge.feedback import GAIN, LOSS, Feedback, Vector
from crawler.knowledge.judge import Example, TrainingSet
from crawler.knowledge.judges.focus_judge import FocusJudge
from crawler.knowledge.judges.focus_kind import FocusKind
from crawler.knowledge.page_matrix import PageMatrix, relevances
from crawler.knowledge.profile import CrawlSettings, TopicProfile, WeightedTerm
from crawler.page.parsed import PageTerms
from focusweb import plugins
from tests.crawler.knowledge.judged_pages import (
    other_page,
    page_of,
    solar_examples,
    solar_page,
    training_set_of,
)

SOLAR = TopicProfile("solar", terms=(WeightedTerm("solar panel", 1.0),))
LIBRARY = training_set_of(*solar_examples(5), n_background=80, n_hidden=20)
_RNG = random.Random(5)
PAGES = [solar_page(_RNG) for _ in range(15)] + [other_page(_RNG) for _ in range(15)]
MATRIX = PageMatrix.of(PAGES)
FOCUS = FocusKind().build(SOLAR, CrawlSettings(), LIBRARY)
JUDGED = relevances(FOCUS, MATRIX)


def unsaid(rated: Example) -> None:
    """No page here answers a question."""


def moved(rated: dict[int, bool], judged: Vector = JUDGED) -> Vector:
    examples = [Example(PAGES[page], good) for page, good in rated.items()]
    return Feedback.of(SOLAR, replace(LIBRARY, rated=examples), unsaid).relevances(MATRIX, judged)


@pytest.mark.parametrize("good", [True, False])
@pytest.mark.parametrize("judge", ["focus", "cosine", "adaptive", "content", "ontology", "overlap"])
def test_every_thumb_moves_all_pages_one_way_under_every_judge(judge: str, good: bool) -> None:
    kind = plugins.by_name("judges")[judge]
    judged = relevances(kind.build(SOLAR, CrawlSettings(), LIBRARY), MATRIX)
    for page in range(len(PAGES)):
        change = moved({page: good}, judged) - judged
        assert (change >= 0).all() if good else (change <= 0).all()
        assert change[page] != 0 or judged[page] in (0.0, 1.0)


RATED = st.dictionaries(st.integers(0, len(PAGES) - 1), st.booleans(), max_size=8)


@settings(max_examples=60, deadline=None)
@given(RATED, st.integers(0, len(PAGES) - 1), st.booleans())
def test_whatever_was_rated_before_a_thumb_moves_pages_one_way(
    rated: dict[int, bool], page: int, good: bool
) -> None:
    before = moved({key: word for key, word in rated.items() if key != page})
    after = moved({**rated, page: good})
    change = after - before
    assert (change >= -1e-15).all() if good else (change <= 1e-15).all()
    refit = moved({key: word for key, word in rated.items() if key != page})
    assert np.array_equal(refit, before)


def test_the_judge_itself_learns_nothing_from_a_thumb() -> None:
    training_set = replace(LIBRARY, rated=[Example(PAGES[0], good=False)])
    rebuilt = FocusKind().build(SOLAR, CrawlSettings(), training_set)
    assert isinstance(rebuilt, FocusJudge)
    assert np.array_equal(relevances(rebuilt, MATRIX), JUDGED)


def test_the_rated_page_moves_by_the_whole_gain_or_loss_and_pages_like_it_by_less() -> None:
    def odds(values: Vector) -> Vector:
        found: Vector = np.log(values / (1 - values))
        return found

    page = int(np.argsort(np.abs(JUDGED - 0.5))[0])
    for good, by in ((True, GAIN), (False, -LOSS)):
        change = odds(moved({page: good})) - odds(JUDGED)
        assert change[page] == pytest.approx(by)
        assert (np.abs(np.delete(change, page)) < abs(by)).all()


def test_a_page_unlike_it_keeps_the_very_relevance() -> None:
    after = moved({0: False})
    assert np.count_nonzero(after[15:] == JUDGED[15:]) >= 10


def test_one_page_is_moved_as_many_are() -> None:
    rated = [Example(PAGES[0]), Example(PAGES[1], good=False)]
    feedback = Feedback.of(SOLAR, replace(LIBRARY, rated=rated), unsaid)
    found = [
        feedback.relevance(page, judged)
        for page, judged in zip(PAGES, JUDGED.tolist(), strict=True)
    ]
    assert found == pytest.approx(feedback.relevances(MATRIX, JUDGED).tolist())


def test_a_page_that_breaks_a_rule_stays_at_nothing() -> None:
    rules = TopicProfile("solar", terms=(WeightedTerm("football", 1.0, excluded=True),))
    page = page_of("solar panel football solar panel")
    feedback = Feedback.of(rules, replace(LIBRARY, rated=[Example(page)]), unsaid)
    assert feedback.relevance(page, 0.0) == 0.0
    assert feedback.relevances(PageMatrix.of([page]), np.zeros(1)).tolist() == [0.0]


def test_a_thumb_lifts_a_page_that_the_judge_gives_nothing() -> None:
    page = page_of("opera singer violin concert")
    feedback = Feedback.of(SOLAR, replace(LIBRARY, rated=[Example(page)]), unsaid)
    assert feedback.relevance(page, 0.0) > 0.0


@pytest.mark.parametrize("rated", [[], [Example(PageTerms())]])
def test_without_a_word_in_a_rated_page_nothing_moves(rated: list[Example]) -> None:
    feedback = Feedback.of(SOLAR, replace(LIBRARY, rated=rated), unsaid)
    assert feedback.relevances(MATRIX, JUDGED) is JUDGED
    assert feedback.relevance(PAGES[0], 0.3) == 0.3


def test_pages_of_other_crawls_do_not_change_what_a_thumb_did() -> None:
    rated = [Example(PAGES[0], good=False)]
    own = TrainingSet(
        LIBRARY.frequencies, LIBRARY.examples, LIBRARY.background[:40], 40, rated=rated
    )
    beside = replace(own, background=LIBRARY.background)
    alone, joined = (
        Feedback.of(SOLAR, one, unsaid).relevances(MATRIX, JUDGED) for one in (own, beside)
    )
    assert np.array_equal(alone, joined)
