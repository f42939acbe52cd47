"""What a plugin's part answers is taken if it fits; else one of our own answers."""

import random
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from django.db import OperationalError

from crawler.judging.guarded import (
    MAX_FAILURES,
    MAX_FOUND_URLS,
    GuardedRanker,
    GuardedStrategy,
    call_source,
    failures_of,
    guarded_judge,
)
from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.judge import AdaptiveJudgeProtocol, JudgeUpdate, Verdict
from crawler.knowledge.profile import TopicProfile
from crawler.page.parse import parse_page
from crawler.problems import Problem, ProblemKind
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore, PercentileRanker
from crawler.sources.base import Found
from crawler.strategies.base import FrontierView, Integration, JudgedPage, LinkGraph, Rating
from crawler.strategies.breadth_first import BreadthFirst
from tests.crawler.web import PAGES, PROFILE, SEED

PAGE = parse_page(PAGES[SEED].encode(), SEED, "text/html")
JUDGED = JudgedPage(1, SEED, "hub.test", "", PAGE.terms, relevance=0.5, kept=True, depth_hops=0)
NAN = float("nan")


class Says:
    """Returns one value from every method, as judge, ranker and strategy."""

    name = "says"
    topic_terms = frozenset({"solar"})

    def __init__(self, answer: Any) -> None:
        self.answer, self.n_requested = answer, 0

    def _say(self, *values: Any, **named: Any) -> Any:
        self.n_requested += 1
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    judge = score = start = rate_seed = rate_links = integrate = choose = _say


class Learns(Says):
    """A judge that learns, too."""

    learn = Says._say


class Usual:
    """The judge that answers in another's place."""

    topic_terms = frozenset({"usual"})

    def judge(self, page: object) -> Verdict:
        return Verdict(0.25)


def view() -> FrontierView:
    def graph(*, in_frame: bool = False) -> LinkGraph:
        raise AssertionError("nobody asks for it")

    return FrontierView(lambda n: [], graph, 0)


def order(part: Any, ask: Callable[[Any], Any]) -> Any:
    strategy = GuardedStrategy(part, BreadthFirst(), PROFILE)
    return ask(strategy), failures_of(strategy)


def judge(part: Any) -> Any:
    built = guarded_judge("says", lambda: part, Usual)
    return built.judge(PAGE.terms).relevance, failures_of(built)


@pytest.mark.parametrize(
    ("answer", "relevance"),
    [
        (Verdict(0.75), 0.75),
        (Verdict(0.0), 0.0),
        (Verdict(1.5), 0.25),
        (Verdict(NAN), 0.25),
        (0.75, 0.25),
        (None, 0.25),
        (ValueError("no"), 0.25),
        (SystemExit(3), 0.25),
    ],
)
def test_a_verdict_counts_if_it_is_one(answer: Any, relevance: float) -> None:
    found, failures = judge(Says(answer))

    assert found == relevance
    assert bool(failures) is (relevance == 0.25)


def test_a_judge_that_cannot_be_built_is_replaced_and_asked_for_nothing() -> None:
    def build() -> Any:
        raise OSError("no model")

    built = guarded_judge("says", build, Usual)

    assert built.judge(PAGE.terms).relevance == 0.25
    assert built.topic_terms == Usual.topic_terms
    assert failures_of(built) == [("says", "OSError: no model")]


def test_after_some_failures_a_part_is_asked_no_more() -> None:
    part = Says(ValueError("no"))
    built = guarded_judge("says", lambda: part, Usual)

    for _ in range(MAX_FAILURES + 2):
        built.judge(PAGE.terms)

    assert part.n_requested == MAX_FAILURES


def test_an_error_of_the_database_is_no_fault_of_the_part() -> None:
    built = guarded_judge("says", lambda: Says(OperationalError("locked")), Usual)

    with pytest.raises(OperationalError):
        built.judge(PAGE.terms)
    assert failures_of(built) == []


@pytest.mark.parametrize(
    ("answer", "memory"),
    [
        (JudgeUpdate("says", b"new", True), b"new"),
        (JudgeUpdate("says", None, True), b"old"),  # type: ignore[arg-type]
        (7, b"old"),
    ],
)
def test_a_judge_that_learns_keeps_what_it_knew_when_it_fails(answer: Any, memory: bytes) -> None:
    built = guarded_judge("says", lambda: Learns(answer), Usual)

    assert isinstance(built, AdaptiveJudgeProtocol)
    assert built.learn([], b"old").memory == memory
    assert not isinstance(guarded_judge("says", lambda: Says(answer), Usual), AdaptiveJudgeProtocol)


@pytest.mark.parametrize("answer", [None, 0.5, ValueError("no")])
def test_a_score_that_is_none_is_made_by_the_usual_ranker(answer: Any) -> None:
    usual = PercentileRanker()
    ranker = GuardedRanker(Says(answer), usual)
    given: dict[str, Any] = {"weights": (0.4, 0.6), "scale": 1.0, "quantiles": Quantiles()}
    content = ContentValue(0.5, (), 0)

    score = ranker.score(content, 0.8, (), 2, **given)

    assert isinstance(score, PageScore)
    assert score == usual.score(content, 0.8, (), 2, **given)
    assert ranker.guard.failures


# a call of a strategy, its usual result, and one that is refused
ASKED: list[tuple[Callable[[Any], Any], Any, list[Any]]] = [
    (lambda one: one.start(TopicProfile("x"), seed=1), b"memory", ["memory", None]),
    (lambda one: one.rate_seed(0), Rating(9.0), [Rating(NAN), Rating(1.0, memo={"a": view}), 9.0]),
    (
        lambda one: one.rate_links(JUDGED, PAGE, b""),
        [Rating(9.0), *[None] * (len(PAGE.links) - 1)],
        [[], [9.0] * len(PAGE.links), None],
    ),
    (
        lambda one: one.integrate([JUDGED], view(), b"old"),
        Integration(b"new", {1: Rating(2.0)}),
        [Integration(b"new", {1: 2.0}), Integration("new"), None],  # type: ignore[dict-item, arg-type]
    ),
    (lambda one: one.choose(view(), 2, b"", random.Random(1)), [1, 2], [["a"], 3, None]),
]


@pytest.mark.parametrize(("ask", "answer"), [(ask, answer) for ask, answer, _ in ASKED])
def test_what_a_crawl_order_says_is_taken(ask: Callable[[Any], Any], answer: Any) -> None:
    assert order(Says(answer), ask) == (answer, [])


@pytest.mark.parametrize(
    ("ask", "answer"), [(ask, answer) for ask, _, others in ASKED for answer in others]
)
def test_what_a_crawl_order_may_not_say_is_not_taken(
    ask: Callable[[Any], Any], answer: Any
) -> None:
    found, failures = order(Says(answer), ask)

    assert found != answer
    assert [name for name, _ in failures] == ["says"]


def test_a_crawl_order_that_cannot_learn_keeps_its_own_memory() -> None:
    found, _ = order(Says(ValueError("no")), lambda one: one.integrate([JUDGED], view(), b"old"))

    assert found == Integration(b"old")


def test_what_a_source_brings_is_checked_and_bounded() -> None:
    bad: tuple[Any, ...] = (
        "http://a.test/\ud800",
        "mailto:a@b",
        "http:",
        7,
        "http://[",
        "http://" + "a" * 9999,
    )
    found = call_source("odd", lambda: Found(("http://A.test", *bad), first_look=frozenset(bad)))

    assert found.urls == ("http://a.test/",)
    assert found.first_look == frozenset()
    assert found.problems == (
        Problem(ProblemKind.SOURCE_FAILED, "odd", "left out 6 that are not web addresses"),
    )


def test_a_source_that_never_ends_is_cut_and_that_is_said() -> None:
    endless = (f"http://a.test/{number}" for number in count())

    found = call_source("odd", lambda: Found(endless))  # type: ignore[arg-type]

    assert len(found.urls) == MAX_FOUND_URLS
    (problem,) = found.problems
    assert isinstance(problem, Problem)
    assert (problem.trouble, problem.about) == (ProblemKind.SOURCE_FAILED, "odd")
    assert problem.detail == "brought more than 50000 addresses; the rest is left out"


@pytest.mark.parametrize(
    "found",
    [
        None,
        Found(None),  # type: ignore[arg-type]
        Found(problems=(7,)),  # type: ignore[arg-type]
        Found(problems=(Problem(ProblemKind.FEED_FAILS, None),)),  # type: ignore[arg-type]
        Found(problems=(Problem("other", "x"),)),  # type: ignore[arg-type]
    ],
)
def test_a_source_that_answers_nonsense_is_a_problem_of_its_own(found: Found) -> None:
    (problem,) = call_source("odd", lambda: found).problems

    assert isinstance(problem, Problem)
    assert (problem.trouble, problem.about) == (ProblemKind.SOURCE_FAILED, "odd")


def test_a_sentence_of_a_source_can_be_stored() -> None:
    found = call_source("odd", lambda: Found(problems=("\ud800\0" + "x" * 9999,)))

    (sentence,) = found.problems
    assert isinstance(sentence, str)
    assert sentence.startswith("\\ud800\\0xxx")
    assert len(sentence) < 400
