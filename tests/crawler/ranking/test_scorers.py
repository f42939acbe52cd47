"""Scorers of plugins: an opinion is a part of the score; one that fails has no opinion."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from crawler.judging.context import make_ranker, make_scorers
from crawler.judging.guarded import MAX_FAILURES, failures_of
from crawler.judging.score import Ranking
from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.profile import CrawlSettings
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore
from crawler.ranking.scorers import Opinion, PageName, ScoredPage
from focusweb.hookspecs import hookimpl
from focusweb.testing import LoadPlugin

NAME = PageName("http://a.test/", "Soup", "a.test")
RULED = CrawlSettings(site_rules={"a.test": "raise"})


def offering(opinion: Callable[..., object]) -> object:
    scorer = SimpleNamespace(name="content", opinion=opinion)
    return SimpleNamespace(scorers=hookimpl(lambda: [scorer]))


def scored(settings: CrawlSettings = RULED, n_times: int = 1) -> tuple[PageScore, list[Any]]:
    scorers = make_scorers(settings)
    ranking = Ranking(settings, make_ranker(settings), Quantiles(), scorers)
    for _ in range(n_times):
        score = ranking.score(ContentValue(0.5, (), 20), 0.6, NAME, n_sites=4)
    return score, failures_of(*scorers)


def test_our_own_scorer_is_the_rule_for_a_site() -> None:
    score, _failures = scored()

    assert list(score.parts) == ["link", "content", "site"]
    assert score.reasons == {"site": "raise"}


def test_an_opinion_is_a_part_by_itself_and_sees_the_score_so_far(
    load_plugin: LoadPlugin,
) -> None:
    before, _failures = scored()
    seen: list[ScoredPage] = []

    def opinion(page: ScoredPage) -> Opinion:
        seen.append(page)
        return Opinion(-0.2, "too long")

    load_plugin(offering(opinion))

    score, failures = scored()

    assert seen == [ScoredPage("http://a.test/", "Soup", "a.test", "raise", 0.6, before.value, 4)]
    assert score.parts == {**before.parts, "scorer:content": -0.2 * before.value}
    assert score.value == pytest.approx(0.8 * before.value)
    assert score.reasons == {"site": "raise", "scorer:content": "too long"}
    assert failures == []


@pytest.mark.parametrize(
    "answer",
    [
        lambda page: 1 / 0,
        lambda page: 0.2,
        lambda page: Opinion(0.4, "too much"),
        lambda page: Opinion(float("nan"), "no number"),
        lambda page: Opinion(0.1, ""),
        lambda page: Opinion(0.1, "two\nlines"),
        lambda page: Opinion(0.1, 1 << 20),  # type: ignore[arg-type]  # no text, on purpose
    ],
)
def test_a_scorer_that_fails_has_no_opinion_and_is_named(
    load_plugin: LoadPlugin, answer: Callable[..., object]
) -> None:
    before, _failures = scored()
    loaded = load_plugin(offering(answer))

    score, failures = scored(n_times=MAX_FAILURES + 2)

    assert score == before
    assert [name for name, _failure in failures] == ["content"]
    assert loaded.states.of("tested").hook == "scorers"
