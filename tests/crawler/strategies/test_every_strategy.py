"""What holds for every strategy: reasons, chance, resumption, refusals."""

import random
from dataclasses import replace
from datetime import datetime

import pytest

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.manager import BatchLimits
from crawler.errors import ConfigurationError
from crawler.judging.context import make_strategy
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.replay.replay import NOON, SnapshotSource, replay
from focusweb import plugins
from tests.crawler.strategies.small_web import (
    BIRDS,
    CARS,
    N_PAGES,
    PROFILE,
    is_bird,
    judged,
    make_web,
    page_of,
)

STRATEGIES = sorted(plugins.by_name("strategies"))
#: Orders that leave links out by design.
DROPPING = ("fish_search", "ontology")
#: Orders that look for the topic, so that chance does no better.
LOOKING = ("best_first", "shark_search", "focus", "adaptive", "genetic", "fish_search", "ontology")
WEB = make_web()
SETTINGS = CrawlSettings(judge="cosine", n_pages=1000, max_depth_hops=60)
every_strategy = pytest.mark.parametrize("name", STRATEGIES)


def order_of(name: str, **changes: object) -> tuple[str, ...]:
    """The order in which a strategy fetches the small web."""
    settings = replace(SETTINGS, strategy=name, **changes)  # type: ignore[arg-type]
    return replay(WEB, PROFILE, settings, PROFILE.seeds, limits=BatchLimits(slice_pages=3)).urls


@every_strategy
def test_no_page_is_fetched_twice_and_few_are_missed(name: str) -> None:
    order = order_of(name)

    assert len(order) == len(set(order))
    if name not in DROPPING:
        assert len(order) == N_PAGES


@every_strategy
def test_seeds_come_first_in_their_order(name: str) -> None:
    assert order_of(name)[:2] == PROFILE.seeds


@every_strategy
def test_the_same_chance_fetches_the_same_pages(name: str) -> None:
    assert order_of(name) == order_of(name)


@pytest.mark.parametrize("name", LOOKING)
def test_who_looks_for_the_topic_finds_it_before_the_rest(name: str) -> None:
    order = order_of(name, n_pages=24)

    assert sum(map(is_bird, order)) > len(order) * 0.6


@every_strategy
def test_a_crawl_goes_on_from_its_stored_state_alone(name: str) -> None:
    """Every turn is made by agents that have just been started."""
    settings = replace(SETTINGS, strategy=name)
    board, rng = MemoryBlackboard(PROFILE, settings), random.Random(0)
    manager.start(board, PROFILE.seeds, NOON)
    while board.stop_reason is None:
        manager.integrate(board, NOON)
        manager.plan(board, NOON, BatchLimits(slice_pages=3), rng)
        collect(board, SnapshotSource(WEB), "newcomer", _noon)

    assert tuple(board.url_of(key) for key in board.harvests) == order_of(name)


@every_strategy
def test_the_parts_of_a_priority_sum_to_it(name: str) -> None:
    strategy = make_strategy(CrawlSettings(strategy=name))
    page = page_of(
        "http://birds.test/0",
        BIRDS * 3,
        {
            "http://birds.test/2": ["heron", "nest"],
            "http://cars.test/1": CARS,
            "http://x.test/": [],
        },
    )
    state = strategy.start(PROFILE, seed=1)

    ratings = [*strategy.rate_links(judged(page), page, state), strategy.rate_seed(3)]

    for rating in ratings:
        if rating is not None:
            assert sum(rating.parts.values()) == pytest.approx(rating.priority)
            assert rating.parts


@every_strategy
def test_ratings_after_learning_are_explained_too(name: str) -> None:
    board = MemoryBlackboard(PROFILE, replace(SETTINGS, strategy=name, n_pages=40))
    manager.start(board, PROFILE.seeds, NOON)
    rng = random.Random(0)
    while board.stop_reason is None:
        manager.integrate(board, NOON)
        for entry in board.view(NOON, n_per_site=99).waiting(None):
            assert sum(entry.memo["parts"].values()) == pytest.approx(entry.priority)
        manager.plan(board, NOON, BatchLimits(slice_pages=5), rng)
        collect(board, SnapshotSource(WEB), "tester", _noon)


@every_strategy
@pytest.mark.parametrize("words", [[], ["heron"]])
def test_a_page_without_links_has_no_ratings(name: str, words: list[str]) -> None:
    strategy = make_strategy(CrawlSettings(strategy=name))
    page = page_of("http://birds.test/0", words, {})

    ratings = strategy.rate_links(judged(page), page, strategy.start(PROFILE, seed=0))

    assert list(ratings) == []


@every_strategy
def test_a_topic_without_words_or_seeds_is_survived(name: str) -> None:
    profile = TopicProfile("")
    settings = replace(SETTINGS, strategy=name, n_pages=15)

    assert replay(WEB, profile, settings, []).urls == ()
    assert replay(WEB, profile, settings, ["http://birds.test/0"]).urls[0] == "http://birds.test/0"


@every_strategy
def test_an_unknown_parameter_is_refused_by_name(name: str) -> None:
    settings = CrawlSettings(strategy=name, strategy_parameters={"shoe_size": 44.0})

    with pytest.raises(ConfigurationError, match=rf"strategy {name}: unknown parameter shoe_size"):
        make_strategy(settings)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("best_first", {"anchor_weight": 1.5}),
        ("fish_search", {"width": 0.0}),
        ("shark_search", {"decay": -0.1}),
        ("pagerank", {"buffer": 0.0}),
        ("hits", {"buffer": 0.0}),
        ("ontology", {"drop_below": 0.6, "direct_from": 0.6}),
        ("ontology", {"rich_block": 0.0}),
        ("viterbi", {"layer_pages": 0.0}),
        ("viterbi", {"link_weight": 1.1}),
        ("adaptive", {"factor": 1.0}),
        ("adaptive", {"threshold": 2.0}),
        ("genetic", {"crossover": 0.9}),
        ("genetic", {"population": 0.0}),
        ("focus", {"interval": 0.0}),
        ("focus", {"exploration": 0.5}),
        ("focus", {"luck": 1.0}),
    ],
)
def test_a_parameter_out_of_range_is_refused(name: str, parameters: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=f"strategy {name}: .*(got|unknown parameter)"):
        make_strategy(CrawlSettings(strategy=name, strategy_parameters=parameters))


def test_an_unknown_strategy_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"no strategies named 'fastest'; there are: ada"):
        make_strategy(CrawlSettings(strategy="fastest"))


def _noon() -> datetime:
    return NOON
