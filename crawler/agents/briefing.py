"""What an agent is told before it works: the topic's judge, crawl order and ranker."""

from dataclasses import dataclass
from typing import Any

from crawler.agents.blackboard import Blackboard
from crawler.errors import ConfigurationError
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Judge, Library
from crawler.knowledge.parameters import find_problems
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.ranking.score import Ranker
from crawler.strategies.base import Strategy
from focusweb import plugins


@dataclass(frozen=True, slots=True)
class Briefing:
    """Everything that decides, built once per version of the knowledge."""

    version: int
    profile: TopicProfile
    settings: CrawlSettings
    judge: Judge
    strategy: Strategy
    ranker: Ranker
    frequencies: DocumentFrequencies


def brief(board: Blackboard, known: Briefing | None = None) -> Briefing:
    """Build what decides from the knowledge base, or keep `known` if it is still true."""
    profile, settings, version = board.topic()
    if known is not None and known.version == version:
        return known
    library = board.library()
    return Briefing(
        version=version,
        profile=profile,
        settings=settings,
        judge=make_judge(profile, settings, library),
        strategy=make_strategy(settings),
        ranker=make_ranker(settings),
        frequencies=library.frequencies,
    )


def make_judge(profile: TopicProfile, settings: CrawlSettings, library: Library) -> Judge:
    """The topic's page judge, as it learns from a library.

    Raises
    ------
    ConfigurationError
        If no judge has that name, or it has no such parameter.
    """
    kind = _find("judges", settings.judge)
    for problem in find_problems(kind, settings.judge_parameters):
        raise ConfigurationError(f"page judge {settings.judge}: {problem}")
    judge: Judge = kind.build(profile, settings, library)
    return judge


def make_strategy(settings: CrawlSettings) -> Strategy:
    """The topic's crawl order with its parameters.

    Raises
    ------
    ConfigurationError
        If no strategy has that name, or it refuses a parameter.
    """
    kind = _find("strategies", settings.strategy)
    for problem in find_problems(kind, settings.strategy_parameters):
        raise ConfigurationError(f"crawl order {settings.strategy}: {problem}")
    try:
        strategy: Strategy = kind(**settings.strategy_parameters)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"crawl order {settings.strategy}: {error}") from error
    return strategy


def make_ranker(settings: CrawlSettings) -> Ranker:
    """The topic's way to combine what links and content are worth.

    Raises
    ------
    ConfigurationError
        If there is none of that name.
    """
    ranker: Ranker = _find("rankers", settings.ranker)
    return ranker


def _find(hook: str, name: str) -> Any:
    kinds = plugins.by_name(hook)
    if name not in kinds:
        known = ", ".join(sorted(kinds))
        raise ConfigurationError(f"no {hook} named {name!r}; there are: {known}")
    return kinds[name]
