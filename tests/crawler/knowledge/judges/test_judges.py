"""What every judge must do, whichever it is."""

import math
import random

import pytest

from crawler.builtin import judges
from crawler.knowledge.judge import JudgeKind, TrainingSet
from crawler.knowledge.profile import CrawlSettings, TopicConcept, TopicProfile, WeightedTerm
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import (
    other_page,
    page_of,
    solar_examples,
    solar_page,
    training_set_of,
)

KINDS = {kind.name: kind for kind in judges()}
SETTINGS = CrawlSettings()
SOLAR = TopicProfile("solar panel inverter")

every_judge = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def test_all_judges_are_registered_once() -> None:
    assert sorted(KINDS) == ["adaptive", "content", "cosine", "focus", "ontology", "overlap"]
    assert len(KINDS) == len(list(judges()))


@every_judge
def test_pages_of_the_topic_rank_above_others(kind: JudgeKind) -> None:
    judge = kind.build(SOLAR, SETTINGS, training_set_of(*solar_examples()))
    rng = random.Random(3)

    on = [judge.judge(solar_page(rng)).relevance for _ in range(20)]
    off = [judge.judge(other_page(rng)).relevance for _ in range(20)]

    assert sum(on) / 20 > sum(off) / 20
    assert sum(a > b for a in on for b in off) > 0.8 * 400


@every_judge
@pytest.mark.parametrize(
    "page",
    [
        PageTerms(),
        page_of("x"),
        page_of("solar"),
        page_of("solar panel inverter " * 500),
        page_of("电网", "zh"),
    ],
    ids=["empty", "one letter", "one word", "spam", "Chinese"],
)
def test_odd_pages_get_a_relevance_between_0_and_1(kind: JudgeKind, page: PageTerms) -> None:
    for training_set in (training_set_of(*solar_examples()), training_set_of(n_background=0)):
        verdict = kind.build(SOLAR, SETTINGS, training_set).judge(page)

        assert 0 <= verdict.relevance <= 1
        assert all(math.isfinite(match.share) for match in verdict.matched)


@every_judge
def test_a_topic_of_nothing_says_too_little(kind: JudgeKind) -> None:
    judge = kind.build(TopicProfile(""), SETTINGS, training_set_of(n_background=0))

    verdict = judge.judge(page_of("solar panel"))

    assert (verdict.relevance, verdict.note) == (0, "too_little")


@every_judge
@pytest.mark.parametrize(
    ("term", "note"),
    [
        (WeightedTerm("roof garden", required=True), "required_missing"),
        (WeightedTerm("solar inverter", excluded=True), "excluded_present"),
    ],
)
def test_required_and_excluded_phrases_hold(kind: JudgeKind, term: WeightedTerm, note: str) -> None:
    profile = TopicProfile(SOLAR.name, terms=(term,))
    judge = kind.build(profile, SETTINGS, training_set_of(*solar_examples()))

    broken = judge.judge(page_of("a solar inverter and a panel on the garden roof"))
    kept = judge.judge(page_of("inverter, solar panel, on the roof garden; photovoltaic"))

    assert (broken.relevance, broken.note) == (0, note)
    assert kept.note == ""


@every_judge
def test_the_topics_own_terms_are_topic_terms(kind: JudgeKind) -> None:
    profile = TopicProfile(
        "solar", terms=(WeightedTerm("heat pump"), WeightedTerm("war", excluded=True))
    )
    judge = kind.build(profile, SETTINGS, training_set_of(*solar_examples()))

    assert {"solar", "heat", "pump"} <= judge.topic_terms
    assert "war" not in judge.topic_terms


@every_judge
def test_a_verdict_names_the_terms_it_rests_on(kind: JudgeKind) -> None:
    judge = kind.build(SOLAR, SETTINGS, training_set_of(*solar_examples()))

    verdict = judge.judge(page_of("panel flour solar oven inverter butter"))

    assert {match.term for match in verdict.matched} >= {"panel", "solar", "invert"}
    assert "oven" not in {match.term for match in verdict.matched[:3]}
    shares = [match.share for match in verdict.matched]
    assert shares == sorted(shares, reverse=True)
    assert min(shares) > 0


@every_judge
def test_a_chinese_page_is_found_through_an_english_topic(kind: JudgeKind) -> None:
    profile = TopicProfile(
        "power grid",
        concepts=tuple(
            TopicConcept(text, language, 1.0, concept)
            for concept, labels in {
                "Power grid": {"en": "power grid", "zh": "电网"},
                "Substation": {"en": "substation", "zh": "变电站"},
                "Transformer": {"en": "transformer", "zh": "变压器"},
                "Relay": {"en": "relay", "zh": "继电器"},
            }.items()
            for language, text in labels.items()
        ),
    )
    judge = kind.build(profile, SETTINGS, training_set_of(*solar_examples()))

    on = judge.judge(page_of("電網的變電站裡有變壓器和繼電器", "zh"))
    off = judge.judge(page_of("今天的菜是豆腐和米饭，还有一条鱼", "zh"))

    assert on.relevance > off.relevance
    assert {match.via for match in on.matched} >= {"Substation", "Transformer"}


def test_a_judge_is_the_same_each_time_it_is_built() -> None:
    training_set = training_set_of(*solar_examples())
    page = solar_page(random.Random(9))
    for kind in KINDS.values():
        verdicts = [kind.build(SOLAR, SETTINGS, training_set).judge(page) for _ in range(2)]

        assert verdicts[0] == verdicts[1]


def test_an_empty_library_is_enough_for_name_and_terms() -> None:
    judge = KINDS["focus"].build(SOLAR, SETTINGS, TrainingSet(training_set_of().frequencies))

    assert judge.judge(page_of("solar panel")).relevance > 0.5
