"""A seed is visited at least daily, but backs off like any source once it fails."""

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from crawler.checks import invariants
from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.models import Crawl, FrontierEntry, Page, Run
from crawler.problems import Problem, ProblemKind
from crawler.reasons import Reason, StopReason
from crawler.revisit.rate import ANY_SOURCE, FEED, Rate
from crawler.revisit.sources import MAX_FAILURES, TOMBSTONE, SourceState
from crawler.sources import registry
from crawler.sources.backoff import hold_back, revisit_soon
from crawler.sources.base import Found
from crawler.sources.known_pages import KnownPages
from crawler.sources.pasted import PastedUrls
from crawler.sources.registry import KnownSource
from tests.crawler.sources.test_registry import inquiry
from tests.crawler.store.test_baseline import feed, item
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS, PaperWeb

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
#: From one run to the next; longer than the shortest rest.
RUN = timedelta(minutes=61)
PAGE = item("front")


@pytest.fixture
def topic(db: None) -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    PastedUrls().find(inquiry(topic, NOON - DAY))
    return topic


def name(topic: Crawl, *seeds: str) -> None:
    """Have the person name these seeds, a day before the first run."""
    topic.describe(replace(PROFILE, seeds=seeds), SETTINGS)
    topic.save()
    PastedUrls().find(inquiry(topic, NOON - DAY))


def run_at(topic: Crawl, web: PaperWeb, now: datetime) -> tuple[Found, Run]:
    """A run that begins with the seeds alone, to its end."""
    found = PastedUrls().find(inquiry(topic, now))
    hold_back(topic, found.urls, now)
    run = Run.objects.create(crawl=topic, started=now, n_pages=50)
    board = DatabaseBlackboard(run)
    manager.start(board, found.urls, now)
    while run.ended is None:
        manager.integrate(board, now)
        manager.plan(board, now, BatchLimits(), random.Random(1))
        collect(board, web, "tester", lambda: now)
        run.refresh_from_db()
    return found, run


def state(topic: Crawl, key: str) -> SourceState:
    return registry.caught_up(topic)[key].state


@pytest.mark.parametrize("reason", [Reason.GONE, Reason.SERVER_ERROR])
def test_a_seed_that_dies_rests_is_left_alone_and_comes_back(topic: Crawl, reason: Reason) -> None:
    """A failure that may pass is not tried in every run either."""
    requested = []
    for number in range(20):
        web = PaperWeb({}, {SEED: reason})
        run_at(topic, web, NOON + number * RUN)
        requested += [number] * len(web.requested)
    dead, last = state(topic, SEED), NOON + 15 * RUN
    before, _run = run_at(topic, PaperWeb(PAGES), last + TOMBSTONE - MINUTE)
    after, _run = run_at(topic, PaperWeb({SEED: PAGE}), last + TOMBSTONE)
    revived = state(topic, SEED)

    # Rests of 1, 2, 4 and 8 hours, and then of a month.
    assert requested == [0, 1, 3, 7, 15]
    assert (dead.failures, dead.failing_since, dead.failed) == (MAX_FAILURES, NOON, last)
    assert (before.urls, after.urls) == ((), (SEED,))
    assert (revived.failures, revived.failing_since) == (0, None)
    assert PastedUrls().find(inquiry(topic, last + TOMBSTONE + RUN)).urls == (SEED,)
    assert not list(invariants.silent_ends())


def test_a_run_that_finds_all_at_rest_says_so(topic: Crawl) -> None:
    web = PaperWeb({})
    first, failed = run_at(topic, web, NOON)
    second, rested = run_at(topic, web, NOON + RUN - 2 * MINUTE)

    assert web.requested == [SEED]
    assert first.problems == ()
    assert second.problems == (Problem(ProblemKind.SEED_FAILS, SEED, times=1, since=NOON),)
    assert failed.stop_reason == StopReason.NOTHING_REACHABLE
    assert rested.stop_reason == StopReason.ALL_REST


def test_a_person_can_end_the_rest_of_a_seed(topic: Crawl) -> None:
    web = PaperWeb({}, {SEED: Reason.SERVER_ERROR})
    run_at(topic, web, NOON)
    run_at(topic, web, NOON + 30 * MINUTE)
    n_before = len(web.requested)
    assert revisit_soon(topic, SEED, NOON + 40 * MINUTE)
    run_at(topic, PaperWeb({SEED: PAGE}), NOON + 41 * MINUTE)

    assert n_before == 1
    assert state(topic, SEED).visited == NOON + 41 * MINUTE
    assert state(topic, SEED).named
    assert not revisit_soon(topic, "http://none.test/", NOON)


def test_a_seed_that_answers_is_visited_daily_and_its_rate_is_learnt(topic: Crawl) -> None:
    web = {SEED: item("front")}
    run_at(topic, PaperWeb(web), NOON)
    web |= {SEED: item("front", None, "http://a.test/"), "http://a.test/": item("a")}
    run_at(topic, PaperWeb(web), NOON + DAY)

    assert state(topic, SEED).rate == ANY_SOURCE.after(1.0, 1)
    assert PastedUrls().find(inquiry(topic, NOON + 400 * DAY)).urls == (SEED,)
    assert registry.due(topic, NOON + 400 * DAY) == {}, "it takes no other source's place"


def test_between_daily_visits_a_seed_takes_the_place_of_a_source_that_is_worth_less(
    topic: Crawl,
) -> None:
    run_at(topic, PaperWeb({SEED: PAGE}), NOON)
    later = NOON + 12 * timedelta(hours=1)
    alone = PastedUrls().find(inquiry(topic, later)).urls
    better = SourceState(NOON - DAY, Rate.expected(50.0, 1.0), visited=NOON)
    feeds = {f"http://f{n}.test/": KnownSource(registry.FEEDS, better) for n in range(60)}
    registry.save_sources(topic, registry.load_sources(topic) | feeds)

    assert alone == (SEED,)
    assert PastedUrls().find(inquiry(topic, later)).urls == ()
    assert PastedUrls().find(inquiry(topic, NOON + 18 * timedelta(hours=1))).urls == (SEED,)


def test_a_seed_that_leads_to_a_page_that_fails_fails(topic: Crawl) -> None:
    """`http://hub.test/moved` leads to a page of another site."""
    old, new = "http://hub.test/moved", "http://solar.test/panels"
    name(topic, old)
    run_at(topic, PaperWeb({new: PAGE}), NOON)
    answered = state(topic, old)
    web = PaperWeb({})
    found, _run = run_at(topic, web, NOON + DAY)
    # The collector fetches both URLs; here the test does that.
    FrontierEntry.objects.filter(url__url=new).update(
        state="failed", reason=Reason.GONE, ended=NOON + DAY
    )

    assert (answered.visited, answered.failures) == (NOON, 0)
    assert found.urls == (old,)
    assert state(topic, old).failing_since == NOON + DAY


def test_seeds_that_are_feeds_are_looked_at_by_their_worth_from_the_second_run_on(
    topic: Crawl,
) -> None:
    feeds = [f"http://f{number}.test/feed" for number in range(30)]
    name(topic, SEED, *feeds)
    web: Mapping[str, str] = {SEED: PAGE} | {url: feed(url + "/1") for url in feeds}
    first, _run = run_at(topic, PaperWeb(web), NOON)
    registry.note(topic, registry.FEEDS, ["http://found.test/feed"], NOON)
    second = PastedUrls().find(inquiry(topic, NOON + DAY)).urls
    known = registry.load_sources(topic)

    assert first.urls == (SEED, *feeds)
    # One of the slots is for the feed that was not visited so far.
    assert len(second) == 1 + registry.per_run(SETTINGS.n_pages) - 1
    assert second[0] == SEED
    assert {known[url].kind for url in feeds} == {registry.FEEDS}
    assert known[feeds[0]].state.rate == FEED
    assert (known[SEED].kind, known[SEED].state.rate) == (registry.SEEDS, ANY_SOURCE)


def test_a_seed_that_was_found_to_be_a_source_stays_a_seed_until_it_is_taken_back(
    topic: Crawl,
) -> None:
    name(topic, SEED, "http://two.test/")
    PastedUrls().find(inquiry(topic, NOON))
    registry.note(topic, registry.HUBS, [SEED], NOON)
    both = PastedUrls().find(inquiry(topic, NOON)).urls
    was_named = state(topic, SEED).named
    name(topic, "http://three.test/")
    known = registry.load_sources(topic)

    assert both == (SEED, "http://two.test/")
    assert was_named
    assert {key: (one.kind, one.state.named) for key, one in known.items()} == {
        SEED: (registry.HUBS, False),
        "http://three.test/": (registry.SEEDS, True),
    }


def test_a_kept_page_that_is_a_source_at_rest_is_not_looked_at_as_a_known_page(
    topic: Crawl,
) -> None:
    run_at(topic, PaperWeb({SEED: PAGE}), NOON)
    Page.objects.update(fetched=NOON - 9 * DAY)
    healthy = KnownPages().find(inquiry(topic, NOON + DAY)).urls
    dead = SourceState(NOON, failures=4, failing_since=NOON, failed=NOON + DAY, named=True)
    registry.save_sources(topic, {SEED: KnownSource(registry.SEEDS, dead)})

    assert healthy == (SEED,)
    assert KnownPages().find(inquiry(topic, NOON + DAY)).urls == ()
    assert KnownPages().find(inquiry(topic, NOON + 2 * DAY)).urls == (SEED,)
