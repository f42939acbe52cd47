"""However many URLs wait, a plan reads as much as it hands out."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.judging.context import build_context
from crawler.models import FrontierEntry, Run, Site, Url
from tests.crawler.store.test_baseline import look
from tests.crawler.web import NOON, SEED

DAY = timedelta(days=1)
N_SITES = 40
FEW, MANY = 1500, 6000
pytestmark = pytest.mark.skipif(
    "sqlite" not in connection.settings_dict["ENGINE"], reason="counts the steps of SQLite"
)


@contextmanager
def counting() -> Iterator[list[int]]:
    """Count what SQLite does meanwhile, in hundreds of steps of its machine."""
    steps = [0]

    def step() -> int:
        steps[0] += 1
        return 0

    connection.ensure_connection()
    connection.connection.set_progress_handler(step, 100)
    try:
        yield steps
    finally:
        connection.connection.set_progress_handler(None, 0)


def wait(run: Run, first: int, n_urls: int) -> None:
    """Let URLs wait on some sites; the higher their number, the better they are rated."""
    sites = [
        Site.objects.get_or_create(name=f"s{n}.test", domain=f"s{n}.test", first_seen=NOON)[0]
        for n in range(N_SITES)
    ]
    urls = Url.objects.bulk_create(
        Url(url=f"http://s{n % N_SITES}.test/{n}", site=sites[n % N_SITES], first_seen=NOON)
        for n in range(first, first + n_urls)
    )
    FrontierEntry.objects.bulk_create(
        FrontierEntry(crawl=run.crawl, run=run, url=url, found=NOON, priority=number)
        for number, url in enumerate(urls, first)
    )


def planning(board: DatabaseBlackboard) -> Callable[[], object]:
    # A process is briefed once, and again when there is news.
    known = build_context(board)
    return lambda: manager.plan(board, NOON + DAY, BatchLimits(2, 20), random.Random(1), known)


ASKED: dict[str, Callable[[DatabaseBlackboard], Callable[[], object]]] = {
    "plan": planning,
    "due": lambda board: lambda: board.next_due(NOON),
    "sites": lambda board: lambda: board.sites_with_requests(2),
    "progress": lambda board: board.progress,
    "integrate": lambda board: lambda: board.view(NOON + DAY, n_per_site=9999).waiting(None),
}


@pytest.mark.parametrize("is_later", [False, True], ids=["first run", "later run"])
@pytest.mark.parametrize("statement", ASKED)
def test_four_times_as_many_waiting_urls_cost_no_more(
    statement: str, run: Run, is_later: bool
) -> None:
    wait(run, 0, FEW)
    if is_later:
        Run.objects.update(ended=NOON)
        run = Run.objects.create(crawl=run.crawl, started=NOON + DAY, n_pages=50)
    taken = []
    for n_more in (0, MANY - FEW):
        wait(run, FEW, n_more)
        board = DatabaseBlackboard(run)
        board.most_seen, board.last_seen = 200, 100
        question = ASKED[statement](board)
        with counting() as steps:
            question()
        taken.append(steps[0])
        FrontierEntry.objects.filter(state="leased").update(state="new", assignment=None)
        Site.objects.update(held_until=NOON)

    few, many = taken
    # One step for each URL more would be 45.
    assert many <= few + 10


def test_of_more_than_it_shows_a_view_gives_the_best_and_what_was_found_last(run: Run) -> None:
    wait(run, 0, 60)
    FrontierEntry.objects.filter(priority__gte=50).update(priority=-1)
    FrontierEntry.objects.filter(url__url__endswith="/59").update(state="done")
    board = DatabaseBlackboard(run)
    board.most_seen, board.last_seen = 5, 4
    shown = board.view(NOON, n_per_site=60).waiting(None)

    assert [entry.url.rpartition("/")[2] for entry in shown] == [
        "49",
        "48",
        "47",
        "46",
        "45",
        "56",
        "57",
        "58",
    ]

    board.most_seen = 60
    assert len(board.view(NOON, n_per_site=60).waiting(None)) == 59


def test_only_what_a_later_look_shows_first_is_marked_as_perhaps_fresh(run: Run) -> None:
    old, new = "http://solar.test/cells", "http://solar.test/roofs"
    hub = '<title>Solar cells</title><p>Solar cells, solar panels: <a href="{}">cells</a>{}</p>'
    look(run.crawl, {SEED: hub.format(old, "")}, NOON)
    look(run.crawl, {SEED: hub.format(old, f'<a href="{new}">roofs</a>')}, NOON + DAY)
    marks = dict(FrontierEntry.objects.values_list("url__url", "may_be_fresh"))

    assert marks == {SEED: False, old: False, new: True}
