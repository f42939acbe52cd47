"""A source that redirects is visited at its target, in every run and not in the first alone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from pytest_django import Settings

from crawler.models import Crawl, FrontierEntry, Harvest, Page, Site, Url
from crawler.reasons import Reason
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from crawler.sources.moved import follow_moved, without_known
from crawler.sources.redirects import where_they_lead
from crawler.sources.registry import KnownSource
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.crawl.test_revisiting import run_of
from tests.crawler.store.test_baseline import feed, item
from tests.crawler.web import NOON, PROFILE, SETTINGS

SEED, OLD, NEW = "http://solar.test/", "http://solar.test/feed", "http://www.solar.test/feed.xml"


class MovedSite:
    """A site that moved to another name, with its feed, and goes on publishing there."""

    def __init__(self) -> None:
        self.reports = ["one"]
        self.requested: list[str] = []
        self.feed_is_there = self.moved = True

    def answer(self, request: Request) -> Response:
        """Every address of the old name leads to the new one."""
        host, path = request.headers["host"], request.target
        if path == "/robots.txt":
            return Response(404)
        self.requested.append(f"http://{host}{path}")
        if host == "solar.test" and self.moved:
            led = NEW if path == "/feed" else f"http://www.solar.test{path}"
            return Response(301, headers={"Location": led})
        if path == "/feed.xml" and self.feed_is_there:
            return Response(200, feed(*map("/{}".format, self.reports)).encode(), "text/xml")
        if path == "/":
            named = f'<link rel="alternate" type="application/rss+xml" href="{OLD}">'
            return Response(200, (named + item("front")).encode(), "text/html")
        if path.strip("/") in self.reports:
            return Response(200, item(f"report {path}").encode(), "text/html")
        return Response(404)


@pytest.fixture
def site(settings: Settings) -> Iterator[MovedSite]:
    settings.MAPPED_SITE_DELAY_S = 0.0
    site = MovedSite()
    with LoopbackServer(site.answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        yield site


def topic() -> Crawl:
    crawl = Crawl(key="solar", first_seen=utc_now() - timedelta(days=9))
    crawl.describe(replace(PROFILE, seeds=(SEED,)), SETTINGS)
    crawl.save()
    return crawl


@pytest.mark.django_db(transaction=True)
def test_a_feed_and_a_seed_that_redirect_are_looked_at_in_every_run(site: MovedSite) -> None:
    crawl = topic()
    for _ in range(2):
        run_of(crawl)
    site.reports.insert(0, "two")
    run_of(crawl)
    site.reports.insert(0, "three")
    site.requested.clear()
    run_of(crawl)

    assert sorted(site.requested) == sorted(
        [SEED, "http://www.solar.test/", NEW, "http://www.solar.test/three"]
    )
    kept = Harvest.objects.kept().values_list("url__url", flat=True)
    assert {"http://www.solar.test/two", "http://www.solar.test/three"} <= set(kept)
    assert list(registry.load_sources(crawl)) == [SEED, NEW]
    news = crawl.harvests.news(utc_now() - timedelta(days=9), utc_now())
    assert {one.url.url.rpartition("/")[2] for one in news} == {"two", "three"}


@pytest.mark.django_db(transaction=True)
def test_a_moved_feed_that_dies_is_seen_to_fail(site: MovedSite) -> None:
    crawl = topic()
    for _ in range(3):
        run_of(crawl)
    site.feed_is_there = False
    run_of(crawl)

    assert registry.caught_up(crawl)[NEW].state.failures == 1


@pytest.fixture
def crawl(db: None) -> Crawl:
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, SETTINGS)
    crawl.save()
    return crawl


def redirects(crawl: Crawl, *steps: tuple[str, str]) -> None:
    site = Site.objects.get_or_create(
        name="a.test", defaults={"domain": "a.test", "first_seen": NOON}
    )[0]
    made = {"site": site, "first_seen": NOON}
    for url, end in steps:
        FrontierEntry.objects.create(
            crawl=crawl,
            url=Url.objects.get_or_create(url=url, defaults=made)[0],
            state="done",
            reason=Reason.REDIRECTED,
            redirects_to=Url.objects.get_or_create(url=end, defaults=made)[0] if end else None,
            found=NOON,
            ended=NOON,
        )


# what redirects where, and where the first of them leads in the end; "" for nowhere
@pytest.mark.parametrize(
    ("steps", "end"),
    [
        ((("http://a.test/1", "http://a.test/2"),), "http://a.test/2"),
        (
            (("http://a.test/1", "https://a.test/1"), ("https://a.test/1", "https://b.test/")),
            "https://b.test/",
        ),
        ((("http://a.test/1", "http://a.test/2"), ("http://a.test/2", "http://a.test/1")), ""),
        ((("http://a.test/1", "http://a.test/1"),), ""),
        ((("http://a.test/1", "http://a.test/" + "x" * 300),), "http://a.test/" + "x" * 300),
        ((("http://a.test/1", ""),), ""),
        ((("http://a.test/other", "http://a.test/2"),), ""),
    ],
)
def test_where_a_redirect_leads(crawl: Crawl, steps: tuple[tuple[str, str], ...], end: str) -> None:
    redirects(crawl, *steps)

    assert where_they_lead(crawl, ["http://a.test/1"]).get("http://a.test/1", "") == end


def test_a_feed_that_leads_to_something_else_keeps_its_address(crawl: Crawl) -> None:
    registry.save_sources(crawl, {OLD: KnownSource(registry.FEEDS, SourceState(NOON))})
    redirects(crawl, (OLD, "http://a.test/closed"), ("http://a.test/closed", ""))

    follow_moved(crawl)

    assert list(registry.load_sources(crawl)) == [OLD]


def test_two_names_of_one_feed_become_one(crawl: Crawl) -> None:
    other = "http://solar.test/rss"
    registry.save_sources(
        crawl, {url: KnownSource(registry.FEEDS, SourceState(NOON)) for url in (OLD, other, NEW)}
    )
    redirects(crawl, (OLD, NEW), (other, NEW))
    listed(crawl, NEW)

    follow_moved(crawl)

    assert list(registry.load_sources(crawl)) == [NEW]
    assert without_known(crawl, [OLD, "http://solar.test/new"]) == ["http://solar.test/new"]


def listed(crawl: Crawl, url: str) -> None:
    """A feed that was read."""
    site = Site.objects.get_or_create(
        name="a.test", defaults={"domain": "a.test", "first_seen": NOON}
    )[0]
    number, _ = Url.objects.get_or_create(url=url, defaults={"site": site, "first_seen": NOON})
    Page.objects.create(url=number, flags="feed", first_fetched=NOON, fetched=NOON, changed=NOON)
    FrontierEntry.objects.create(
        crawl=crawl, url=number, state="done", reason=Reason.FETCHED, found=NOON, ended=NOON
    )


def test_targets_that_stood_in_the_detail_get_their_key(crawl: Crawl) -> None:
    cut = "http://a.test/" + "x" * 286
    redirects(crawl, ("http://a.test/1", "http://a.test/2"), ("http://a.test/3", cut))
    redirects(crawl, ("http://a.test/4", ""), ("http://a.test/5", ""))
    details = ["http://a.test/2", cut, "http://a.test/unknown", ""]
    for entry, detail in zip(FrontierEntry.objects.order_by("pk"), details, strict=True):
        FrontierEntry.objects.filter(pk=entry.pk).update(redirects_to=None, detail=detail)

    import_module("crawler.migrations.0022_fill_redirects_to").fill(apps, None)

    led = FrontierEntry.objects.order_by("pk").values_list("redirects_to__url", flat=True)
    assert list(led) == ["http://a.test/2", None, None, None]


@pytest.mark.django_db(transaction=True)
def test_a_page_that_redirects_no_more_leads_nowhere(site: MovedSite) -> None:
    crawl = topic()
    run_of(crawl)
    first = FrontierEntry.objects.get(url__url=SEED)
    assert first.redirects_to == Url.objects.get(url="http://www.solar.test/")
    site.moved = False
    run_of(crawl)

    assert FrontierEntry.objects.get(url__url=SEED).redirects_to is None
