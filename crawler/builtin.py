"""The crawler's own strategies, judges and rankers, registered through the plugin hooks."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings

from crawler.knowledge.judges.adaptive_judge import AdaptiveKind
from crawler.knowledge.judges.content_judge import ContentKind
from crawler.knowledge.judges.cosine_judge import CosineKind
from crawler.knowledge.judges.focus_kind import FocusKind
from crawler.knowledge.judges.ontology_judge import OntologyKind
from crawler.knowledge.judges.overlap_judge import OverlapKind
from crawler.ranking.score import AbsoluteRanker, PaperRanker, PercentileRanker
from crawler.ranking.site_rules import SiteRules
from crawler.search_providers import PROVIDERS
from crawler.sources.exploration import Exploration
from crawler.sources.feeds import KnownFeeds
from crawler.sources.known_pages import KnownPages
from crawler.sources.open_search import LinkSearch, ProviderSearch
from crawler.sources.pasted import PastedUrls
from crawler.sources.pinned import PinnedSites
from crawler.sources.searxng import SearxngSearch
from crawler.sources.sitemaps import KnownSitemaps
from crawler.sources.stored_graph import BackLinks, StoredHubs
from crawler.strategies.adaptive import Adaptive
from crawler.strategies.best_first import BestFirst
from crawler.strategies.breadth_first import BreadthFirst
from crawler.strategies.fish_search import FishSearch
from crawler.strategies.focus import Focus
from crawler.strategies.genetic import Genetic
from crawler.strategies.link_graph import HitsStrategy, PageRankStrategy
from crawler.strategies.ontology import OntologyStrategy
from crawler.strategies.random_links import RandomStrategy
from crawler.strategies.shark_search import SharkSearch
from crawler.strategies.viterbi import Viterbi
from focusweb.hookspecs import hookimpl


@hookimpl
def strategies() -> Iterable[Any]:
    """Strategies."""
    return (
        *(Adaptive, BestFirst, BreadthFirst, FishSearch, Focus, Genetic),
        *(HitsStrategy, OntologyStrategy, PageRankStrategy, RandomStrategy, SharkSearch, Viterbi),
    )


@hookimpl
def judges() -> Iterable[Any]:
    """Judges."""
    return (
        FocusKind(),
        CosineKind(),
        OntologyKind(),
        ContentKind(),
        AdaptiveKind(),
        OverlapKind(),
    )


@hookimpl
def sources() -> Iterable[Any]:
    """Seed sources."""
    return (
        PinnedSites(),
        PastedUrls(),
        SearxngSearch(settings.SEARXNG_URL),
        ProviderSearch(),
        LinkSearch(),
        KnownFeeds(),
        KnownSitemaps(),
        StoredHubs(),
        BackLinks(),
        Exploration(),
        KnownPages(),
    )


@hookimpl
def scorers() -> Iterable[Any]:
    """The site rules of users."""
    return (SiteRules(),)


@hookimpl
def search_providers() -> Iterable[Any]:
    """Search providers that need no key."""
    return PROVIDERS


@hookimpl
def rankers() -> Iterable[Any]:
    """Rankers."""
    return (AbsoluteRanker(), PaperRanker(), PercentileRanker())
