"""At the end of a run every page is judged by all that is known by then."""

import random
from dataclasses import replace

import pytest

from crawler.crawl.blackboard import Blackboard
from crawler.judging.context import make_judge
from crawler.models import Harvest
from crawler.page.parse import parse_page
from crawler.replay.memory_blackboard import MemoryBlackboard
from tests.crawler.conftest import MakeBoard
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.knowledge.judged_pages import OTHER_WORDS, SOLAR_WORDS
from tests.crawler.web import PROFILE, SEED, SETTINGS, PaperWeb

FOCUS = replace(SETTINGS, judge="focus", n_pages=200)
HIDDEN, COPY, ORIGINAL = "http://hidden.test/", "http://copy.test/", "http://s7.test/"
OUT = {HIDDEN, COPY, ORIGINAL}


def web_pages() -> dict[str, str]:
    """A seed about solar power that links to 40 pages like it and 60 that are not."""
    rng = random.Random(5)

    def text(*bags: list[str]) -> str:
        return " ".join(word for bag in bags for word in rng.choices(bag, k=30))

    pages = {f"http://s{n}.test/": text(SOLAR_WORDS, OTHER_WORDS) for n in range(40)}
    pages |= {f"http://o{n}.test/": text(OTHER_WORDS, OTHER_WORDS) for n in range(60)}
    pages[COPY] = pages[ORIGINAL]
    pages = {url: f"<title>Page</title><p>{body}</p>" for url, body in pages.items()}
    forbids = '<meta name="robots" content="noindex">'
    pages[HIDDEN] = f"{forbids}<title>Page</title><p>{text(SOLAR_WORDS, SOLAR_WORDS)}</p>"
    links = " ".join(f'<a href="{url}">page</a>' for url in pages)
    pages[SEED] = f"<title>Solar</title><p>{text(SOLAR_WORDS, SOLAR_WORDS)}</p><p>{links}</p>"
    return pages


PAGES = web_pages()


def stored(board: Blackboard) -> dict[str, tuple[float, bool]]:
    """Relevance of each fetched page, and whether it is kept."""
    if isinstance(board, MemoryBlackboard):
        postings = board.harvests.values()
        return {p.claim.url: (p.verdict.relevance, p.kept) for p in postings if p.verdict}
    rows = Harvest.objects.values_list("url__url", "relevance", "kept")
    return {url: (relevance, kept) for url, relevance, kept in rows}


def test_the_last_judges_word_holds_for_every_page(make_board: MakeBoard) -> None:
    board = make_board(FOCUS)

    crawl(board, PaperWeb(PAGES), slice_pages=10)

    judge, found = make_judge(PROFILE, FOCUS, board.training_set()), stored(board)
    for url in PAGES.keys() - OUT:
        terms = parse_page(PAGES[url].encode(), url, "text/html").terms
        relevance, kept = found[url]
        assert relevance == pytest.approx(judge.judge(terms).relevance, abs=1e-6)
        assert kept is (relevance >= FOCUS.threshold)
    assert 30 <= sum(kept for _, kept in found.values()) <= 45


def test_what_stayed_out_for_another_reason_stays_out(make_board: MakeBoard) -> None:
    board = make_board(FOCUS)

    crawl(board, PaperWeb(PAGES), slice_pages=10)

    found = stored(board)
    assert found[HIDDEN][0] > FOCUS.threshold and not found[HIDDEN][1]
    assert [found[COPY][1], found[ORIGINAL][1]].count(True) == 1


def test_the_runs_figures_follow(make_board: MakeBoard) -> None:
    board = make_board(FOCUS)

    crawl(board, PaperWeb(PAGES), slice_pages=10)

    n_kept = sum(kept for _, kept in stored(board).values())
    assert board.progress().kept == n_kept == len(board.kept_pages())


def test_what_is_kept_only_when_it_is_judged_again_has_its_story_in_memory_too() -> None:
    board = MemoryBlackboard(PROFILE, FOCUS)

    crawl(board, PaperWeb(PAGES), slice_pages=10)

    kept = {key for key, posting in board.harvests.items() if posting.kept}
    assert len(kept) > 30
    assert kept <= board.stories.keys()
