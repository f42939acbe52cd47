"""The adaptive judge follows a crawl, on both blackboards, and goes on where it was."""

import random
from dataclasses import replace

import pytest

from crawler.crawl import manager
from crawler.crawl.blackboard import Blackboard
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.judging.context import build_context
from crawler.judging.rescore import rejudge
from crawler.knowledge.judge import JudgeUpdate
from crawler.knowledge.judges.intervals import Intervals
from crawler.models import Harvest, Knowledge, Run
from crawler.strategies.base import Rating
from tests.crawler.conftest import MakeBoard, make_run
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.web import NOON, PAGES, SETTINGS, PaperWeb

ADAPTIVE = replace(SETTINGS, judge="adaptive", judge_parameters={"interval": 2, "wanted": 2})


def intervals_of(board: Blackboard) -> Intervals:
    return Intervals.load(board.judge_memory("adaptive"))


def test_each_interval_of_a_crawl_moves_the_threshold(make_board: MakeBoard) -> None:
    board = make_board(ADAPTIVE)

    crawl(board, PaperWeb(), slice_pages=1)

    assert intervals_of(board).adaptation.n_intervals == len(PAGES) // 2
    assert intervals_of(board).adaptation.threshold < 0.15


def test_a_new_threshold_briefs_the_agents_again(make_board: MakeBoard) -> None:
    board = make_board(ADAPTIVE)
    manager.start(board, list(PAGES)[:1], NOON)
    before = build_context(board)
    under_way = Intervals(n_pages=1).dump()
    board.learn([], b"", {}, JudgeUpdate("adaptive", under_way, is_news=False))
    version = build_context(board).version
    board.learn([], b"", {}, JudgeUpdate("adaptive", under_way, is_news=False))
    assert build_context(board).version == version

    board.learn([], b"", {}, JudgeUpdate("adaptive", under_way, is_news=True))
    assert build_context(board).version > version >= before.version


def test_other_judges_keep_nothing(make_board: MakeBoard) -> None:
    board = make_board(SETTINGS)

    crawl(board, PaperWeb())

    assert board.judge_memory("cosine") == b""


@pytest.mark.django_db
def test_an_interval_goes_on_in_the_next_run() -> None:
    run = make_run(replace(ADAPTIVE, judge_parameters={"interval": 5, "wanted": 2}))
    crawl(DatabaseBlackboard(run), PaperWeb())
    first = intervals_of(DatabaseBlackboard(run))
    assert (first.adaptation.n_intervals, first.n_pages) == (0, 4)
    run.crawl.frontier.update(state="new", assignment=None, integrated=False, attempts=0)
    second = Run.objects.create(crawl=run.crawl, started=NOON, n_pages=50)

    crawl(DatabaseBlackboard(second), PaperWeb())

    after = intervals_of(DatabaseBlackboard(second))
    assert (after.adaptation.n_intervals, after.n_pages) == (1, 1)


def test_a_lesson_and_its_pages_are_kept_together_or_not_at_all(run: Run) -> None:
    board = DatabaseBlackboard(run)
    crawl_until_unlearnt(board)
    pages, unheard_of = board.unintegrated(), {1: Rating(0.5, memo={"no": object()})}

    with pytest.raises(TypeError):
        board.learn(pages, b"", unheard_of, JudgeUpdate("adaptive", b"lost", is_news=True))

    assert board.judge_memory("adaptive") == b""
    assert board.unintegrated() == pages


def crawl_until_unlearnt(board: DatabaseBlackboard) -> None:
    """Fetch the seed and stop before the manager learns from it."""
    manager.start(board, list(PAGES)[:1], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    collect(board, PaperWeb(), "tester", lambda: NOON)
    assert board.unintegrated()


def test_stored_pages_are_judged_again_by_the_threshold_as_it_stands(run: Run) -> None:
    run.crawl.describe(run.crawl.profile, ADAPTIVE)
    run.crawl.save()
    crawl(DatabaseBlackboard(run), PaperWeb())
    rejudge(run.crawl, NOON, anew=True)
    before = dict(Harvest.objects.values_list("url__url", "relevance"))
    row = Knowledge.objects.get(name="judge:adaptive")
    known = Intervals.load(bytes(row.payload))
    strict = replace(known, adaptation=replace(known.adaptation, threshold=0.6))
    Knowledge.objects.filter(pk=row.pk).update(payload=strict.dump())

    rejudge(run.crawl, NOON, anew=True)

    after = dict(Harvest.objects.values_list("url__url", "relevance"))
    cells = "http://solar.test/cells"
    assert after[cells] < before[cells]
