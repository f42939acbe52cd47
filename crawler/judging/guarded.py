"""Parts of plugins that may raise or answer nonsense: one of our own answers in their place.

A judge, strategy or ranking of a plugin is called inside a guard, and its result is checked. A
database error does not come from the plugin and goes through.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from django.db import DatabaseError

from crawler.errors import FetchError
from crawler.judging.answers import (
    are_keys,
    is_integration,
    is_judge,
    is_judge_update,
    is_memory,
    is_opinion,
    is_rating,
    is_score,
    is_verdict,
)
from crawler.knowledge.judge import AdaptiveJudgeProtocol, Judge, JudgeUpdate, Verdict
from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import PageTerms, ParsedPage
from crawler.page.url import canonical_url
from crawler.problems import MAX_DETAIL, Problem, ProblemKind
from crawler.ranking.score import PageScore, Ranker
from crawler.ranking.scorers import SCORER, Opinion, ScoredPage, Scorer
from crawler.sources.base import Found
from crawler.strategies.base import FrontierView, Integration, JudgedPage, Rating, Strategy
from focusweb.plugin_calls import call_plugin, require_fit, short_repr, writable

#: After so many failures a part is not called any more.
MAX_FAILURES: Final = 3

#: Of what a source brings, so many URLs and problems are taken; a sitemap may hold no more.
MAX_FOUND_URLS: Final = 50_000
MAX_FOUND_PROBLEMS: Final = 100

_Answer = TypeVar("_Answer")


class PluginCall(Protocol):
    """Calls a function of a plugin, as `focusweb.plugins.Offer.call` does."""

    def __call__(
        self, function: Callable[[], Any], let_through: tuple[type[Exception], ...], /
    ) -> tuple[Any, str]:
        """What the function answers, and ""; or None, and what went wrong."""


def call_alone(
    function: Callable[[], Any], let_through: tuple[type[Exception], ...]
) -> tuple[Any, str]:
    """Call a part that belongs to no loaded plugin."""
    return call_plugin("a part", function, let_through=let_through)


@dataclass(slots=True)
class Guard:
    """Calls one part of a plugin, and records its failures."""

    name: str
    plugin: PluginCall = call_alone
    failures: list[str] = field(default_factory=list)

    def call(
        self, function: Callable[[], _Answer], fits: Callable[[_Answer], bool]
    ) -> _Answer | None:
        """What the part answers; None if it raises, if that does not fit, or if it failed often."""
        if len(self.failures) >= MAX_FAILURES:
            return None
        answer: _Answer | None
        answer, problem = self.plugin(partial(require_fit, function, fits), (DatabaseError,))
        if problem:
            self.failures.append(problem)
        return answer


def call_source(name: str, find: Callable[[], Found], plugin: PluginCall = call_alone) -> Found:
    """Return what a source brings: canonical URLs only, and no more than can be entered.

    What was left out, and what else went wrong, is among the problems.
    """
    found, problem = plugin(lambda: _checked(name, find()), (DatabaseError,))
    if problem:
        return Found(problems=(Problem(ProblemKind.SOURCE_FAILED, name, problem),))
    assert isinstance(found, Found)
    return found


def _checked(name: str, found: Any) -> Found:
    if not isinstance(found, Found):
        raise TypeError(f"{short_repr(found)[:100]} is not a Found")
    urls: dict[str, None] = {}
    n_bad = n_seen = 0
    # A set or generator does as well as a tuple, unless it never ends.
    for text in islice(found.urls, MAX_FOUND_URLS + 1):
        n_seen += 1
        try:
            urls[canonical_url(text, any_port=True)] = None
        except (FetchError, TypeError):
            n_bad += 1
    problems = [_checked_problem(one) for one in islice(found.problems, MAX_FOUND_PROBLEMS)]
    if n_bad:
        detail = f"left out {n_bad} that are not web addresses"
        problems.append(Problem(ProblemKind.SOURCE_FAILED, name, detail))
    if n_seen > MAX_FOUND_URLS:
        detail = f"brought more than {MAX_FOUND_URLS} addresses; the rest is left out"
        problems.append(Problem(ProblemKind.SOURCE_FAILED, name, detail))
    kept = tuple(urls)[:MAX_FOUND_URLS]
    return Found(kept, tuple(problems), frozenset(kept) & found.first_look)


def _checked_problem(problem: Any) -> Problem | str:
    if isinstance(problem, str):
        return writable(problem[:MAX_DETAIL])
    if not isinstance(problem, Problem):
        raise TypeError(f"{short_repr(problem)[:100]} is not a problem")
    about, detail = writable(problem.about[:MAX_DETAIL]), writable(problem.detail[:MAX_DETAIL])
    return replace(problem, about=about, detail=detail, trouble=ProblemKind(problem.trouble))


class GuardedJudge:
    """A plugin's judge; `usual` makes the one that answers in its place."""

    def __init__(self, guard: Guard, judge: Judge, usual: Callable[[], Judge]) -> None:
        self.guard, self._judge, self._usual = guard, judge, cache(usual)
        self.topic_terms = judge.topic_terms

    def judge(self, page: PageTerms) -> Verdict:
        """Return its verdict, or the usual judge's."""
        verdict = self.guard.call(lambda: self._judge.judge(page), is_verdict)
        return self._usual().judge(page) if verdict is None else verdict


class GuardedAdaptingJudge(GuardedJudge):
    """A plugin's judge that learns from what the crawl brings."""

    def __init__(self, guard: Guard, judge: Any, usual: Callable[[], Judge]) -> None:
        super().__init__(guard, judge, usual)
        self.name: str = judge.name

    def learn(self, pages: Sequence[tuple[PageTerms, float]], memory: bytes) -> JudgeUpdate:
        """Return its lesson, or what it knew before."""
        learn = getattr(self._judge, "learn")  # noqa: B009  # seen to be there when it was made
        judge_update = self.guard.call(lambda: learn(pages, memory), is_judge_update)
        return judge_update or JudgeUpdate(self.name, memory, is_news=False)


def guarded_judge(
    name: str,
    build: Callable[[], Judge],
    usual: Callable[[], Judge],
    plugin: PluginCall = call_alone,
) -> Judge:
    """Build a plugin's judge; `usual` builds the one that answers where it fails."""
    guard = Guard(name, plugin)
    judge = guard.call(build, is_judge)
    if judge is None:
        guard.failures *= MAX_FAILURES  # it is never called
        return GuardedJudge(guard, usual(), usual)
    kind = GuardedAdaptingJudge if isinstance(judge, AdaptiveJudgeProtocol) else GuardedJudge
    return kind(guard, judge, usual)


class GuardedRanker:
    """A plugin's ranker, and the usual one for where it fails."""

    def __init__(self, ranker: Ranker, usual: Ranker, plugin: PluginCall = call_alone) -> None:
        self.name = ranker.name
        self.guard, self._ranker, self._usual = Guard(self.name, plugin), ranker, usual

    def score(self, *page: Any, **rest: Any) -> PageScore:
        """Return its score, or the usual ranker's."""
        score = self.guard.call(lambda: self._ranker.score(*page, **rest), is_score)
        return self._usual.score(*page, **rest) if score is None else score


class GuardedScorer:
    """A plugin's scorer; where it fails it has no opinion."""

    def __init__(self, scorer: Scorer, plugin: PluginCall = call_alone) -> None:
        # With a prefix, so that no name of a plugin is that of another part of the score.
        self.name = f"{SCORER}{scorer.name}"
        self.guard, self._scorer = Guard(scorer.name, plugin), scorer

    def opinion(self, page: ScoredPage) -> Opinion | None:
        """Return its opinion, or None."""
        return self.guard.call(lambda: self._scorer.opinion(page), is_opinion)


class GuardedStrategy:
    """A plugin's strategy, and the usual one, as it begins, for where it fails.

    The memory stays the plugin's own: where it cannot learn, it keeps what it has.
    """

    def __init__(
        self,
        strategy: Strategy,
        usual: Strategy,
        profile: TopicProfile,
        plugin: PluginCall = call_alone,
    ) -> None:
        self.name = strategy.name
        self.guard, self._strategy, self._usual = Guard(self.name, plugin), strategy, usual
        self._first = usual.start(profile, seed=0)

    def start(self, profile: TopicProfile, *, seed: int) -> bytes:
        """Return its first memory."""
        start = self._strategy.start
        return self.guard.call(lambda: start(profile, seed=seed), is_memory) or b""

    def rate_seed(self, position: int) -> Rating:
        """Return its rating of a seed, or the usual one."""
        rating = self.guard.call(lambda: self._strategy.rate_seed(position), is_rating)
        return rating or self._usual.rate_seed(position)

    def rate_links(
        self, judged: JudgedPage, page: ParsedPage, state: bytes
    ) -> Sequence[Rating | None]:
        """Return its ratings of a page's links, or the usual ones."""
        found = self.guard.call(
            lambda: self._strategy.rate_links(judged, page, state),
            lambda ratings: (
                len(ratings) == len(page.links)
                and all(one is None or is_rating(one) for one in ratings)
            ),
        )
        return self._usual.rate_links(judged, page, self._first) if found is None else found

    def integrate(
        self, pages: Sequence[JudgedPage], view: FrontierView, state: bytes
    ) -> Integration:
        """Return what it learns, or nothing."""
        learnt = self.guard.call(
            lambda: self._strategy.integrate(pages, view, state), is_integration
        )
        return learnt or Integration(state)

    def choose(
        self, view: FrontierView, n_pages: int, state: bytes, rng: random.Random
    ) -> list[int]:
        """Return its choice, or the usual one."""
        chosen = self.guard.call(lambda: self._strategy.choose(view, n_pages, state, rng), are_keys)
        return self._usual.choose(view, n_pages, self._first, rng) if chosen is None else chosen


def failures_of(*parts: object) -> list[tuple[str, str]]:
    """Return each guarded part that failed, with its first failure."""
    guards = [part.guard for part in parts if isinstance(part, _GUARDED)]
    return [(guard.name, guard.failures[0]) for guard in guards if guard.failures]


_GUARDED: Final = (GuardedJudge, GuardedRanker, GuardedScorer, GuardedStrategy)
