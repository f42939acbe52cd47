"""The context of a crawl: the topic's judge, strategy and ranker."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Protocol

from crawler.errors import ConfigurationError
from crawler.judging.guarded import GuardedRanker, GuardedScorer, GuardedStrategy, guarded_judge
from crawler.judging.judged_by import scorers_on
from crawler.knowledge.density import density_weights
from crawler.knowledge.feedback import Feedback, RelevanceOf
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import (
    Example,
    Judge,
    OrderingJudge,
    RaisingJudge,
    TrainingSet,
    Verdict,
    gives_probability,
    without_own_answer,
)
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.sections import Sections
from crawler.page.parsed import PageTerms
from crawler.problems import Problem, ProblemKind
from crawler.ranking.score import Ranker
from crawler.ranking.scorers import Scorer
from crawler.strategies.base import Strategy
from focusweb.plugins import Offer, offers

#: What answers in the place of a part that is not there, or fails.
USUAL: Final = CrawlSettings()


@dataclass(frozen=True, slots=True)
class CrawlContext:
    """Everything that decides, built once per version of the knowledge.

    `ordering` is the judge if it estimates a relevance for the strategy by itself, `raising` if it
    raises what it gave a page for the strategy.
    """

    version: int
    profile: TopicProfile
    settings: CrawlSettings
    judge: Judge
    sections: Sections
    feedback: Feedback
    density_weights: Mapping[str, float]
    strategy: Strategy
    ranker: Ranker
    frequencies: DocumentFrequencies
    ordering: OrderingJudge | None
    raising: RaisingJudge | None
    scorers: tuple[Scorer, ...]
    scored_by: str

    def verdict(self, url: str, page: PageTerms) -> Verdict:
        """Return what the judge says of a page, with what the section of its site changes."""
        return self.sections.verdict(url, self.judge.judge(page))

    def order_relevance(self, page: PageTerms, relevance: float) -> float:
        """Relevance that the strategy goes by, of a page that was given `relevance`."""
        if self.feedback.correction is not None:
            return relevance  # answers say more of the crawl as a whole than an estimate does
        if self.raising:
            return self.raising.raised(page, relevance)
        found = self.ordering.order_relevance(page) if self.ordering else None
        return relevance if found is None else self.feedback.relevance(page, found)


class KnowledgeBase(Protocol):
    """The stored data of a topic."""

    def version(self) -> int:
        """Return the version of the knowledge base."""

    def topic(self) -> tuple[TopicProfile, CrawlSettings]:
        """Return the topic and its crawl settings."""

    def training_set(self) -> TrainingSet:
        """The pages the judge may learn from."""

    def sections(self) -> Sections:
        """How relevant the pages in each section of a site were when all were judged last."""

    def shared_terms(self) -> Mapping[str, float]:
        """Words that the top pages shared when all were judged last, and their weights."""


def build_context(board: KnowledgeBase, known: CrawlContext | None = None) -> CrawlContext:
    """Build what decides from the knowledge base, or keep `known` if it is still true."""
    # First of all: what is read later may be newer, and then all is read again next time.
    version, scored_by = board.version(), scorers_on()
    if known is not None and (known.version, known.scored_by) == (version, scored_by):
        return known
    profile, settings = board.topic()
    training_set = board.training_set()
    judge = make_judge(profile, settings, training_set)
    # Those that were saved may be of another judge.
    sections = board.sections() if gives_probability(judge) else Sections()
    return CrawlContext(
        version=version,
        profile=profile,
        settings=settings,
        judge=judge,
        sections=sections,
        feedback=Feedback.of(profile, training_set, as_judged(judge, sections, training_set)),
        density_weights=density_weights(judge, board.shared_terms()),
        strategy=make_strategy(settings),
        ranker=make_ranker(settings),
        frequencies=training_set.frequencies,
        ordering=judge if isinstance(judge, OrderingJudge) else None,
        raising=judge if isinstance(judge, RaisingJudge) else None,
        scorers=make_scorers(settings),
        scored_by=scored_by,
    )


def as_judged(judge: Judge, sections: Sections, training_set: TrainingSet) -> RelevanceOf:
    """Return the relevance that a judge and sections give rated pages."""
    without = without_own_answer(judge, training_set)

    def said(example: Example) -> float:
        known = without.get(example.page)
        verdict = judge.judge(example.terms) if known is None else Verdict(known)
        return sections.verdict(example.url, verdict).relevance

    return said


def guarded(context: CrawlContext) -> CrawlContext:
    """Return the same with a plugin's strategy guarded, so that a crawl goes on when it fails.

    A replay does without: it would measure the usual strategy under the plugin's name.
    """
    settings, profile = context.settings, context.profile
    offer = _find("strategies", settings.strategy, settings)
    if not offer.is_foreign:
        return context
    usual = make_strategy(USUAL)
    strategy = GuardedStrategy(context.strategy, usual, profile, offer.call)
    return replace(context, strategy=strategy)


def make_judge(profile: TopicProfile, settings: CrawlSettings, training_set: TrainingSet) -> Judge:
    """Return the topic's judge, as it learns from a library.

    Raises
    ------
    ConfigurationError
        If no judge has that name, or it has no such parameter.
    """
    offer = _judge_kind(settings)
    build: Callable[[], Judge] = partial(offer.item.build, profile, settings, training_set)
    if not offer.is_foreign:
        return build()
    usual = replace(settings, judge=USUAL.judge, judge_parameters={})
    make_usual = partial(make_judge, profile, usual, training_set)
    return guarded_judge(settings.judge, build, make_usual, offer.call)


def _judge_kind(settings: CrawlSettings) -> Offer:
    offer = _find("judges", settings.judge, settings)
    for problem in offer.problems_with(settings.judge_parameters):
        raise ConfigurationError(f"judge {settings.judge}: {problem}")
    return offer


def make_strategy(settings: CrawlSettings) -> Strategy:
    """Return the topic's strategy with its parameters.

    Raises
    ------
    ConfigurationError
        If no strategy has that name, or it refuses a parameter.
    """
    offer = _find("strategies", settings.strategy, settings)
    for problem in offer.problems_with(settings.strategy_parameters):
        raise ConfigurationError(f"strategy {settings.strategy}: {problem}")
    build: Callable[[], Strategy] = partial(offer.item, **settings.strategy_parameters)
    try:
        return build() if not offer.is_foreign else _built_alone(offer, build)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"strategy {settings.strategy}: {error}") from error


def _built_alone(offer: Offer, build: Callable[[], Strategy]) -> Strategy:
    strategy: Strategy
    strategy, error = offer.call(build)
    if error:
        raise ConfigurationError(f"strategy {offer.item.name}: {error}")
    return strategy


def make_ranker(settings: CrawlSettings) -> Ranker:
    """Return the topic's way to combine what links and content are worth.

    Raises
    ------
    ConfigurationError
        If there is none of that name.
    """
    offer = _find("rankers", settings.ranker, settings)
    ranker: Ranker = offer.item
    if not offer.is_foreign:
        return ranker
    return GuardedRanker(ranker, make_ranker(USUAL), offer.call)


def make_scorers(settings: CrawlSettings) -> tuple[Scorer, ...]:
    """Return what has opinions of the topic's pages; a plugin's scorer that fails has none."""
    return tuple(
        GuardedScorer(offer.item, offer.call) if offer.is_foreign else offer.item
        for offer in offers("scorers", topic=settings.plugin_settings).values()
    )


def usable(settings: CrawlSettings, *parts: str) -> tuple[CrawlSettings, tuple[Problem, ...]]:
    """Return the settings with the usual part in place of each that cannot be used, and why.

    Only `parts` are checked, all without.
    """
    problems = []
    for part in parts or _CHECKS:
        try:
            _CHECKS[part](settings)
        except ConfigurationError as error:
            problems.append(Problem(ProblemKind.PART_MISSING, getattr(settings, part), str(error)))
            settings = replace(settings, **_USUAL_PARTS[part])
    return settings, tuple(problems)


_CHECKS: Final[dict[str, Callable[[CrawlSettings], object]]] = {
    "strategy": make_strategy,
    "judge": _judge_kind,
    "ranker": make_ranker,
}
_USUAL_PARTS: Final[dict[str, dict[str, Any]]] = {
    "strategy": {"strategy": USUAL.strategy, "strategy_parameters": {}},
    "judge": {"judge": USUAL.judge, "judge_parameters": {}},
    "ranker": {"ranker": USUAL.ranker},
}


def _find(hook: str, name: str, settings: CrawlSettings) -> Offer:
    kinds = offers(hook, topic=settings.plugin_settings)
    if name not in kinds:
        known = ", ".join(sorted(kinds))
        raise ConfigurationError(f"no {hook} named {name!r}; there are: {known}")
    return kinds[name]
