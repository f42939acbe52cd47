"""What sources bring to a run, from what earlier runs of the same web left behind."""

from datetime import timedelta

import pytest

from crawler.agents import manager
from crawler.agents.database import DatabaseBlackboard
from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.models import Crawl, FrontierEntry, Harvest, Run, Site, Url
from crawler.page.parsed import ParsedPage
from crawler.sources.base import Errand
from crawler.sources.feeds import KnownFeeds, note_feeds
from crawler.sources.pasted import PastedUrls
from crawler.sources.sitemaps import KnownSitemaps
from crawler.sources.stored_graph import BackLinks, StoredHubs
from tests.crawler.agents.test_crawl_loop import crawl as crawl_all
from tests.crawler.agents.web import NOON, PAGES, PROFILE, SETTINGS, PaperWeb

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


def errand(topic: Crawl) -> Errand:
    """No source here asks anybody, so the door stays shut."""
    return Errand(topic.profile, Door(FetchConfig(build_user_agent("http://us.test/"))), topic.pk)


def test_pasted_seeds_come_as_they_are(topic: Crawl) -> None:
    assert PastedUrls().find(errand(topic)).urls == PROFILE.seeds


def test_feeds_of_kept_pages_are_known_and_no_others(topic: Crawl) -> None:
    assert KnownFeeds().find(errand(topic)).urls == (FEED,)


def test_a_feed_is_followed_and_never_kept(topic: Crawl) -> None:
    run = Run.objects.create(crawl=topic, started=NOON, n_pages=50)
    board = DatabaseBlackboard(run)
    web = PaperWeb(WEB)

    manager.start(board, KnownFeeds().find(errand(topic)).urls, NOON)
    crawl_all(board, web)

    assert FEED in web.asked
    assert Harvest.objects.get(crawl=topic, url__url="http://solar.test/cheaper").kept
    assert not Harvest.objects.get(crawl=topic, url__url=FEED).kept


def test_the_feed_asked_longest_ago_has_its_turn_first(topic: Crawl) -> None:
    names = [f"http://site{n}.test/feed" for n in range(50)]
    note_feeds(topic, [ParsedPage(f"http://site{n}.test/", feeds=[names[n]]) for n in range(50)])
    url = Url.objects.get(url="http://solar.test/cells")
    url.url = FEED
    url.save()
    FrontierEntry.objects.filter(url=url).update(ended=NOON + timedelta(days=1))

    found = KnownFeeds().find(errand(topic)).urls

    assert found == tuple(names[:40])


def test_sitemaps_come_from_sites_that_gave_pages(topic: Crawl) -> None:
    robots = "Sitemap: http://{0}/map.xml\nSitemap: http://{0}/news.xml"
    for site in Site.objects.all():
        site.robots = robots.format(site.name)
        site.save()
    kept = {h.url.site.name for h in Harvest.objects.filter(crawl=topic, kept=True)}
    few = KnownSitemaps().find(errand(topic)).urls
    for number in range(3):
        url = Url.objects.create(
            url=f"http://solar.test/x{number}",
            site=Site.objects.get(name="solar.test"),
            first_seen=NOON,
        )
        Harvest.objects.create(crawl=topic, url=url, kept=True, first_seen=NOON)

    assert "solar.test" in kept
    assert few == ()
    assert KnownSitemaps().find(errand(topic)).urls == (
        "http://solar.test/news.xml",
        "http://solar.test/map.xml",
    )


def test_hubs_link_to_several_kept_pages_on_several_sites(topic: Crawl) -> None:
    before = StoredHubs().find(errand(topic)).urls
    Harvest.objects.filter(crawl=topic).update(kept=True)
    for url in Url.objects.exclude(harvests__crawl=topic):
        Harvest.objects.create(crawl=topic, url=url, kept=True, first_seen=NOON)

    assert before == ()
    assert StoredHubs().find(errand(topic)).urls == ("http://hub.test/",)


def test_back_links_are_pages_of_other_crawls_that_this_one_never_saw(topic: Crawl) -> None:
    other = crawled("other")
    seen = BackLinks().find(errand(topic)).urls
    FrontierEntry.objects.filter(crawl=topic, url__url="http://kitchen.test/soup").delete()

    assert other.pk != topic.pk
    assert seen == ()
    assert BackLinks().find(errand(topic)).urls == ("http://kitchen.test/soup",)
