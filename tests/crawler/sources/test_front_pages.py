"""The front page of a site without a feed is visited again, and brings what is new there."""

from dataclasses import replace
from datetime import timedelta

import pytest

from crawler.models import Crawl, FrontierEntry, Site, Url
from crawler.reasons import Reason
from crawler.revisit.sources import MAX_FAILURES, SourceState
from crawler.sources import registry
from crawler.sources.front_pages import front_pages
from crawler.sources.registry import KnownSource
from crawler.sources.stored_graph import StoredHubs
from tests.crawler.sources.test_registry import inquiry
from tests.crawler.store.test_baseline import item, look, news
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS

DAY = timedelta(days=1)
BLOG, ITEMS = "https://blog.test/", ("https://blog.test/one", "https://blog.test/two")
FEED = "https://blog.test/feed.xml"


def words(name: str) -> str:
    """A page on topic that is not a copy of another."""
    return item(" ".join(f"{name}{number}" for number in range(9)))


WEB = {
    **PAGES,
    SEED: PAGES[SEED] + "".join(f'<a href="{url}">solar cells {url}</a>' for url in ITEMS),
    **{url: words(url.rpartition("/")[2]) for url in ITEMS},
    BLOG: "<title>Ann</title><p>Boats, soup and sunlight.</p>",
}


@pytest.fixture
def topic(db: None) -> Crawl:
    """After a first run that kept two pages of a blog, and never saw its front page."""
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    look(topic, WEB, NOON)
    assert not topic.frontier.filter(url__url=BLOG).exists()
    return topic


def test_what_a_blog_without_a_feed_publishes_is_found_by_its_front_page(topic: Crawl) -> None:
    for days in (1, 2):
        found = StoredHubs().find(inquiry(topic, NOON + days * DAY)).urls
        web = dict(WEB)
        if days == 2:
            web[BLOG] += '<a href="/three">solar cells on a boat</a>'
            web["https://blog.test/three"] = words("three")
        # A visit is counted if it came after the source was registered.
        look(topic, web, NOON + days * DAY + timedelta(hours=1), [SEED, *found])

    assert BLOG in found
    assert news(topic, NOON + 2 * DAY + timedelta(hours=1)) == {"https://blog.test/three"}
    learnt = registry.caught_up(topic)[BLOG].state
    assert learnt.rate == registry.RATES[registry.HUBS].after(1.0, 1)


def test_one_kept_page_is_not_enough(topic: Crawl) -> None:
    topic.harvests.filter(url__url=ITEMS[0]).update(kept=False)

    assert BLOG not in front_pages(topic, NOON + DAY)


def test_stuffed_pages_make_no_front_page_a_source(topic: Crawl) -> None:
    assert BLOG in front_pages(topic, NOON + DAY)
    topic.harvests.filter(url__url=ITEMS[0]).update(trust=0.2)

    assert BLOG not in front_pages(topic, NOON + DAY)


def test_a_site_that_is_stopped_or_blocked_is_left_alone(topic: Crawl) -> None:
    before = front_pages(topic, NOON + DAY)
    Site.objects.filter(name="blog.test").update(stopped=True)
    stopped = front_pages(topic, NOON + DAY)
    Site.objects.filter(name="blog.test").update(stopped=False)
    topic.describe(PROFILE, replace(SETTINGS, site_rules={"blog.test": "block"}))

    assert BLOG in before
    assert BLOG not in stopped
    assert BLOG not in front_pages(topic, NOON + DAY)


def test_a_feed_that_answers_makes_looks_at_the_front_page_needless(topic: Crawl) -> None:
    registry.note(topic, registry.FEEDS, [FEED], NOON)
    fed = front_pages(topic, NOON + DAY)
    dead = SourceState(NOON, failures=MAX_FAILURES, failing_since=NOON, failed=NOON)
    registry.save_sources(topic, {FEED: KnownSource(registry.FEEDS, dead)})

    assert BLOG not in fed
    assert BLOG in front_pages(topic, NOON + DAY)


@pytest.mark.parametrize(
    ("end", "expected"),
    [("https://www.blog.test/en/", "https://www.blog.test/en/"), ("https://parked.test/", BLOG)],
)
def test_where_a_front_page_leads_on_its_own_domain_is_looked_at_instead(
    topic: Crawl, end: str, expected: str
) -> None:
    look(topic, WEB, NOON + DAY, [BLOG])
    redirect(topic, BLOG, end)

    found = front_pages(topic, NOON + 2 * DAY)
    assert expected in found
    assert len({end, BLOG} & {*found}) == 1


def test_a_front_page_is_followed_through_several_redirects(topic: Crawl) -> None:
    middle, last = "https://www.blog.test/", "https://www.blog.test/en/"
    look(topic, {**WEB, middle: WEB[BLOG]}, NOON + DAY, [BLOG, middle])
    for url, end in ((BLOG, middle), (middle, last)):
        redirect(topic, url, end)

    found = front_pages(topic, NOON + 2 * DAY)

    assert {*found} & {BLOG, middle, last} == {last}


def test_a_redirect_to_a_long_address_is_followed(topic: Crawl) -> None:
    look(topic, WEB, NOON + DAY, [BLOG])
    end = f"{BLOG}{'a' * 300}"
    redirect(topic, BLOG, end)

    assert {*front_pages(topic, NOON + 2 * DAY)} & {BLOG, end} == {end}


def redirect(crawl: Crawl, url: str, end: str) -> None:
    """Note that an address answered with a redirect."""
    row = Url.objects.get(url=url)
    target, _ = Url.objects.get_or_create(url=end, defaults={"site": row.site, "first_seen": NOON})
    entry = FrontierEntry.objects.filter(crawl=crawl, url=row)
    assert entry.update(reason=Reason.REDIRECTED, redirects_to=target) == 1
