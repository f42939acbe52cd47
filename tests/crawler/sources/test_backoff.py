"""Seeds of a site that is down: real runs leave them alone, and a person can end that."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from pytest_django import Settings

from crawler.checks import invariants
from crawler.models import Crawl, FrontierEntry, Harvest, Run
from crawler.models.web import EPOCH
from crawler.reasons import StopReason
from crawler.sources import registry
from crawler.sources.backoff import revisit_all_soon, revisit_soon
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.hostile_web import finish
from tests.crawler.store.test_baseline import item
from tests.crawler.web import PROFILE, SETTINGS

SEEDS = "http://solar.test/", "http://solar.test/list"


class Site:
    """A site that is down until it is switched on."""

    def __init__(self) -> None:
        self.up = False
        self.requested: list[str] = []

    def answer(self, request: Request) -> Response:
        if request.target == "/robots.txt":
            return Response(404)
        self.requested.append(request.target)
        if not self.up:
            return Response(503)
        if request.target == "/moved":
            return Response(301, headers={"Location": "/list"})
        return Response(200, item(request.target).encode(), "text/html")


@pytest.fixture
def site(settings: Settings) -> Iterator[Site]:
    settings.MAPPED_SITE_DELAY_S = 0.0
    site = Site()
    with LoopbackServer(site.answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        yield site


def run_of(crawl: Crawl) -> Run:
    """One run to its end, when the pause of its URLs is over but not that of its sources."""
    FrontierEntry.objects.update(not_before=EPOCH)
    run = Run.objects.create(crawl=crawl, started=utc_now(), n_pages=50)
    return finish(run)


@pytest.mark.django_db(transaction=True)
def test_seeds_that_are_down_rest_until_they_are_due_or_a_person_asks(site: Site) -> None:
    crawl = Crawl(key="solar", first_seen=utc_now() - timedelta(days=9))
    crawl.describe(replace(PROFILE, seeds=SEEDS), SETTINGS)
    crawl.save()
    failed = run_of(crawl)
    n_requested = len(site.requested)
    rested = run_of(crawl)
    n_later = len(site.requested)
    site.up = True
    assert revisit_soon(crawl, SEEDS[1], utc_now())
    looked = run_of(crawl)

    assert (failed.stop_reason, failed.problems) == (StopReason.NOTHING_REACHABLE, [])
    assert (rested.stop_reason, n_later) == (StopReason.ALL_REST, n_requested)
    assert [row["trouble"] for row in rested.problems] == ["seed_fails", "seed_fails"]
    assert (looked.fetched, site.requested[n_later:]) == (1, ["/list"])
    assert Harvest.objects.get().url.url == SEEDS[1]
    after = registry.caught_up(crawl)
    assert [after[url].state.failures for url in SEEDS] == [1, 0]
    assert not list(invariants.frontier_breaches(utc_now()))
    assert not list(invariants.silent_ends())


@pytest.mark.django_db(transaction=True)
def test_a_run_that_a_person_starts_visits_seeds_that_have_just_answered(site: Site) -> None:
    site.up = True
    crawl = Crawl(key="solar", first_seen=utc_now() - timedelta(days=9))
    crawl.describe(replace(PROFILE, seeds=SEEDS), SETTINGS)
    crawl.save()
    run_of(crawl)
    n_requested = len(site.requested)
    run_of(crawl)
    rested = site.requested[n_requested:]
    n_requested = len(site.requested)
    for _time in range(2):
        assert revisit_all_soon(crawl, utc_now()) == 2
        run_of(crawl)

    assert not set(rested) & {"/", "/list"}
    assert sorted(site.requested[n_requested:]) == ["/", "/", "/list", "/list"]
    after = registry.caught_up(crawl)
    assert [after[url].state.failures for url in SEEDS] == [0, 0]
    assert not list(invariants.frontier_breaches(utc_now()))


@pytest.mark.django_db(transaction=True)
def test_a_seed_that_redirects_to_a_page_at_rest_is_not_said_to_fail(site: Site) -> None:
    site.up = True
    crawl = Crawl(key="solar", first_seen=utc_now() - timedelta(days=9))
    crawl.describe(replace(PROFILE, seeds=("http://solar.test/moved",)), SETTINGS)
    crawl.save()
    run_of(crawl)
    # The redirect was visited a little earlier than the page behind it.
    moved = FrontierEntry.objects.filter(url__url="http://solar.test/moved")
    moved.update(ended=utc_now() - timedelta(hours=1, seconds=1))
    site.requested.clear()
    run = run_of(crawl)

    assert site.requested == ["/moved"]
    assert (run.fetched, run.failed) == (0, 0)
    assert run.stop_reason == StopReason.ALL_REST
