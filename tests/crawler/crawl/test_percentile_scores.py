"""Kept pages are scored by where they stand among each other, on both blackboards."""

import random
from dataclasses import replace

import pytest

from crawler.crawl import manager
from crawler.crawl.blackboard import Blackboard
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.models import Harvest, Url
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import link_value
from crawler.replay.memory_blackboard import MemoryBlackboard
from tests.crawler.conftest import MakeBoard, make_run
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.judging.test_rescore import COPY, ORIGINAL, PAGES
from tests.crawler.judging.test_rescore import FOCUS as USUAL
from tests.crawler.web import NOON, PROFILE, SEED, PaperWeb

FOCUS = replace(USUAL, ranker="standing", link_weight=0.4, content_weight=0.6)
_TENTHS = tuple(n * n / 100 for n in range(11))
TABLE = Quantiles(_TENTHS, _TENTHS)


def scores(board: Blackboard) -> dict[str, float]:
    """The score of every kept page, by URL; of two copies either may be kept."""
    urls = dict(Url.objects.values_list("pk", "url"))
    url_of = board.url_of if isinstance(board, MemoryBlackboard) else urls.__getitem__
    by_url = {url_of(page.key): page.score for page in board.kept_pages()}
    return {url: score for url, score in by_url.items() if url not in (COPY, ORIGINAL)}


def test_a_run_ends_with_every_kept_page_in_its_place(make_board: MakeBoard) -> None:
    board = make_board(FOCUS)

    crawl(board, PaperWeb(PAGES), slice_pages=10)

    kept, table = board.kept_pages(), board.quantiles()
    densities = [page.content.density for page in kept]
    trusts = [page.content.trust for page in kept]
    anew = Quantiles.of([page.relevance for page in kept], densities, trusts)
    assert (table.relevances, table.densities) == (anew.relevances, anew.densities)
    assert table.is_known and max(densities) > min(densities) > 0
    for page in kept:
        places = table.of_page(page.relevance, page.content.density)
        assert places is not None
        parts = 0.4 * link_value(page.n_sites, page.scale), 0.6 * places.mean
        assert page.score == pytest.approx(page.content.trust * sum(parts), abs=0.001)


def test_both_blackboards_give_the_same_scores(db: None) -> None:
    settings = replace(FOCUS, judge="cosine", threshold=0.2)
    memory, tables = MemoryBlackboard(PROFILE, settings), DatabaseBlackboard(make_run(settings))

    crawl(memory, PaperWeb(PAGES), slice_pages=10)
    crawl(tables, PaperWeb(PAGES), slice_pages=10)

    for name in ("relevances", "densities"):
        in_memory, in_tables = getattr(memory.quantiles(), name), getattr(tables.quantiles(), name)
        assert len(in_tables) == 11 and in_memory == pytest.approx(in_tables, abs=1e-6)
    assert len(scores(memory)) > 30
    assert scores(tables) == pytest.approx(scores(memory), abs=0.001)


def test_a_page_is_posted_with_its_place_among_those_ranked_last(make_board: MakeBoard) -> None:
    board = make_board(replace(FOCUS, threshold=0.0))
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    board.rescore({}, 1.0, TABLE)

    collect(board, PaperWeb(PAGES), "tester", lambda: NOON)

    [seed] = board.kept_pages()
    places = TABLE.of_page(seed.relevance, seed.content.density)
    assert places and min(places.by_relevance, places.by_density) > 0
    assert seed.score == pytest.approx(0.6 * places.mean)


def test_the_papers_own_score_counts_key_terms(make_board: MakeBoard) -> None:
    board = make_board(replace(FOCUS, ranker="paper"))

    crawl(board, PaperWeb(PAGES), slice_pages=10)

    for page in board.kept_pages():
        parts = 0.4 * link_value(page.n_sites, page.scale), 0.6 * page.content.value
        assert page.score == pytest.approx(page.content.trust * sum(parts), abs=0.001)


def test_the_explanation_names_what_counted(db: None) -> None:
    board = DatabaseBlackboard(make_run(FOCUS))

    crawl(board, PaperWeb(PAGES), slice_pages=10)

    table = board.quantiles()
    for harvest in Harvest.objects.kept():
        content = harvest.explanation["content"]
        assert content["by"] == "standing"
        places = table.of_page(harvest.relevance, harvest.density)
        assert places and content["counted"] == pytest.approx(places.mean, abs=0.004)
        assert content["density"] == pytest.approx(harvest.density)
        assert content["counted"] == pytest.approx(sum(content["places"].values()) / 2)
        assert content["value"] == pytest.approx(harvest.content_value)
        parts = {part["name"]: part["value"] for part in harvest.explanation["parts"]}
        assert parts["content"] == pytest.approx(content["weight"] * content["counted"])
        assert sum(parts.values()) == pytest.approx(harvest.score)
