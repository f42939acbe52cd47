"""At the end of a run the words that the most relevant pages share count in the density of all."""

import statistics
from dataclasses import replace

import pytest

from crawler.crawl.blackboard import Blackboard
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.judging.context import build_context, make_judge
from crawler.judging.rescore import rejudge
from crawler.judging.training import load_shared_terms, save_shared_terms
from crawler.knowledge.density import density_weights, topic_density
from crawler.knowledge.stuffing import LEAST_TRUST
from crawler.models import Crawl, Harvest
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.store.results import load_quantiles, save_quantiles
from focusweb.clock import utc_now
from tests.crawler.conftest import MakeBoard, make_run
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.judging.test_sections_of_a_crawl import FOCUS, PAGES, terms_of
from tests.crawler.knowledge.judged_pages import SOLAR_WORDS
from tests.crawler.web import PROFILE, SEED, PaperWeb


def densities(board: Blackboard) -> dict[str, float]:
    """Density of each kept page."""
    if isinstance(board, MemoryBlackboard):
        kept = [posting for posting in board.harvests.values() if posting.kept and posting.score]
        return {one.claim.url: one.score.content.density for one in kept if one.score}
    return dict(Harvest.objects.kept().values_list("url__url", "density"))


def test_pages_are_as_dense_as_the_shared_terms_say(make_board: MakeBoard) -> None:
    board = make_board(FOCUS)

    crawl(board, PaperWeb(PAGES), slice_pages=40)

    judge, shared = make_judge(PROFILE, FOCUS, board.training_set()), board.shared_terms()
    with_them, without = density_weights(judge, shared), density_weights(judge, {})
    found = densities(board)
    assert len(found) >= 10
    for url, density in found.items():
        assert density == pytest.approx(topic_density(terms_of(url), with_them), abs=1e-6)
    assert (
        sum(density > topic_density(terms_of(url), without) for url, density in found.items()) > 5
    )


def test_a_page_of_the_next_run_is_measured_likewise(make_board: MakeBoard) -> None:
    board = make_board(FOCUS)
    before = build_context(board)

    crawl(board, PaperWeb(PAGES), slice_pages=40)

    after = build_context(board, before)
    assert after.density_weights == density_weights(after.judge, board.shared_terms())
    assert after.density_weights != density_weights(after.judge, {})


@pytest.fixture
def crawled(db: None) -> Crawl:
    """A crawl in tables whose run is over."""
    run = make_run(FOCUS)
    crawl(DatabaseBlackboard(run), PaperWeb(PAGES), slice_pages=40)
    return run.crawl


def test_a_stuffed_page_is_not_among_the_top_pages(db: None) -> None:
    """Whoever stuffs pages with words would say what the topic's words are."""
    words = " ".join([*SOLAR_WORDS, "casino"] * 12)
    stuffed = {f"http://farm{n}.test/": f"<title>Page</title><p>{words}</p>" for n in range(12)}
    links = "".join(f'<a href="{url}">page</a>' for url in stuffed)
    run = make_run(FOCUS)

    crawl(
        DatabaseBlackboard(run),
        PaperWeb(PAGES | stuffed | {SEED: PAGES[SEED] + links}),
        slice_pages=40,
    )

    farms = Harvest.objects.kept().filter(url__url__in=stuffed)
    assert {trust < LEAST_TRUST for trust in farms.values_list("trust", flat=True)} == {True}
    shared = load_shared_terms(run.crawl)
    assert shared and "casino" not in shared


def test_the_typical_density_is_found_anew_once_more_words_count(crawled: Crawl) -> None:
    median = statistics.median(Harvest.objects.kept().values_list("density", flat=True))
    former = replace(load_quantiles(crawled), typical=0.8 * median)

    save_quantiles(crawled, former)
    rejudge(crawled, utc_now(), anew=True)
    assert load_quantiles(crawled).typical == pytest.approx(0.8 * median)

    save_shared_terms(crawled, {})
    rejudge(crawled, utc_now(), anew=True)
    assert load_quantiles(crawled).typical == pytest.approx(median)


def test_what_top_pages_share_does_not_decide_what_is_kept(crawled: Crawl) -> None:
    kept = set(Harvest.objects.kept().values_list("pk", "relevance"))

    save_shared_terms(crawled, {"violin": 1.0})
    rejudge(crawled, utc_now(), anew=True)

    assert set(Harvest.objects.kept().values_list("pk", "relevance")) == kept
