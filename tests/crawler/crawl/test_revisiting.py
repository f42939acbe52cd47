"""Runs after the first: feeds are visited, and unchanged pages are not sent again."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models import F
from pytest_django import Settings

from crawler.checks import invariants
from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run
from crawler.reasons import Reason, StopReason
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.hostile_web import finish
from tests.crawler.web import PROFILE, SETTINGS

pytestmark = pytest.mark.django_db(transaction=True)

SEED, FEED = "http://solar.test/cells", "http://solar.test/feed"
PAGE = b"""<title>Solar cells</title><link rel="alternate" type="application/atom+xml" href="/feed">
<p>A solar cell turns sunlight into electricity. Solar panels hold many cells.</p>"""
ENTRY = '<entry><title>Solar cell {0}</title><link href="/{0}"/></entry>'
ITEM = b"<title>A new solar cell</title><p>This solar cell is new. Solar cells get better.</p>"


class Site:
    """A site with validators: an ETag on its page, Last-Modified on its feed."""

    def __init__(self) -> None:
        self.items = ["one"]
        self.requested: list[Request] = []

    def answer(self, request: Request) -> Response:
        """Answer 304 whenever the condition holds."""
        if request.target == "/robots.txt":
            return Response(404)
        self.requested.append(request)
        if request.target == "/feed":
            stamp = f"Sat, 21 Nov 2026 10:00:{len(self.items):02} GMT"
            if request.headers.get("if-modified-since") == stamp:
                return Response(304)
            body = f"<feed>{''.join(map(ENTRY.format, self.items))}</feed>".encode()
            return Response(200, body, "application/atom+xml", headers={"Last-Modified": stamp})
        body = PAGE if request.target == "/cells" else ITEM
        tag = f'"{len(body)}"'
        if request.headers.get("if-none-match") == tag:
            return Response(304)
        return Response(200, body, "text/html", headers={"ETag": tag})


@pytest.fixture
def site(settings: Settings) -> Iterator[Site]:
    settings.MAPPED_SITE_DELAY_S = 0.0
    site = Site()
    with LoopbackServer(site.answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        yield site


def topic(key: str) -> Crawl:
    crawl = Crawl(key=key, first_seen=utc_now())
    crawl.describe(replace(PROFILE, seeds=(SEED,)), SETTINGS)
    crawl.save()
    return crawl


def run_of(crawl: Crawl, n_pages: int = 50) -> Run:
    """One run to its end, a day after the one before."""
    FrontierEntry.objects.update(ended=F("ended") - timedelta(days=1))
    run = Run.objects.create(crawl=crawl, started=utc_now(), n_pages=n_pages)
    return finish(run)


def test_later_runs_ask_for_what_is_new_and_get_304_for_the_rest(site: Site) -> None:
    crawl = topic("solar")
    run_of(crawl)
    fetched = Page.objects.get(url__url=SEED).fetched
    run_of(crawl)
    site.requested.clear()

    third = run_of(crawl)

    assert sorted(request.target for request in site.requested) == ["/cells", "/feed"]
    assert third.reasons == {Reason.UNCHANGED: 2}
    assert (third.fetched, third.kept, third.failed) == (2, 0, 0)
    page = Page.objects.get(url__url=SEED)
    assert page.fetched > fetched
    assert page.n_fetches == 3
    assert Harvest.objects.get(url__url=SEED).kept
    assert not list(invariants.frontier_breaches(utc_now()))
    assert not list(invariants.silent_ends())


def test_a_new_entry_of_a_feed_is_found_with_one_request_besides_its_own(site: Site) -> None:
    crawl = topic("solar")
    for _ in range(2):
        run_of(crawl)
    site.items.insert(0, "two")
    site.requested.clear()

    run_of(crawl)

    assert sorted(request.target for request in site.requested) == ["/cells", "/feed", "/two"]
    assert Harvest.objects.get(url__url="http://solar.test/two").kept
    assert not Harvest.objects.get(url__url=FEED).kept


def test_a_page_that_has_not_changed_costs_nothing_of_the_budget(site: Site) -> None:
    crawl = topic("solar")
    for _ in range(2):
        run_of(crawl)
    site.items[:0] = ["two", "three"]

    third = run_of(crawl, n_pages=2)

    assert third.reasons == {Reason.UNCHANGED: 1, Reason.FETCHED: 2}
    assert (third.fetched, third.n_judged, third.stop_reason) == (3, 2, StopReason.BUDGET)


def test_a_page_is_asked_for_in_full_by_a_topic_that_never_judged_it(site: Site) -> None:
    run_of(topic("solar"))

    second = run_of(topic("panels"))

    assert second.reasons == {Reason.FETCHED: 1}
    assert Harvest.objects.get(url__url=SEED, crawl__key="panels").kept


class DuplicateIndex:
    """Forty pages that never change: half with an ETag, half with Last-Modified."""

    STAMP = "Sat, 21 Nov 2026 10:00:00 GMT"

    def __init__(self) -> None:
        self.answered: list[int] = []

    def answer(self, request: Request) -> Response:
        if not request.target.endswith("-cells"):
            return Response(404)
        sent = request.headers
        is_old = "if-none-match" in sent or sent.get("if-modified-since") == self.STAMP
        self.answered.append(304 if is_old else 200)
        if is_old:
            return Response(304)
        number = int(request.target.strip("/").partition("-")[0])
        header = {"ETag": f'"{number}"'} if number % 2 else {"Last-Modified": self.STAMP}
        return Response(
            200, PAGE + f"<p>Page {number} of many.</p>".encode(), "text/html", headers=header
        )


def test_each_look_at_an_unchanged_page_costs_a_304(settings: Settings) -> None:
    settings.MAPPED_SITE_DELAY_S = 0.0
    shelf = DuplicateIndex()
    with LoopbackServer(shelf.answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        crawl = Crawl(key="shelf", first_seen=utc_now())
        seeds = tuple(f"http://s{number}.test/{number}-cells" for number in range(40))
        crawl.describe(replace(PROFILE, seeds=seeds), SETTINGS)
        crawl.save()
        run_of(crawl)
        shelf.answered.clear()
        run_of(crawl)

    assert shelf.answered == [304] * 40
