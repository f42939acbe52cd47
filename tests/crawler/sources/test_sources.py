"""What sources bring to a run, from what earlier runs of the same web left behind."""

from datetime import datetime, timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.fetch.robots import RobotsRules, pack_rules
from crawler.messages import SiteState
from crawler.models import Crawl, FrontierEntry, Harvest, Run, Site, Url
from crawler.page.parsed import ParsedPage
from crawler.problems import Problem, ProblemKind
from crawler.revisit.rate import FEED as FEED_RATE
from crawler.sources import registry
from crawler.sources.base import Inquiry
from crawler.sources.feeds import KnownFeeds, note_feeds
from crawler.sources.pasted import PastedUrls
from crawler.sources.sitemaps import KnownSitemaps
from crawler.sources.stored_graph import BackLinks, StoredHubs
from crawler.store.frontier.politeness import keep_rules
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.web import NOON, PAGES, PROFILE, SETTINGS, PaperWeb

FEED = "http://solar.test/feed.xml"
_HEAD = '<link rel="alternate" type="application/rss+xml" href="{}">'
WEB = {
    **PAGES,
    "http://solar.test/cells": _HEAD.format("/feed.xml") + PAGES["http://solar.test/cells"],
    "http://kitchen.test/soup": _HEAD.format("/feed.xml") + PAGES["http://kitchen.test/soup"],
    FEED: """<rss><channel><title>Solar news</title>
        <item><title>Solar cells get cheaper</title><link>/cheaper</link></item></channel></rss>""",
    "http://solar.test/cheaper": """<title>Cheaper solar cells</title>
        <p>A solar cell costs half of what it did. Solar panels follow.</p>""",
}


def crawled(key: str = "solar") -> Crawl:
    """A topic whose first run over the web is done."""
    topic = Crawl(key=key, first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    run = Run.objects.create(crawl=topic, started=NOON, n_pages=50)
    crawl_all(DatabaseBlackboard(run), PaperWeb(WEB))
    return topic


@pytest.fixture
def topic(db: None) -> Crawl:
    return crawled()


def inquiry(topic: Crawl, now: datetime = NOON) -> Inquiry:
    """No source here makes a request, so the door stays shut."""
    return Inquiry(
        topic.profile, Door(FetchConfig(build_user_agent("http://us.test/"))), topic.pk, now
    )


def test_pasted_seeds_come_as_they_are(topic: Crawl) -> None:
    assert PastedUrls().find(inquiry(topic)).urls == PROFILE.seeds


def test_feeds_of_kept_pages_are_known_and_no_others(topic: Crawl) -> None:
    assert KnownFeeds().find(inquiry(topic)).urls == (FEED,)


def test_a_feed_is_followed_and_never_kept(topic: Crawl) -> None:
    run = Run.objects.create(crawl=topic, started=NOON, n_pages=50)
    board = DatabaseBlackboard(run)
    web = PaperWeb(WEB)

    manager.start(board, KnownFeeds().find(inquiry(topic)).urls, NOON)
    crawl_all(board, web)

    assert FEED in web.requested
    assert Harvest.objects.get(crawl=topic, url__url="http://solar.test/cheaper").kept
    assert not Harvest.objects.get(crawl=topic, url__url=FEED).kept


def look_at_feeds(topic: Crawl, web: PaperWeb, now: datetime) -> None:
    """A later run, from the feeds alone."""
    Run.objects.update(ended=now, stop_reason="budget")
    board = DatabaseBlackboard(Run.objects.create(crawl=topic, started=now, n_pages=50))
    manager.start(board, KnownFeeds().find(inquiry(topic, now)).urls, now)
    crawl_all(board, web, now=now)


def test_a_feeds_rate_is_learnt_from_the_kept_pages_it_led_to(topic: Crawl) -> None:
    first, second, third = (NOON + timedelta(days=days) for days in (1, 3, 5))
    look_at_feeds(topic, PaperWeb(WEB), first)
    item = "<item><title>Solar panels on boats</title><link>/boats</link></item>"
    boats = "<title>Solar panels on boats</title><p>Solar cells drive boats. A solar cell floats."
    more = {FEED: WEB[FEED].replace("<item>", f"{item}<item>"), "http://solar.test/boats": boats}
    look_at_feeds(topic, PaperWeb({**WEB, **more}), second)
    KnownFeeds().find(inquiry(topic, third))

    state = registry.load_sources(topic)[FEED].state
    assert Harvest.objects.get(crawl=topic, url__url="http://solar.test/boats").kept
    assert state.visited == second
    # What the first look found had piled up; the second found one item after two days.
    assert state.rate == FEED_RATE.after(2.0, 1)


def test_a_feed_that_fails_is_reported_rests_and_may_come_back(topic: Crawl) -> None:
    broken = PaperWeb({url: page for url, page in WEB.items() if url != FEED})
    look_at_feeds(topic, broken, NOON + timedelta(days=1))

    soon = KnownFeeds().find(inquiry(topic, NOON + timedelta(days=1, minutes=30)))
    later = KnownFeeds().find(inquiry(topic, NOON + timedelta(days=2)))

    look_at_feeds(topic, PaperWeb(WEB), NOON + timedelta(days=2, hours=1))
    KnownFeeds().find(inquiry(topic, NOON + timedelta(days=3)))

    assert soon.urls == ()
    since = NOON + timedelta(days=1)
    assert soon.problems == (Problem(ProblemKind.FEED_FAILS, FEED, times=1, since=since),)
    assert later.urls == (FEED,)
    assert registry.load_sources(topic)[FEED].state.failing_since is None


def test_a_run_looks_at_a_bounded_number_of_feeds(topic: Crawl) -> None:
    pages = [ParsedPage("http://x.test/", feeds=[f"http://site{n}.test/feed"]) for n in range(600)]
    note_feeds(topic, pages, NOON)

    assert len(registry.load_sources(topic)) == 500
    assert len(KnownFeeds().find(inquiry(topic)).urls) == registry.per_run(SETTINGS.n_pages)


@pytest.mark.parametrize(("n_pages", "expected"), [(1, 10), (20, 10), (100, 50), (10_000, 60)])
def test_visits_of_sources_leave_half_of_a_run_to_pages(n_pages: int, expected: int) -> None:
    assert registry.per_run(n_pages) == expected


def test_sitemaps_come_from_sites_that_gave_pages(topic: Crawl) -> None:
    robots = "Sitemap: http://{0}/map.xml\nSitemap: http://{0}/news.xml"
    for site in Site.objects.all():
        rules = RobotsRules(pack_rules(robots.format(site.name)))
        keep_rules(SiteState(site.name, 0.0, NOON, robots_until=NOON), rules)
    kept = {h.url.site.name for h in Harvest.objects.filter(crawl=topic, kept=True)}
    few = KnownSitemaps().find(inquiry(topic)).urls
    for number in range(3):
        url = Url.objects.create(
            url=f"http://solar.test/x{number}",
            site=Site.objects.get(name="solar.test"),
            first_seen=NOON,
        )
        Harvest.objects.create(crawl=topic, url=url, kept=True, first_seen=NOON)

    assert "solar.test" in kept
    assert few == ()
    assert KnownSitemaps().find(inquiry(topic)).urls == (
        "http://solar.test/news.xml",
        "http://solar.test/map.xml",
    )


def test_hubs_link_to_several_kept_pages_on_several_sites(topic: Crawl) -> None:
    before = StoredHubs().find(inquiry(topic)).urls
    Harvest.objects.filter(crawl=topic).update(kept=True)
    for url in Url.objects.exclude(harvests__crawl=topic):
        Harvest.objects.create(crawl=topic, url=url, kept=True, first_seen=NOON)

    assert before == ()
    assert StoredHubs().find(inquiry(topic)).urls == ("http://hub.test/",)


def test_back_links_are_pages_of_other_crawls_that_this_one_never_saw(topic: Crawl) -> None:
    other = crawled("other")
    seen = BackLinks().find(inquiry(topic)).urls
    FrontierEntry.objects.filter(crawl=topic, url__url="http://kitchen.test/soup").delete()

    assert other.pk != topic.pk
    assert seen == ()
    assert BackLinks().find(inquiry(topic)).urls == ("http://kitchen.test/soup",)
