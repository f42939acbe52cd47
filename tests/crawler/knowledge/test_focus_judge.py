"""The judge that learns from examples against the background."""

import random

import pytest

from crawler.knowledge.cosine import CosineJudge
from crawler.knowledge.focus_judge import MIN_BACKGROUND, FocusJudge, FocusKind, learn
from crawler.knowledge.judge import Example, Judge, Library
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.page.parsed import PageTerms
from tests.crawler.knowledge.judged_pages import (
    library_of,
    other_page,
    page_of,
    solar_examples,
    solar_page,
)

SOLAR = TopicProfile("solar")
ROOF = page_of("rooftop watt cell rooftop football coach league goal")


def judge_of(library: Library, profile: TopicProfile = SOLAR) -> Judge:
    return FocusKind().build(profile, CrawlSettings(), library)


def relevance(library: Library, page: PageTerms) -> float:
    return judge_of(library).judge(page).relevance


@pytest.mark.parametrize("n_hidden", [0, 6, 20])
def test_relevance_is_a_probability_whatever_the_background_hides(n_hidden: int) -> None:
    judge = judge_of(library_of(*solar_examples(5), n_hidden=n_hidden, n_background=80))
    rng = random.Random(7)

    on = [judge.judge(solar_page(rng)).relevance for _ in range(40)]
    off = [judge.judge(other_page(rng)).relevance for _ in range(40)]

    assert sum(on) / 40 > 0.5 > 0.15 > sum(off) / 40


def test_without_enough_background_the_cosine_judge_speaks() -> None:
    few = judge_of(library_of(*solar_examples(), n_background=MIN_BACKGROUND - 1))
    enough = judge_of(library_of(*solar_examples(), n_background=MIN_BACKGROUND))

    assert isinstance(few, CosineJudge)
    assert isinstance(enough, FocusJudge)


@pytest.mark.parametrize(
    "examples", [[], [Example(PageTerms())], [Example(page_of("opera"), good=False)]]
)
def test_without_a_good_example_the_cosine_judge_speaks(examples: list[Example]) -> None:
    assert isinstance(judge_of(library_of(*examples)), CosineJudge)


def test_a_thumb_up_raises_pages_like_it_and_a_thumb_down_lowers_them() -> None:
    seeds = solar_examples()
    plain = relevance(library_of(*seeds), ROOF)
    liked = relevance(library_of(*seeds, Example(ROOF, True, 2.0)), ROOF)
    rejected = relevance(library_of(*seeds, Example(ROOF, False, 2.0)), ROOF)

    assert rejected < plain < liked


def test_taking_a_thumb_back_restores_every_relevance() -> None:
    seeds = solar_examples()
    before = judge_of(library_of(*seeds)).judge(ROOF)
    judge_of(library_of(*seeds, Example(ROOF, False, 2.0)))

    assert judge_of(library_of(*seeds)).judge(ROOF) == before


def test_a_term_that_only_the_background_has_never_counts_for_the_topic() -> None:
    examples = [Example(page_of("solar panel inverter photovoltaic silicon module"))]
    library = library_of(*examples, n_background=80, n_hidden=30)
    given = set(examples[0].terms.vocabulary)

    weights = learn(SOLAR, library).weights

    assert {term for term, weight in weights.items() if weight > 1e-9} <= given
    assert len(weights) > len(given) + 20


def test_the_surest_pages_still_differ() -> None:
    judge = judge_of(library_of(*solar_examples(5), n_background=100))
    sure = judge.judge(page_of("solar panel photovoltaic inverter module cell")).relevance
    surer = judge.judge(page_of("solar panel photovoltaic inverter module cell sunlight")).relevance

    assert sure < surer < 1


def test_learning_takes_hidden_topic_pages_out_of_the_background() -> None:
    """A crawl's background is what it fetched, and much of that is on topic."""
    library = library_of(*solar_examples(5), n_background=80, n_hidden=24)
    model = learn(SOLAR, library)

    assert all(model.weights[term] > 0 for term in ("panel", "photovolta", "silicon"))
    assert relevance(library, solar_page(random.Random(8))) > 0.5
