"""A person's word on a page stands when the page is fetched again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

import pytest

from crawler.crawl import manager
from crawler.crawl.collector import FetchOutcome, collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.judging.rescore import rejudge
from crawler.messages import Batch
from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run, Url
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.store.labels import LabelledPage, save_labels
from tests.crawler.conftest import make_run
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.web import NOON, PAGES, PROFILE, SETTINGS, PaperWeb

CELLS, SOUP = "http://solar.test/cells", "http://kitchen.test/soup"
LATER = NOON + timedelta(days=1)

Kept = Callable[[dict[str, bool]], dict[str, bool]]


def in_memory(words: dict[str, bool]) -> dict[str, bool]:
    """Which pages a crawl keeps, with a person's words on some."""
    board = MemoryBlackboard(PROFILE, SETTINGS, decided=words)
    crawl(board, PaperWeb())
    return {board.url_of(key): posting.kept for key, posting in board.harvests.items()}


def in_tables(words: dict[str, bool]) -> dict[str, bool]:
    """The same in tables: words given after a first run, all pages fetched again by a second."""
    run = make_run()
    crawl(DatabaseBlackboard(run), PaperWeb())
    say(run, words)
    second = Run.objects.create(crawl=run.crawl, started=LATER, n_pages=50)
    FrontierEntry.objects.update(state="new", assignment=None, attempts=0)
    crawl(DatabaseBlackboard(second), PaperWeb(), now=LATER)
    assert set(Page.objects.values_list("n_fetches", flat=True)) == {2}
    return dict(Harvest.objects.values_list("url__url", "kept"))


def say(run: Run, words: dict[str, bool]) -> None:
    numbers = dict(Url.objects.values_list("url", "pk"))
    labels = [LabelledPage(good, 2.0, numbers[url], decided=True) for url, good in words.items()]
    save_labels(run.crawl, labels)


@pytest.fixture(params=[in_memory, in_tables])
def kept_after(request: pytest.FixtureRequest, db: None) -> Kept:
    kept: Kept = request.param
    return kept


def test_without_a_word_the_judge_decides(kept_after: Kept) -> None:
    kept = kept_after({})
    assert kept[CELLS] and not kept[SOUP]


def test_a_persons_word_stands_against_the_judge(kept_after: Kept) -> None:
    kept = kept_after({CELLS: False, SOUP: True})
    assert kept[SOUP] and not kept[CELLS]


def test_a_page_that_asks_not_to_be_indexed_stays_out(run: Run) -> None:
    crawl(DatabaseBlackboard(run), PaperWeb())
    say(run, {CELLS: True})
    FrontierEntry.objects.update(state="new", assignment=None, attempts=0)
    shy = PAGES[CELLS].replace("<title>", '<meta name="robots" content="noindex"><title>')
    again = Run.objects.create(crawl=run.crawl, started=LATER, n_pages=50)
    crawl(DatabaseBlackboard(again), PaperWeb({**PAGES, CELLS: shy}), now=LATER)
    assert not Harvest.objects.get(url__url=CELLS).kept


def test_a_copy_stays_out_when_pages_are_judged_again(run: Run) -> None:
    long = PAGES[CELLS] + "<p>Cells of silicon last for thirty years and lose little of it.</p>"
    copied = PAGES["http://hub.test/"].replace("/moved", "/copy")
    web = PaperWeb({**PAGES, "http://hub.test/": copied, CELLS: long, "http://hub.test/copy": long})
    crawl(DatabaseBlackboard(run), web)
    copies = FrontierEntry.objects.filter(reason="duplicate").values_list("url_id", flat=True)
    assert len(copies) == 1

    rejudge(run.crawl, LATER)
    assert not Harvest.objects.get(url_id=copies[0]).kept
    say(run, {Url.objects.get(pk=copies[0]).url: True})
    rejudge(run.crawl, LATER)
    assert Harvest.objects.get(url_id=copies[0]).kept


@pytest.mark.parametrize("word", [None, True])
def test_a_page_under_way_when_its_site_is_blocked_stays_out(run: Run, word: bool | None) -> None:
    class BlockingWeb(PaperWeb):
        """A person blocks the site while a page of it is fetched."""

        def answers(
            self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
        ) -> Iterator[FetchOutcome]:
            for outcome in super().answers(work, until=until, stopping=stopping):
                if outcome.claim.url == CELLS:
                    if word is not None:
                        say(run, {CELLS: word})
                    known = Crawl.objects.get(pk=run.crawl_id)
                    known.describe(PROFILE, replace(SETTINGS, site_rules={"solar.test": "block"}))
                    known.save(update_fields=["settings_json", "version"])
                yield outcome

    board = DatabaseBlackboard(run)
    manager.start(board, list(PAGES)[:1], NOON)
    while not Harvest.objects.filter(url__url=CELLS).exists():
        manager.plan(board, NOON, BatchLimits(), Random(1))
        collect(board, BlockingWeb(), "tester", lambda: NOON)
    assert Run.objects.open().exists()  # At its end all pages are judged again.
    assert not Harvest.objects.get(url__url=CELLS).kept


def test_a_feed_stays_out_when_pages_are_judged_again(run: Run) -> None:
    crawl(DatabaseBlackboard(run), PaperWeb())
    feed = Harvest.objects.get(url__url=CELLS)
    Page.objects.filter(pk=feed.url_id).update(flags="feed,truncated")
    rejudge(run.crawl, LATER)
    feed.refresh_from_db()
    assert not feed.kept and feed.relevance > 0.5
