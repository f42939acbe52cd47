"""What the adaptive judge keeps of the intervals of a crawl."""

import random
from dataclasses import replace

import pytest

from crawler.knowledge.judge import AdaptiveJudgeProtocol, TrainingSet
from crawler.knowledge.judges.adaptation import Adaptation, AdaptationConstants
from crawler.knowledge.judges.adaptive_judge import AdaptiveJudge, AdaptiveKind
from crawler.knowledge.judges.intervals import N_TERMS, CountedPage, Intervals, Mean
from crawler.knowledge.profile import CrawlSettings, TopicProfile, WeightedTerm
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import (
    other_page,
    page_of,
    solar_examples,
    solar_page,
    training_set_of,
)

PACE = AdaptationConstants(wanted=2, tighten=1.05, tighten_more=1.3, loosen=0.95, poor=0.3)
GOOD = CountedPage({"sun": 1.0}, passed=True, confirmed=True)
DRIFTED = CountedPage({"moon": 1.0}, passed=True, confirmed=False)
OFF = CountedPage({"soup": 1.0}, passed=False, confirmed=False)
START = Intervals(Adaptation(0.2))
TOPIC = TopicProfile("solar")
SETTINGS = CrawlSettings(judge="adaptive", judge_parameters={"interval": 4, "wanted": 2})


@pytest.mark.parametrize(
    ("pages", "threshold"),
    [
        ([GOOD] * 4, 0.2 * 1.05),  # more than wanted
        ([DRIFTED] * 3 + [OFF], 0.2 * 1.3),  # more than wanted, and not the topic
        ([GOOD] * 2 + [OFF] * 2, 0.2),  # as wanted
        ([OFF] * 4, 0.2 * 0.95),  # less than wanted
    ],
)
def test_a_whole_interval_moves_the_threshold(pages: list[CountedPage], threshold: float) -> None:
    after = START.after(pages, PACE, length=4)

    assert after.adaptation.threshold == pytest.approx(threshold)
    assert (after.adaptation.n_intervals, after.n_pages) == (1, 0)


def test_an_interval_under_way_moves_nothing_and_is_not_lost() -> None:
    under_way = START.after([GOOD, OFF], PACE, length=4)
    whole = under_way.after([GOOD, GOOD], PACE, length=4)

    assert under_way.adaptation == START.adaptation
    assert whole.adaptation == START.after([GOOD, OFF, GOOD, GOOD], PACE, length=4).adaptation
    assert whole.adaptation.n_fetched == 3


def test_an_interval_that_came_out_longer_counts_in_proportion() -> None:
    twice = START.after([GOOD] * 4 + [OFF] * 4, PACE, length=4)

    assert twice.adaptation.threshold == START.adaptation.threshold
    assert twice.adaptation.n_fetched == 2


def test_what_was_kept_comes_back_as_it_was() -> None:
    kept = START.after([GOOD, OFF, DRIFTED], PACE, length=2).after([GOOD], PACE, length=2)

    assert Intervals.load(kept.dump()) == kept
    assert Intervals.load(b"", threshold=0.3).adaptation.threshold == 0.3


def test_a_mean_is_of_all_pages_and_forgets_the_weakest_terms() -> None:
    mean = Mean().with_pages([{"a": 1.0}]).with_pages([{"a": 0.5, "b": 0.5}, {"b": 1.0}])
    many = {f"term{number}": 1.0 + number for number in range(N_TERMS + 100)}

    assert mean.n_pages == 3
    assert mean.weights == pytest.approx({"a": 0.5, "b": 0.5})
    assert len(Mean().with_pages([many]).weights) == N_TERMS
    assert "term0" not in Mean().with_pages([many]).weights


def judge_of(training_set: TrainingSet, **changes: object) -> AdaptiveJudge:
    settings = replace(SETTINGS, **changes)  # type: ignore[arg-type]
    return AdaptiveKind().build(TOPIC, settings, training_set)


def crawled(judge: AdaptiveJudge, pages: list[PageTerms], memory: bytes = b"") -> bytes:
    """Judge pages and learn from them; what the judge keeps."""
    seen = [(page, judge.judge(page).relevance) for page in pages]
    return judge.learn(seen, memory).memory


def test_the_judge_is_built_where_the_intervals_left_the_threshold() -> None:
    training_set = training_set_of(*solar_examples())
    judge, page = judge_of(training_set), page_of("solar panel by the castle")
    assert isinstance(judge, AdaptiveJudgeProtocol)
    rng = random.Random(5)
    memory = crawled(judge, [other_page(rng) for _ in range(4)])
    looser = judge_of(replace(training_set, memories={"adaptive": memory}))

    assert looser.judge(page).relevance > judge.judge(page).relevance


def test_only_a_whole_interval_is_news() -> None:
    judge, page = judge_of(training_set_of(*solar_examples())), page_of("castle battle")
    first = judge.learn([(page, 0.0)] * 3, b"")

    assert not first.is_news
    assert judge.learn([(page, 0.0)], first.memory).is_news


def test_without_intervals_nothing_is_kept() -> None:
    judge = judge_of(training_set_of(*solar_examples()), judge_parameters={"interval": 0})
    judge_update = judge.learn([(page_of("castle"), 0.0)] * 50, b"")

    assert (judge_update.memory, judge_update.is_news) == (b"", False)


def test_a_page_without_words_is_not_counted() -> None:
    judge = judge_of(training_set_of(*solar_examples()))
    assert not judge.learn([(PageTerms(), 0.0)] * 9, b"").is_news


def test_the_vector_moves_towards_confirmed_pages() -> None:
    training_set = training_set_of(*solar_examples())
    judge = judge_of(training_set)
    rng = random.Random(3)
    fresh = [page_of("solar panel photovoltaic module perovskite tandem " * 3) for _ in range(4)]
    memory = crawled(judge, [*fresh, *(other_page(rng) for _ in range(4))])

    assert "perovskit" not in judge.topic_terms
    assert "perovskit" in judge_of(replace(training_set, memories={"adaptive": memory})).topic_terms


def test_however_long_it_goes_on_what_was_given_keeps_its_share() -> None:
    """A crawl that has strayed to castles for a hundred intervals is still about the sun."""
    profile = TopicProfile("solar", terms=(WeightedTerm("photovoltaic"),))
    training_set = training_set_of(*solar_examples())
    judge = AdaptiveKind().build(profile, SETTINGS, training_set)
    memory, rng = b"", random.Random(4)
    page, castle = solar_page(rng), page_of("castle king battle treaty")
    for _ in range(100):
        memory = judge.learn([(castle, 1.0)] * 4, memory).memory
    strayed = AdaptiveKind().build(
        profile, SETTINGS, replace(training_set, memories={"adaptive": memory})
    )

    assert {"solar", "photovolta"} <= strayed.topic_terms
    assert strayed.judge(page).relevance > strayed.judge(castle).relevance
