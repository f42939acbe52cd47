"""First looks are silent: what was there before is known and ranked, but never news."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.models import Crawl, Run, Site
from crawler.page.url import canonical_url
from crawler.store.removal import remove_site
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS, PaperWeb

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
WINDOW = 30 * DAY
TEXT = "<p>A solar cell turns sunlight into electricity. Solar panels hold solar cells. {}</p>"


def item(name: str, published: datetime | None = None, *links: str) -> str:
    """A page on topic."""
    date = (
        f'<meta property="article:published_time" content="{published.isoformat()}">'
        if published
        else ""
    )
    led = "".join(f'<a href="{link}">solar cells {link}</a>' for link in links)
    return f"<title>Solar cells {name}</title>{date}{TEXT.format(name * 9)}{led}"


def feed(*items: str) -> str:
    rows = "".join(f"<item><title>Solar {i}</title><link>{i}</link></item>" for i in items)
    return f"<rss><channel><title>Solar</title>{rows}</channel></rss>"


@pytest.fixture
def topic() -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    return topic


def look(
    topic: Crawl,
    web: dict[str, str],
    now: datetime,
    seeds: Sequence[str] = (SEED,),
    n_pages: int = 50,
) -> None:
    """A run that begins at some seeds and ends with the frontier or the budget."""
    Run.objects.filter(ended=None).update(ended=now, stop_reason="budget")
    run = Run.objects.create(crawl=topic, started=now, n_pages=n_pages)
    board = DatabaseBlackboard(run)
    manager.start(board, [canonical_url(url) for url in seeds], now)
    crawl_all(board, PaperWeb(web), now=now)
    Run.objects.filter(ended=now).update(ended=now + timedelta(minutes=5))


def news(topic: Crawl, now: datetime) -> set[str]:
    rows = topic.harvests.news(now - WINDOW, now + timedelta(minutes=10))
    return set(rows.values_list("url__url", flat=True))


def test_the_first_run_is_no_news_but_known(topic: Crawl) -> None:
    look(topic, PAGES, NOON)

    kept = topic.harvests.kept()
    assert kept.count() > 1
    assert news(topic, NOON) == set()
    assert set(topic.harvests.known(NOON - WINDOW, NOON)) == set(kept)


def test_a_page_that_a_later_look_finds_is_news_once_it_is_there(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    later = NOON + DAY
    link = '<a href="http://fresh.test/a">new solar cells</a><a href="http://old.test/b">solar</a>'
    web = {
        **PAGES,
        SEED: PAGES[SEED] + link,
        "http://fresh.test/a": item("fresh"),
        "http://old.test/b": item("old", NOON - 400 * DAY),
    }
    look(topic, web, later)

    assert news(topic, later) == {"http://fresh.test/a"}
    assert topic.harvests.filter(url__url="http://old.test/b", kept=True, baseline=False).exists()
    assert news(topic, later + 31 * DAY) == set()


def test_a_new_page_whose_link_was_deleted_with_a_site_is_news(topic: Crawl) -> None:
    look(topic, PAGES, NOON)
    fresh, blog = "http://fresh.test/a", "http://blog.test/"
    web = {
        **PAGES,
        SEED: PAGES[SEED] + f'<a href="{blog}">solar cells, a blog</a>',
        blog: item("blog", None, fresh),
        fresh: item("fresh"),
    }
    look(topic, web, NOON + DAY, n_pages=2)
    waiting = topic.frontier.get(url__url=fresh)
    assert waiting.state == "new"

    remove_site(Site.objects.get(name="blog.test"), NOON + DAY)
    look(topic, web, NOON + 2 * DAY)

    assert fresh in news(topic, NOON + 2 * DAY)


def test_links_left_over_from_the_first_run_are_no_news_later(topic: Crawl) -> None:
    look(topic, PAGES, NOON, n_pages=1)
    look(topic, PAGES, NOON + DAY)

    assert topic.harvests.kept().count() > 1
    assert news(topic, NOON + DAY) == set()


@pytest.mark.parametrize(
    ("published", "expected"),
    [(None, False), (NOON - DAY, False), (NOON + timedelta(hours=12), True)],
)
def test_the_first_look_at_a_new_feed_is_silent_but_for_what_is_younger_than_the_last_run(
    topic: Crawl, published: datetime | None, *, expected: bool
) -> None:
    rss = "http://young.test/feed.xml"
    web = {
        **PAGES,
        rss: feed("http://young.test/1"),
        "http://young.test/1": item("one", published, "http://young.test/deep"),
        "http://young.test/deep": item("deep"),
    }
    look(topic, PAGES, NOON)
    look(topic, web, NOON + DAY, [SEED, rss])
    first = news(topic, NOON + DAY)
    web |= {
        rss: feed("http://young.test/2", "http://young.test/1"),
        "http://young.test/2": item("two"),
    }
    look(topic, web, NOON + 2 * DAY, [SEED, rss])

    assert ("http://young.test/1" in first) is expected
    # What was linked from something silent is silent too; from something new it is new.
    assert ("http://young.test/deep" in first) is expected
    assert news(topic, NOON + 2 * DAY) == first | {"http://young.test/2"}


@pytest.mark.parametrize(("days_old", "expected"), [(1.5, True), (3, False), (6, False)])
def test_what_a_new_feed_dated_within_two_days_is_news_however_often_the_topic_runs(
    topic: Crawl, days_old: float, *, expected: bool
) -> None:
    rss, now = "http://young.test/feed.xml", NOON + 5 * DAY
    web = {
        **PAGES,
        rss: feed("http://young.test/1"),
        "http://young.test/1": item("one", now - days_old * DAY),
    }
    look(topic, PAGES, NOON)
    look(topic, PAGES, now - DAY / 6)

    look(topic, web, now, [SEED, rss])

    assert ("http://young.test/1" in news(topic, now)) is expected


def test_nothing_from_before_the_first_run_is_news_however_young(topic: Crawl) -> None:
    rss, now = "http://young.test/feed.xml", NOON + DAY / 6
    web = {
        **PAGES,
        rss: feed("http://young.test/1"),
        "http://young.test/1": item("one", NOON - timedelta(hours=1)),
    }
    look(topic, PAGES, NOON)

    look(topic, web, now, [SEED, rss])

    assert "http://young.test/1" not in news(topic, now)


def test_a_page_stored_before_the_topic_began_is_no_news(topic: Crawl) -> None:
    other = Crawl(key="other", first_seen=NOON - 90 * DAY)
    other.describe(PROFILE, SETTINGS)
    other.save()
    web = {**PAGES, "http://far.test/": item("far")}
    look(other, web, NOON - 90 * DAY, ["http://far.test/"])
    look(topic, PAGES, NOON)
    web[SEED] = PAGES[SEED] + '<a href="http://far.test/">solar cells</a>'
    look(topic, web, NOON + DAY)

    assert topic.harvests.get(url__url="http://far.test/").kept
    assert news(topic, NOON + DAY) == set()


def test_a_new_page_behind_a_redirect_is_as_new_as_the_link_that_leads_there(topic: Crawl) -> None:
    before = {SEED: PAGES[SEED].replace('href="/moved"', "")}
    look(topic, before, NOON)
    look(topic, {**before, **PAGES}, NOON + DAY)

    assert "http://solar.test/panels" in news(topic, NOON + DAY)
