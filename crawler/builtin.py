"""The crawler's own strategies, judges and rankers, registered like anybody's."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings

from crawler.knowledge.cosine import CosineKind
from crawler.ranking.score import PaperRanker
from crawler.sources.pasted import PastedUrls
from crawler.sources.searxng import SearxngSearch
from crawler.strategies.best_first import BestFirst
from crawler.strategies.breadth_first import BreadthFirst
from crawler.strategies.fish_search import FishSearch
from crawler.strategies.hits_order import HitsOrder
from crawler.strategies.pagerank_order import PageRankOrder
from crawler.strategies.random_order import RandomOrder
from crawler.strategies.shark_search import SharkSearch
from focusweb.hookspecs import hookimpl


@hookimpl
def strategies() -> Iterable[Any]:
    """Crawl orders."""
    return (BestFirst, BreadthFirst, FishSearch, HitsOrder, PageRankOrder, RandomOrder, SharkSearch)


@hookimpl
def judges() -> Iterable[Any]:
    """Page judges."""
    return (CosineKind(),)


@hookimpl
def sources() -> Iterable[Any]:
    """Seed sources."""
    return (PastedUrls(), SearxngSearch(settings.SEARXNG_URL))


@hookimpl
def rankers() -> Iterable[Any]:
    """Rankers."""
    return (PaperRanker(),)
