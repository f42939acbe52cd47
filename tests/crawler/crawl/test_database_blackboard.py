"""What the tables hold after a crawl."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from crawler.checks import invariants
from crawler.crawl import manager
from crawler.crawl.collector import FIRST_PAUSE, MAX_ATTEMPTS, FetchOutcome, collect
from crawler.crawl.database_blackboard import MANY_PAGES, DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.messages import Batch
from crawler.models import Crawl, FrontierEntry, Harvest, IndexOutbox, Link, Page, Run, Site, Url
from crawler.ranking.score import absolute_content, density_value
from crawler.reasons import Reason, StopReason
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS, PaperWeb


@pytest.fixture
def board(run: Run) -> DatabaseBlackboard:
    return DatabaseBlackboard(run)


def test_pages_links_and_outbox_are_written_together(board: DatabaseBlackboard) -> None:
    crawl(board, PaperWeb())

    assert set(Page.objects.values_list("url__url", flat=True)) == set(PAGES)
    assert set(IndexOutbox.objects.values_list("page_id", flat=True)) == set(
        Page.objects.values_list("pk", flat=True)
    )
    assert Link.objects.filter(target__url="http://solar.test/cells").count() == 3
    assert "sunlight into electricity" in Page.objects.get(url__url="http://solar.test/cells").text


def test_a_url_is_one_row_for_ever(board: DatabaseBlackboard) -> None:
    crawl(board, PaperWeb())

    urls = list(Url.objects.values_list("url", flat=True))
    assert len(urls) == len(set(urls)) == len(PAGES) + 2


def test_a_crawl_breaks_no_invariant(board: DatabaseBlackboard) -> None:
    crawl(board, PaperWeb(failing={"http://solar.test/cells": Reason.CONNECT_FAILED}))

    assert list(invariants.frontier_breaches(NOON)) == []
    assert list(invariants.silent_ends()) == []


def test_scores_and_explanations_agree(board: DatabaseBlackboard) -> None:
    crawl(board, PaperWeb())

    for harvest in Harvest.objects.all():
        parts = sum(part["value"] for part in harvest.explanation["parts"])
        assert parts == pytest.approx(harvest.score)
    for harvest in Harvest.objects.kept():
        # So few pages are kept that each has the typical density.
        worth = absolute_content(harvest.relevance, density_value(1, 1))
        assert harvest.score == pytest.approx(0.25 * harvest.link_value + 0.75 * worth)


def test_a_run_counts_what_became_of_each_url(board: DatabaseBlackboard, run: Run) -> None:
    crawl(board, PaperWeb())

    run.refresh_from_db()
    assert run.stop_reason == StopReason.FRONTIER_EMPTY
    assert (run.fetched, run.failed) == (4, 1)
    assert run.reasons == {"fetched": 4, "redirected": 1, "gone": 1}


def test_a_temporary_failure_rests_and_doubles_its_pause(board: DatabaseBlackboard) -> None:
    web = PaperWeb(failing={SEED: Reason.CONNECT_TIMEOUT})
    manager.start(board, [SEED], NOON)
    now = NOON
    for attempt in range(1, MAX_ATTEMPTS):
        manager.plan(board, now, BatchLimits(), random.Random(1))
        collect(board, web, "tester", partial(datetime.fromtimestamp, now.timestamp(), UTC))
        entry = FrontierEntry.objects.get()
        assert entry.not_before == now + FIRST_PAUSE * 2 ** (attempt - 1)
        assert entry.reason == Reason.CONNECT_TIMEOUT
        now = entry.not_before + timedelta(seconds=1)
        Run.objects.update(ended=None, stop_reason="")
    manager.plan(board, now, BatchLimits(), random.Random(1))
    collect(board, web, "tester", lambda: now)

    assert FrontierEntry.objects.get().reason == Reason.TOO_MANY_TRIES


class Impatient(PaperWeb):
    """Answers that a request may be sent again at once."""

    def answers(
        self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
    ) -> Iterator[FetchOutcome]:
        for outcome in super().answers(work, until=until, stopping=stopping):
            yield replace(outcome, retry_after_s=0.0)


def test_a_site_that_says_to_try_again_now_is_given_the_usual_pause(
    board: DatabaseBlackboard,
) -> None:
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    busy = Impatient(failing={SEED: Reason.TOO_MANY_REQUESTS})
    collect(board, busy, "tester", lambda: NOON)

    assert FrontierEntry.objects.get().not_before == NOON + FIRST_PAUSE


def test_two_plans_never_give_a_site_to_two_collectors(board: DatabaseBlackboard) -> None:
    manager.start(board, [SEED, "http://hub.test/gone"], NOON)
    limits = BatchLimits(slice_pages=1)
    assert manager.plan(board, NOON, limits, random.Random(1)) == 1

    assert manager.plan(board, NOON, limits, random.Random(1)) == 0
    assert Site.objects.get().held_by != ""


def test_a_run_waits_for_a_site_that_another_topics_run_holds(
    board: DatabaseBlackboard, run: Run
) -> None:
    other_crawl = Crawl(key="panels", first_seen=NOON)
    other_crawl.describe(PROFILE, SETTINGS)
    other_crawl.save()
    other = Run.objects.create(crawl=other_crawl, started=NOON, n_pages=50)
    for one in (board, DatabaseBlackboard(other)):
        manager.start(one, [SEED], NOON)
    plan = partial(manager.plan, now=NOON, limits=BatchLimits(), rng=random.Random(1))

    posted = [plan(board), plan(DatabaseBlackboard(other))]
    collect(board, PaperWeb(), "tester", lambda: NOON)

    assert posted == [1, 0]
    assert Run.objects.filter(ended=None).count() == 2
    assert plan(DatabaseBlackboard(other)) == 1


def test_a_second_run_looks_at_its_seeds_again(board: DatabaseBlackboard, run: Run) -> None:
    crawl(board, PaperWeb())
    later = NOON + timedelta(days=1)
    second = Run.objects.create(crawl=run.crawl, started=later, n_pages=50)
    web = PaperWeb()

    crawl(DatabaseBlackboard(second), web, now=later)

    assert web.requested == [SEED]
    assert Page.objects.get(url__url=SEED).n_fetches == 2


def test_a_run_without_seeds_says_so(board: DatabaseBlackboard, run: Run) -> None:
    manager.start(board, [], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))

    run.refresh_from_db()
    assert run.stop_reason == StopReason.NO_SEEDS


def test_memory_is_freed_before_many_pages_are_judged_again(run: Run) -> None:
    freed: list[str] = []
    board = DatabaseBlackboard(run, free_memory=lambda: freed.append("once"))
    site = Site.objects.create(name="many.test", domain="many.test", first_seen=NOON)
    urls = Url.objects.bulk_create(
        Url(url=f"http://many.test/{n}", site=site, first_seen=NOON) for n in range(MANY_PAGES)
    )
    harvests = [Harvest(crawl=run.crawl, url=url, run=run, first_seen=NOON) for url in urls]
    Harvest.objects.bulk_create(harvests[1:])
    board.rejudge_stored(NOON)
    assert freed == []

    harvests[0].save()
    board.rejudge_stored(NOON)

    assert freed == ["once"]
