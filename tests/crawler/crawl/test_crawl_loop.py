"""The crawl loop, on both blackboards: one behaviour, whatever lies beneath."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

from crawler.crawl import manager
from crawler.crawl.blackboard import Blackboard
from crawler.crawl.collector import collect
from crawler.crawl.manager import BatchLimits
from crawler.reasons import Reason
from tests.crawler.conftest import MakeBoard
from tests.crawler.web import NOON, PAGES, SEED, SETTINGS, PaperWeb


def crawl(board: Blackboard, web: PaperWeb, *, slice_pages: int = 3, now: datetime = NOON) -> int:
    """Run the agents by turns until nothing is left to do; the number of turns."""
    manager.start(board, [SEED], now)
    for turn in range(100):
        manager.integrate(board, now)
        manager.plan(board, now, BatchLimits(slice_pages=slice_pages), random.Random(1))
        if collect(board, web, "tester", lambda: now) is None:
            return turn
    raise AssertionError("the crawl does not end")


def test_every_reachable_page_is_fetched_once(make_board: MakeBoard) -> None:
    web = PaperWeb()

    crawl(make_board(SETTINGS), web)

    assert sorted(web.requested) == sorted(
        [*PAGES, "http://hub.test/gone", "http://hub.test/moved"]
    )


def test_the_budget_is_kept(make_board: MakeBoard) -> None:
    board = make_board(replace(SETTINGS, n_pages=2))

    crawl(board, PaperWeb())

    assert board.progress().fetched == 2


def test_the_topics_own_link_is_followed_before_another(make_board: MakeBoard) -> None:
    web = PaperWeb()

    crawl(make_board(SETTINGS), web, slice_pages=1)

    assert web.requested.index("http://solar.test/cells") < web.requested.index(
        "http://kitchen.test/soup"
    )


def test_depth_is_bounded(make_board: MakeBoard) -> None:
    web = PaperWeb()

    crawl(make_board(replace(SETTINGS, max_depth_hops=0)), web)

    assert web.requested == [SEED]


def test_kept_pages_know_who_links_to_them(make_board: MakeBoard) -> None:
    board = make_board(replace(SETTINGS, threshold=0.0))

    crawl(board, PaperWeb())

    # solar.test/cells is linked from hub.test and kitchen.test; solar.test's own link does not
    # count.
    assert sorted(page.n_sites for page in board.kept_pages()) == [0, 0, 1, 2]
    assert all(page.n_sites == len(page.votes.sites) for page in board.kept_pages())


def test_a_page_that_does_not_answer_is_left_for_a_later_run(make_board: MakeBoard) -> None:
    web = PaperWeb(failing={"http://solar.test/cells": Reason.GONE})
    board = make_board(SETTINGS)

    crawl(board, web)

    assert web.requested.count("http://solar.test/cells") == 1
    assert board.progress().failed == 2


def test_slices_of_any_size_find_the_same_pages(make_board: MakeBoard) -> None:
    web = PaperWeb()

    crawl(make_board(SETTINGS), web, slice_pages=50)

    assert set(web.requested) >= set(PAGES)


def test_an_interval_is_learnt_once(make_board: MakeBoard) -> None:
    board = make_board(SETTINGS)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    collect(board, PaperWeb(), "tester", lambda: NOON)

    assert manager.integrate(board, NOON) == 1
    assert manager.integrate(board, NOON + timedelta(seconds=1)) == 0
    assert board.training_set().frequencies.total == 1


def test_seeds_become_the_judges_examples(make_board: MakeBoard) -> None:
    board = make_board(SETTINGS)

    crawl(board, PaperWeb())

    assert len(board.training_set().examples) == 1
