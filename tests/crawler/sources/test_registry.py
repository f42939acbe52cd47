"""Every kind of source is visited as often as it is worth, fails visibly, and comes back."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from importlib import import_module
from random import Random

import msgspec
import pytest
from django.apps import apps

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.models import Crawl, Harvest, Knowledge, Run, Source
from crawler.problems import Problem, ProblemKind
from crawler.reasons import Reason
from crawler.revisit.listed import Growth, smoothed_share
from crawler.revisit.sources import MAX_FAILURES, TOMBSTONE, SourceState
from crawler.sources import registry
from crawler.sources.backoff import revisit_soon
from crawler.sources.base import Inquiry
from crawler.sources.feeds import KnownFeeds
from crawler.sources.registry import KnownSource
from crawler.sources.searxng import SearxngSearch
from crawler.sources.sitemaps import KnownSitemaps
from crawler.sources.stored_graph import StoredHubs
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.store.test_baseline import feed, item, look
from tests.crawler.store.test_dates import dated_feed
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS, PaperWeb

DAY = timedelta(days=1)
FEED, HUB = "http://news.test/feed", "http://list.test/"


@pytest.fixture
def topic(db: None) -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(replace(PROFILE, queries=("solar cells", "solar panels")), SETTINGS)
    topic.save()
    return topic


def inquiry(topic: Crawl, now: datetime, door: Door | None = None) -> Inquiry:
    door = door or Door(FetchConfig(build_user_agent("http://us.test/")))
    return Inquiry(topic.profile, door, topic.pk, now)


def state(topic: Crawl, key: str) -> SourceState:
    return registry.caught_up(topic)[key].state


def test_one_index_chooses_among_all_kinds(topic: Crawl) -> None:
    kinds = {
        "http://a.test/feed": registry.FEEDS,
        "http://b.test/map.xml": registry.SITEMAPS,
        "http://c.test/hub": registry.HUBS,
        "solar": registry.SEARCHES,
    }
    for days, (key, kind) in enumerate(kinds.items(), start=1):
        registry.note(topic, kind, [key], NOON - days * DAY, looked={key: NOON - days * DAY})
    order = list(registry.due(topic, NOON))

    # Rates are those of kinds that were visited once at most: waiting longest counts, squared.
    assert order == ["solar", "http://c.test/hub", "http://b.test/map.xml", "http://a.test/feed"]
    assert len(registry.due(topic, NOON)) <= registry.per_run(SETTINGS.n_pages)


@pytest.mark.parametrize(
    ("after", "order"),
    [
        (4, ["http://newcomer.test/feed", f"{SEED}feed"]),
        (40, [f"{SEED}feed", "http://newcomer.test/feed"]),
    ],
    ids=["while it is new", "a month later"],
)
def test_a_source_of_a_new_site_is_due_after_half_the_time(
    topic: Crawl, after: int, order: list[str]
) -> None:
    look(topic, PAGES, NOON)
    web = {**PAGES, SEED: item("list", None, "http://newcomer.test/")}
    look(topic, web | {"http://newcomer.test/": item("first")}, NOON + DAY)
    looked = {f"{SEED}feed": NOON + DAY, "http://newcomer.test/feed": NOON + 2 * DAY}
    registry.note(topic, registry.FEEDS, looked, NOON, looked=looked)

    due = registry.due(topic, NOON + after * DAY)

    assert [key for key in due if key in looked] == order


def test_a_page_that_led_to_news_becomes_a_hub_and_its_rate_is_learnt(topic: Crawl) -> None:
    web = {**PAGES, SEED: PAGES[SEED] + f'<a href="{HUB}">solar cells list</a>', HUB: item("list")}
    look(topic, web, NOON)
    reports = [f"http://r{number}.test/" for number in range(3)]
    web |= {HUB: item("list", None, *reports), **{url: item(url) for url in reports}}
    look(topic, web, NOON + DAY, [SEED, HUB])
    found = StoredHubs().find(inquiry(topic, NOON + 3 * DAY)).urls
    before = state(topic, HUB)
    web |= {HUB: item("list", None, *reports, "http://r9.test/"), "http://r9.test/": item("r9")}
    look(topic, web, NOON + 3 * DAY, found)

    assert HUB in found
    assert before.visited is not None
    assert state(topic, HUB).rate == before.rate.after(2.0, 1)


def test_stuffed_pages_make_no_source_and_teach_none(topic: Crawl) -> None:
    web = {**PAGES, SEED: PAGES[SEED] + f'<a href="{HUB}">solar cells list</a>', HUB: item("list")}
    look(topic, web, NOON)
    reports = [f"http://r{number}.test/" for number in range(3)]
    web |= {HUB: item("list", None, *reports), **{url: item(url) for url in reports}}
    look(topic, web, NOON + DAY, [SEED, HUB])
    Harvest.objects.filter(url__url__in=reports).update(trust=0.4)
    stuffed = StoredHubs().find(inquiry(topic, NOON + 3 * DAY)).urls
    registry.note(topic, registry.HUBS, [HUB], NOON, looked={HUB: NOON})
    learnt = state(topic, HUB)

    assert HUB not in stuffed
    assert learnt.rate == registry.RATES[registry.HUBS].after(1.0, 0)


def test_a_source_that_dies_is_reported_rests_is_left_alone_and_comes_back(topic: Crawl) -> None:
    web = {**PAGES, FEED: feed("http://news.test/1"), "http://news.test/1": item("one")}
    look(topic, web, NOON, [SEED, FEED])
    registry.note(topic, registry.FEEDS, [FEED], NOON)
    del web[FEED]
    now = NOON
    found_problems: list[Problem | str] = []
    for _ in range(MAX_FAILURES):
        now += DAY
        look(topic, web, now, [*KnownFeeds().find(inquiry(topic, now)).urls, SEED])
        found_problems += KnownFeeds().find(inquiry(topic, now)).problems
    dead = state(topic, FEED)
    soon = KnownFeeds().find(inquiry(topic, now + DAY)).urls
    later = now + TOMBSTONE + DAY
    again = KnownFeeds().find(inquiry(topic, later)).urls
    web[FEED] = feed("http://news.test/2", "http://news.test/1")
    look(topic, web | {"http://news.test/2": item("two")}, later, [*again, SEED])

    assert found_problems[0] == Problem(ProblemKind.FEED_FAILS, FEED, times=1, since=NOON + DAY)
    assert (dead.failures, dead.failing_since) == (MAX_FAILURES, NOON + DAY)
    assert dead.is_given_up(now)
    assert (soon, again) == ((), (FEED,))
    revived = state(topic, FEED)
    assert (revived.failures, revived.failing_since) == (0, None)
    assert Harvest.objects.get(url__url="http://news.test/2").kept


def test_a_failure_seen_while_its_run_goes_on_counts_once(topic: Crawl) -> None:
    registry.note(topic, registry.FEEDS, [FEED], NOON - DAY)
    run = Run.objects.create(crawl=topic, started=NOON, n_pages=50)
    board = DatabaseBlackboard(run)
    manager.start(board, [FEED], NOON)
    manager.plan(board, NOON, manager.BatchLimits(), Random(1))
    collect(board, PaperWeb({}, {FEED: Reason.SERVER_ERROR}), "tester", lambda: NOON)
    assert state(topic, FEED).failures == 1

    Run.objects.filter(pk=run.pk).update(ended=NOON + DAY / 24, stop_reason="rest_later")

    assert state(topic, FEED).failures == 1


def test_a_person_can_have_a_dead_source_looked_at_again(topic: Crawl) -> None:
    dead = SourceState(NOON, failures=9, failing_since=NOON, failed=NOON + DAY)
    registry.save_sources(topic, {FEED: KnownSource(registry.FEEDS, dead)})

    assert registry.due(topic, NOON + 2 * DAY) == {}
    assert revisit_soon(topic, FEED, NOON + 2 * DAY)
    assert list(registry.due(topic, NOON + 2 * DAY)) == [FEED]
    assert not revisit_soon(topic, "http://none.test/", NOON)


def test_a_feed_whose_items_all_change_their_ids_gains_nothing_by_it(topic: Crawl) -> None:
    """Each visit lists the same ten texts under new URLs."""
    registry.note(topic, registry.FEEDS, [FEED], NOON)
    text = [f"{item('news')} Report number {number} of solar cells. " * 3 for number in range(10)]
    for day in range(4):
        urls = [f"http://news.test/{number}?id=d{day}x{number}" for number in range(10)]
        web = {**PAGES, FEED: feed(*urls), **dict(zip(urls, text, strict=True))}
        look(topic, web, NOON + day * DAY, [SEED, FEED])
        learnt = state(topic, FEED)

    kept = Harvest.objects.kept().filter(url__site__name="news.test")
    assert kept.count() == 10
    assert not learnt.overflowed
    assert not topic.harvests.news(NOON - DAY, NOON + 9 * DAY).filter(pk__in=kept).exists()
    assert learnt.rate.per_day < registry.RATES[registry.FEEDS].per_day


def test_the_dates_in_a_feed_teach_its_rate_at_the_first_look(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    now = NOON + DAY
    quiet, busy = "http://quiet.test/feed", "http://news.test/feed"
    registry.note(topic, registry.FEEDS, [quiet, busy], NOON)
    web = {
        **PAGES,
        busy: dated_feed({str(number): now - number * DAY / 2 for number in range(9)}),
        quiet: dated_feed({f"q{number}": now - (30 + number) * DAY for number in range(9)}),
        **{f"http://news.test/{number}": item(str(number)) for number in range(9)},
    }
    look(topic, web, now, [SEED, quiet, busy])
    prior = registry.RATES[registry.FEEDS]

    # All that was fetched of the busy one's site is on topic: nine of its entries in four days.
    grew = Growth(1.0, (1.0, 2.0, 2.0, 3.0))
    assert state(topic, busy).rate == prior.after_growth(grew.of(smoothed_share(9, 9)))
    assert state(topic, quiet).rate == prior.after_growth(Growth(1.0, (0.0,) * 14))


def test_a_sitemap_that_names_itself_is_read_once_a_run(topic: Crawl) -> None:
    own = "http://map.test/sitemap.xml"
    loop = f"""<sitemapindex><sitemap><loc>{own}</loc></sitemap>
        <sitemap><loc>{own}?page=2</loc></sitemap></sitemapindex>"""
    web = PaperWeb({**PAGES, own: loop, f"{own}?page=2": loop})
    run = Run.objects.create(crawl=topic, started=NOON, n_pages=50)
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED, own], NOON)

    crawl_all(board, web)

    assert web.requested.count(own) == 1
    assert web.requested.count(f"{own}?page=2") == 1


class Engine:
    """A search engine that returns a given answer, or none."""

    def __init__(self) -> None:
        self.results: dict[str, list[str]] = {}
        self.status = 200
        self.requested: list[str] = []

    def answer(self, request: Request) -> Response:
        if self.status != 200:
            return Response(self.status, b"no", "text/html")
        query = request.target.partition("q=")[2].partition("&")[0].replace("+", " ")
        self.requested.append(query)
        rows = [{"url": url} for url in self.results.get(query, [])]
        return Response(200, json.dumps({"results": rows}).encode(), "application/json")


@pytest.fixture
def engine() -> Iterator[tuple[Engine, SearxngSearch, Door]]:
    engine = Engine()
    with LoopbackServer(engine.answer) as server:
        host = f"127.0.0.1:{server.port}"
        config = FetchConfig(build_user_agent("http://us.test/"), (), frozenset({host}))
        door = Door(config)
        yield engine, SearxngSearch(f"http://{host}/search"), door
        door.close()


def test_searches_are_asked_by_their_worth_and_learn_from_what_was_kept(
    topic: Crawl, engine: tuple[Engine, SearxngSearch, Door]
) -> None:
    server, search, door = engine
    server.results = {"solar cells": ["http://s.test/1"], "solar panels": ["http://s.test/9"]}
    first = search.find(inquiry(topic, NOON, door))
    look(topic, {**PAGES, "http://s.test/1": item("1")}, NOON, [SEED, *first.urls])
    server.results = {"solar cells": ["http://s.test/1", "http://s.test/2"]}
    second = search.find(inquiry(topic, NOON + DAY, door))
    look(topic, {**PAGES, "http://s.test/2": item("2")}, NOON + DAY, [SEED, *second.urls])

    assert first.urls == ("http://s.test/1", "http://s.test/9")
    assert second.urls == ("http://s.test/2",), "what is known is looked at as known pages are"
    assert first.first_look == {"http://s.test/1", "http://s.test/9"}
    assert second.first_look == frozenset()
    prior = registry.RATES[registry.SEARCHES]
    assert state(topic, "solar cells").rate == prior.after(1.0, 1)
    assert state(topic, "solar panels").rate == prior.after(1.0, 0)


def test_stuffed_pages_teach_a_search_nothing(
    topic: Crawl, engine: tuple[Engine, SearxngSearch, Door]
) -> None:
    server, search, door = engine
    server.results = {"solar cells": ["http://s.test/1"]}
    first = search.find(inquiry(topic, NOON, door))
    look(topic, {**PAGES, "http://s.test/1": item("1")}, NOON, [SEED, *first.urls])
    server.results = {"solar cells": ["http://s.test/2"]}
    second = search.find(inquiry(topic, NOON + DAY, door))
    look(topic, {**PAGES, "http://s.test/2": item("2")}, NOON + DAY, [SEED, *second.urls])
    Harvest.objects.filter(url__url="http://s.test/2").update(trust=0.4)

    assert Harvest.objects.get(crawl=topic, url__url="http://s.test/2").kept
    prior = registry.RATES[registry.SEARCHES]
    assert state(topic, "solar cells").rate == prior.after(1.0, 0)


def test_a_search_that_fails_rests_and_one_no_longer_made_is_struck_out(
    topic: Crawl, engine: tuple[Engine, SearxngSearch, Door]
) -> None:
    server, search, door = engine
    server.status = 403
    failed = search.find(inquiry(topic, NOON, door))
    server.status = 200
    rests = search.find(inquiry(topic, NOON + timedelta(minutes=30), door))
    topic.describe(replace(PROFILE, queries=("solar cells",)), SETTINGS)
    topic.save()
    search.find(inquiry(topic, NOON + DAY, door))

    assert len(failed.problems) == 2
    assert {one.trouble for one in failed.problems if isinstance(one, Problem)} == {
        ProblemKind.SEARCH_REFUSED
    }
    assert rests.urls == ()
    assert rests.problems == failed.problems, "why it rests is told while it rests"
    assert {(one.times, one.since) for one in rests.problems if isinstance(one, Problem)} == {
        (1, NOON)
    }
    assert all(one.problem is None for one in registry.load_sources(topic).values())
    assert server.requested == ["solar cells"]
    assert [
        key for key, one in registry.load_sources(topic).items() if one.kind == registry.SEARCHES
    ] == ["solar cells"]


def test_sitemaps_are_remembered_with_what_looks_at_them_brought(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    url = "http://solar.test/map.xml"
    registry.note(topic, registry.SITEMAPS, [url], NOON)
    pages = {url: f"<urlset><url><loc>http://solar.test/{0}</loc></url></urlset>"}
    look(topic, {**PAGES, **pages, "http://solar.test/0": item("0")}, NOON + DAY, [url])
    KnownSitemaps().find(inquiry(topic, NOON + 2 * DAY))

    assert state(topic, url).visited == NOON + DAY


KNOWN = {
    FEED: KnownSource(
        registry.FEEDS,
        SourceState(
            NOON - 9 * DAY, visited=NOON - DAY, last_new=NOON - 2 * DAY, overflowed=True, named=True
        ).after_visit(NOON, 3, 10),
    ),
    "solar cells": KnownSource(
        registry.SEARCHES,
        SourceState(NOON).after_failure(NOON + DAY),
        asked=NOON,
        brought=(HUB, FEED),
        n_listed=20,
        problem=Problem(ProblemKind.SEARCH_FAILED, "solar cells", "timeout", 2, NOON),
    ),
}


def test_sources_come_back_as_they_were_saved(topic: Crawl) -> None:
    registry.save_sources(topic, KNOWN)

    assert registry.load_sources(topic) == KNOWN


def test_only_what_changed_is_written(topic: Crawl) -> None:
    registry.save_sources(topic, KNOWN)
    numbers = dict(topic.sources.values_list("address", "pk"))
    # A row that is not written keeps what stands in it.
    topic.sources.filter(address="solar cells").update(kind=registry.HUBS)
    stands = registry.load_sources(topic)
    registry.save_sources(
        topic, {**stands, FEED: KNOWN[FEED].turned(registry.SEEDS), HUB: KNOWN[FEED]}
    )
    registry.save_sources(
        topic, {key: one for key, one in registry.load_sources(topic).items() if key != HUB}
    )

    assert dict(topic.sources.values_list("address", "pk")) == numbers
    assert [one.kind for one in registry.load_sources(topic).values()] == [
        registry.SEEDS,
        registry.HUBS,
    ]


def test_sources_that_were_packed_in_one_value_become_rows(topic: Crawl) -> None:
    packed = msgspec.msgpack.encode(KNOWN)
    Knowledge.objects.create(crawl=topic, name="sources", payload=packed)
    kept = Knowledge.objects.create(crawl=topic, name="strategy", payload=b"memory")
    other = Crawl.objects.create(key="wind", first_seen=NOON)
    # An older row left out what was not known yet.
    state = {"since": NOON, "rate": msgspec.to_builtins(KNOWN[FEED].state.rate)}
    old = msgspec.msgpack.encode({HUB: {"kind": registry.HUBS, "state": state}})
    Knowledge.objects.create(crawl=other, name="sources", payload=old)

    import_module("crawler.migrations.0025_fill_sources").fill(apps, None)

    assert registry.load_sources(topic) == KNOWN
    assert [(one.kind, one.state.since) for one in registry.load_sources(other).values()] == [
        (registry.HUBS, NOON)
    ]
    assert list(Knowledge.objects.all()) == [kept]
    assert Source.objects.count() == 3
