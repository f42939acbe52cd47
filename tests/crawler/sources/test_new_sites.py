"""A new site is watched from the day it is found, though it had nothing to show then."""

from datetime import timedelta

import pytest

from crawler.knowledge.stuffing import LEAST_TRUST
from crawler.models import Crawl, FrontierEntry, Page, Run, Site, Url
from crawler.sources import registry
from crawler.sources.new_sites import (
    fetched_fronts,
    new_since,
    of_young_sites,
)
from crawler.sources.stored_graph import StoredHubs
from crawler.store.frontier.enqueue import NewEntry, enqueue_links
from crawler.strategies.base import Rating
from tests.crawler.sources.test_registry import inquiry
from tests.crawler.store.test_baseline import item, look, news
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS

DAY = timedelta(days=1)
FRONT, FEED, POST = "http://young.test/", "http://young.test/feed.xml", "http://young.test/one"
EMPTY = "<title>Young</title><p>Nothing here yet, come back.</p>"
WITH_FEED = f'<link rel="alternate" type="application/rss+xml" href="{FEED}">{EMPTY}'


@pytest.fixture
def topic(db: None) -> Crawl:
    """After a first run over a web that does not know the new site."""
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    look(topic, PAGES, NOON)
    return topic


def test_the_front_page_of_a_new_site_is_a_source_from_its_first_look_on(topic: Crawl) -> None:
    before = StoredHubs().find(inquiry(topic, NOON + DAY)).urls
    look(topic, {**PAGES, FRONT: EMPTY}, NOON + DAY, [SEED, FRONT])
    found = StoredHubs().find(inquiry(topic, NOON + 2 * DAY)).urls
    web = {**PAGES, FRONT: f'{EMPTY}<a href="/one">solar cells</a>', POST: item("young")}
    look(topic, web, NOON + 2 * DAY + timedelta(hours=1), [SEED, *found])

    assert FRONT not in before
    assert FRONT in found
    assert news(topic, NOON + 2 * DAY + timedelta(hours=1)) == {POST}


def test_its_feed_is_known_though_its_front_page_is_not_kept(topic: Crawl) -> None:
    look(topic, {**PAGES, FRONT: WITH_FEED}, NOON + DAY, [SEED, FRONT])

    assert not topic.harvests.get(url__url=FRONT).kept
    assert registry.load_sources(topic)[FEED].kind == registry.FEEDS
    assert FRONT not in StoredHubs().find(inquiry(topic, NOON + 2 * DAY)).urls


def test_sites_of_the_first_run_and_older_ones_are_not_new(topic: Crawl) -> None:
    look(topic, {**PAGES, FRONT: WITH_FEED}, NOON + DAY, [SEED, FRONT])
    now = fetched_fronts(topic, NOON + DAY)
    later = fetched_fronts(topic, NOON + 40 * DAY)
    Site.objects.filter(name="young.test").update(stopped=True)

    assert now == [FRONT]
    assert later == []
    assert fetched_fronts(topic, NOON + DAY) == []
    assert new_since(Crawl.objects.create(key="other", first_seen=NOON), NOON) is None


def test_a_site_that_was_heard_and_gave_nothing_is_no_source(topic: Crawl) -> None:
    pages = ["http://young.test/1", "http://young.test/2"]
    web = {**PAGES, FRONT: EMPTY, **{url: f"<title>Soup</title>Soup {url}" for url in pages}}
    look(topic, web, NOON + DAY, [SEED, FRONT, pages[0]])
    hearing = fetched_fronts(topic, NOON + DAY)
    look(topic, web, NOON + 2 * DAY, [SEED, pages[1]])
    sites = fetched_fronts(topic, NOON + 2 * DAY)
    look(topic, {**web, POST: item("young")}, NOON + 3 * DAY, [SEED, POST])

    assert hearing == [FRONT]
    assert sites == []
    assert fetched_fronts(topic, NOON + 3 * DAY) == [FRONT]


def test_a_site_that_gave_stuffed_pages_is_no_source(topic: Crawl) -> None:
    pages = ["http://young.test/1", "http://young.test/2"]
    words = "solar cells and solar panels of solar cells, " * 30
    web = {**PAGES, FRONT: EMPTY, **{url: f"<title>Cells</title><p>{words} {url}" for url in pages}}
    look(topic, web, NOON + DAY, [SEED, FRONT, *pages])
    stuffed = topic.harvests.filter(url__url__in=pages)

    assert all(page.kept and page.trust < LEAST_TRUST for page in stuffed)
    assert fetched_fronts(topic, NOON + DAY) == []

    stuffed.update(trust=1.0)
    assert fetched_fronts(topic, NOON + DAY) == [FRONT]


def test_who_was_looked_at_before_tells_that_a_waiting_page_is_new(topic: Crawl) -> None:
    """A page found by a first visit waits as if it were old, until a source lists it."""
    other, now = "http://other.test/", NOON + 2 * DAY
    look(topic, {**PAGES, FRONT: EMPTY}, NOON + DAY, [SEED, FRONT])
    look(topic, {**PAGES, other: EMPTY.replace("Young", "Other")}, now, [SEED, other])
    late = Url.objects.create(url=POST, site=Site.objects.get(name="young.test"), first_seen=now)
    run = Run.objects.latest("started")
    front, first = (Url.objects.get(url=url) for url in (FRONT, other))

    def parent_after(parent: Url, priority: float) -> Url | None:
        enqueue_links(topic, run, [NewEntry(late.pk, parent.pk, Rating(priority))], now)
        return FrontierEntry.objects.get(crawl=topic, url=late).parent

    assert parent_after(first, 0.5) == first
    assert parent_after(front, 0.1) == first
    Page.objects.filter(url=front).update(n_fetches=2)
    assert parent_after(front, 0.1) == front
    # Who rates it better, but never looked before, does not take away that it is new.
    assert parent_after(first, 0.9) == front
    assert FrontierEntry.objects.get(crawl=topic, url=late).priority == 0.9
    Page.objects.filter(url=first).update(n_fetches=2)
    assert parent_after(first, 0.1) == front


def test_a_new_site_with_nothing_older_than_a_month_is_young(topic: Crawl) -> None:
    now, old_post = NOON + 2 * DAY, "http://aged.test/one"
    pages = {POST: item("young", NOON), old_post: item("aged", NOON - 40 * DAY)}
    look(topic, {**PAGES, **pages}, NOON + DAY, [SEED, *pages])

    assert of_young_sites(topic, [SEED, POST, old_post], now) == {POST}
    assert of_young_sites(topic, [POST], now + 40 * DAY) == set()


def test_a_site_whose_feed_lists_an_old_entry_is_not_young(topic: Crawl) -> None:
    look(topic, {**PAGES, FRONT: WITH_FEED}, NOON + DAY, [SEED, FRONT])
    before = of_young_sites(topic, [FEED], NOON + DAY)
    FrontierEntry.objects.filter(url__url=FRONT).update(listed=NOON - 40 * DAY)

    assert before == {FEED}
    assert of_young_sites(topic, [FEED], NOON + DAY) == set()
