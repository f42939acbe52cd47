"""What the judge of the first pages makes the strategy look for."""

from dataclasses import replace

import pytest

from crawler.knowledge.judge import Example
from crawler.knowledge.judges.first_pages_judge import FirstPagesJudge
from crawler.knowledge.profile import TopicProfile, WeightedTerm
from tests.crawler.knowledge.judged_pages import page_of, training_set_of

OWL = replace(page_of("feather nest eagle wing"), title="Owl")
TEXT = page_of("feather snow ice swim")
PENGUIN, SPAIN = (replace(TEXT, title=title) for title in ("Penguin", "Spain"))
BIRDS = TopicProfile("birds")


def judge_of(profile: TopicProfile, *examples: Example) -> FirstPagesJudge:
    return FirstPagesJudge(profile, training_set_of(*examples))


def test_a_page_about_the_same_kind_of_thing_is_wanted_more() -> None:
    judge = judge_of(TopicProfile("qwertz"), Example(OWL))

    assert judge.judge(PENGUIN).relevance == judge.judge(SPAIN).relevance
    assert 1 > judge.raised(PENGUIN, 0.2) > judge.raised(SPAIN, 0.2) >= 0.2
    assert judge.raised(PENGUIN, 0.4) > judge.raised(PENGUIN, 0.2)
    assert judge.raised(PENGUIN, 1.0) == pytest.approx(1.0)


def test_the_name_of_the_topic_counts_as_a_title() -> None:
    judge = judge_of(BIRDS)

    assert judge.raised(PENGUIN, 0.0) > 0
    assert judge.raised(TEXT, 0.0) == 0


@pytest.mark.parametrize("title", ["", "qwertzuiop"])
def test_a_title_that_names_nothing_raises_nothing(title: str) -> None:
    assert judge_of(BIRDS, Example(OWL)).raised(replace(TEXT, title=title), 0.2) == 0.2


def test_a_forbidden_page_is_not_wanted_for_its_title() -> None:
    profile = replace(BIRDS, terms=(WeightedTerm("snow", excluded=True),))

    assert judge_of(profile, Example(OWL)).raised(PENGUIN, 0.0) == 0


def test_a_topic_without_a_word_wants_nothing() -> None:
    assert judge_of(TopicProfile("")).raised(OWL, 0.0) == 0
