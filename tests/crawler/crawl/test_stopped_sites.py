"""Sites that want us gone, or have given what they give in a day: rows T9 and T10."""

from collections import deque
from dataclasses import replace
from datetime import timedelta
from random import Random
from time import monotonic

import pytest
from django.db import connection
from pytest_django import Settings

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.site_queue import LONG_RULES, SiteQueue
from crawler.fetch.robots import parse_robots
from crawler.messages import SiteState
from crawler.models import FrontierEntry, Harvest, IndexOutbox, Link, Page, Run, Site, SiteRobots
from crawler.models.frontier import is_copy
from crawler.models.web import EPOCH
from crawler.reasons import Reason, StopReason
from crawler.store import removal
from crawler.store.frontier.politeness import find_rules, keep_rules, let_go
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import Request, Response
from tests.crawler.hostile_web import (
    MISSING,
    TEXT,
    HostileWeb,
    crawl,
    ends,
    finish,
    kept,
    links,
    new_run,
    page,
)
from tests.crawler.web import NOON

pytestmark = pytest.mark.django_db(transaction=True)


def test_t9_robots_that_change_in_mid_crawl_are_obeyed(web: HostileWeb) -> None:
    pages = {"/": page("Solar", links("/a", "/b")), "/a": page("Solar a"), "/b": page("Solar b")}
    web.serve("a.test", pages)
    crawl("http://a.test/", n_pages=1)
    assert web.requested("a.test") == ["/"]
    web.serve("a.test", pages, robots="User-agent: *\nDisallow: /")
    Site.objects.update(robots_until=EPOCH)  # as after a day

    crawl("http://a.test/")

    assert web.requested("a.test") == ["/"]
    assert ends()["http://a.test/a"] == ends()["http://a.test/b"] == Reason.ROBOTS_FORBIDDEN
    assert kept() == {"http://a.test/"}, "what was fetched while it was allowed stays"


@pytest.mark.parametrize(
    ("later", "delay_s"),
    [
        (Response(200, b"User-agent: *\nCrawl-delay: 0.01"), 0.01),
        (Response(200, b"User-agent: *\nDisallow: /x"), 0.0),
        (MISSING, 0.0),
        (Response(503), 0.1),
    ],
)
def test_t9_a_delay_that_robots_no_longer_request_is_over(
    web: HostileWeb, later: Response, delay_s: float
) -> None:
    pages = {"/": page("Solar", links("/a")), "/a": page("Solar a")}
    web.serve("a.test", pages, robots="User-agent: *\nCrawl-delay: 0.1")
    crawl("http://a.test/", n_pages=1)
    assert Site.objects.get().delay_s == 0.1
    web.serve("a.test", pages | {"/robots.txt": later})
    Site.objects.update(robots_until=EPOCH)  # as after a day

    crawl("http://a.test/")

    assert Site.objects.get().delay_s == delay_s


def test_t9_long_robots_are_obeyed_though_no_assignment_holds_them(web: HostileWeb) -> None:
    targets = [f"/{name}" for name in "abcdef"]
    pages = {"/": page("Solar", links(*targets))} | {to: page(f"Solar {to}") for to in targets}
    rng = Random(1)
    long = "".join(f"Disallow: /x{rng.getrandbits(64):x}\n" for _ in range(10_000))
    web.serve("a.test", pages, robots=f"User-agent: *\n{long}Disallow: /b\n")

    crawl("http://a.test/")

    assert len(SiteRobots.objects.get(site__name="a.test").packed) > LONG_RULES
    assert {"/", "/a", "/f"} <= {*web.requested("a.test")}
    assert "/b" not in web.requested("a.test")
    assert web.requests.count("a.test/robots.txt") == 1
    assert ends()["http://a.test/b"] == Reason.ROBOTS_FORBIDDEN


def test_an_assignment_holds_no_long_rules_between_two_turns() -> None:
    rules = parse_robots(b"User-agent: *\nDisallow: /a")
    queue = SiteQueue(SiteState("a.test", 0.0, EPOCH), deque(), 0.0, rules)

    queue.forget_long_rules()
    assert queue.rules is rules

    queue.rules = replace(rules, packed=bytes(LONG_RULES + 1))
    queue.forget_long_rules()
    assert queue.rules is None


def test_rules_of_a_site_that_was_removed_meanwhile_are_not_stored() -> None:
    state = SiteState("a.test", 0.0, EPOCH, robots_until=utc_now())

    keep_rules(state, parse_robots(b"User-agent: *\nDisallow: /a"))

    assert not SiteRobots.objects.exists()
    assert not find_rules("a.test").allows("http://a.test/")


def test_rules_are_stored_with_the_pause_they_ask_for() -> None:
    """A collector that dies after reading them gives nothing else back."""
    Site.objects.create(name="a.test", domain="a.test", first_seen=EPOCH)
    until = utc_now()

    keep_rules(
        SiteState("a.test", 3.0, EPOCH, robots_until=until),
        parse_robots(b"User-agent: *\nCrawl-delay: 3\nDisallow: /a"),
    )

    site = Site.objects.get()
    assert (site.delay_s, site.robots_until, site.robots_verdict) == (3.0, until, "rules")
    assert not find_rules("a.test").allows("http://a.test/a")


def test_t10_a_removed_site_leaves_nothing_and_is_never_asked_again(web: HostileWeb) -> None:
    web.serve("a.test", {"/": page("Solar", TEXT + links("http://b.test/", "/more"))})
    web.serve("b.test", {"/": page("Solar panels", TEXT * 2 + links("http://a.test/new"))})
    crawl("http://a.test/", "http://b.test/")
    site = Site.objects.get(name="a.test")
    page_id = Page.objects.get(url__url="http://a.test/").pk
    IndexOutbox.objects.all().delete()
    n_requested = len(web.requested("a.test"))

    removal.remove_site(site, utc_now())

    assert removal.remains(site) == []
    assert list(IndexOutbox.objects.values_list("page_id", flat=True)) == [page_id]
    assert not Link.objects.filter(source__site=site).exists()
    assert "a.test" not in str(list(Harvest.objects.values_list("explanation", flat=True)))
    FrontierEntry.objects.update(ended=utc_now() - timedelta(days=1))
    run = crawl("http://a.test/", "http://b.test/")
    assert len(web.requested("a.test")) == n_requested
    assert run.crawl.frontier.get(url__url="http://a.test/").reason == Reason.SITE_STOPPED


def test_t10_a_site_removed_while_it_is_crawled_breaks_nothing(web: HostileWeb) -> None:
    pages = {"/": page("Solar", links(*(f"/x{word}" for word in "abcdefgh")))}
    pages |= {f"/x{word}": page(f"Solar {word}", TEXT + word * 50) for word in "abcdefgh"}

    def answer(request: Request) -> Response:
        if request.target == "/xc":
            removal.remove_site(Site.objects.get(name="a.test"), utc_now())
            connection.close()  # the one of this thread
        return pages.get(request.target, MISSING)

    web.sites["a.test"] = answer
    web.serve("b.test", {"/": page("Solar panels", TEXT * 2)})

    run = crawl("http://a.test/", "http://b.test/")

    assert run.ended is not None
    assert removal.remains(Site.objects.get(name="a.test")) == []
    assert kept() == {"http://b.test/"}


def test_a_stopped_site_is_left_alone_from_the_next_request_on(
    web: HostileWeb, settings: Settings
) -> None:
    settings.MAPPED_SITE_DELAY_S = 0.6  # a stop is looked for twice a second
    pages = {"/": page("Solar", links(*(f"/x{word}" for word in "abcdefgh")))}
    pages |= {f"/x{word}": page(f"Solar {word}", TEXT + word * 50) for word in "abcdefgh"}
    run = new_run("http://a.test/")

    def answer(request: Request) -> Response:
        if request.target == "/xb":
            removal.stop_site(Site.objects.get(name="a.test"), utc_now())
            connection.close()  # the one of this thread
        return pages.get(request.target, MISSING)

    web.sites["a.test"] = answer

    finish(run)

    after = web.requested("a.test")[web.requested("a.test").index("/xb") + 1 :]
    assert after == []
    assert set(ends().values()) == {Reason.FETCHED, Reason.SITE_STOPPED}


def test_a_site_allowed_again_goes_on_where_it_stopped(web: HostileWeb) -> None:
    web.serve("a.test", {"/": page("Solar", links("/more")), "/more": page("Solar more")})
    crawl("http://a.test/", n_pages=1)
    site = Site.objects.get()
    assert removal.stop_site(site, utc_now()) == 1

    assert removal.allow_site(site) == 1

    crawl("http://a.test/")
    assert web.requested("a.test") == ["/", "/more"]


@pytest.mark.parametrize("what", ["spend", "stop", "allow"])
def test_a_page_that_is_set_aside_stays_a_copy_or_none(run: Run, what: str) -> None:
    article, copy = "http://a.test/1", "http://a.test/2"
    manager.start(DatabaseBlackboard(run), [article, copy], NOON)
    entries = FrontierEntry.objects.filter(url__site__name="a.test")
    entries.filter(url__url=article).update(reason=Reason.FETCHED, stale=True)
    entries.filter(url__url=copy).update(reason=Reason.DUPLICATE)
    site = Site.objects.get()

    if what == "spend":
        let_go([SiteState("a.test", 0.0, NOON, pages_left=0)], "", NOON)
    else:
        removal.stop_site(site, NOON)
    if what == "allow":
        removal.allow_site(site)

    expected = {"spend": Reason.SITE_BUDGET, "stop": Reason.SITE_STOPPED, "allow": ""}[what]
    assert set(entries.values_list("reason", flat=True)) == {expected}
    assert list(entries.copies().values_list("url__url", flat=True)) == [copy]


@pytest.mark.parametrize("stale", [False, True])
def test_the_tables_and_is_copy_agree_on_every_reason(run: Run, stale: bool) -> None:
    manager.start(DatabaseBlackboard(run), ["http://a.test/1"], NOON)
    entry = FrontierEntry.objects.all()

    for reason in ("", *Reason):
        entry.update(reason=reason, stale=stale)
        assert entry.copies().exists() is is_copy(reason, stale)


def test_a_sites_day_has_its_budget_of_pages(web: HostileWeb, settings: Settings) -> None:
    settings.SITE_PAGES_PER_DAY = 3
    names = "abcdefgh"
    pages = {"/": page("Solar", links(*(f"/x{word}" for word in names)))}
    pages |= {f"/x{word}": page(f"Solar {word}", TEXT + word * 50) for word in names}
    web.serve("a.test", pages)

    run = crawl("http://a.test/")

    assert run.fetched == 3
    waiting = FrontierEntry.objects.filter(state="new")
    assert waiting.count() == 6
    assert set(waiting.values_list("reason", "attempts")) == {(Reason.SITE_BUDGET, 0)}
    assert all(entry.not_before > utc_now() for entry in waiting)


def test_a_sites_day_has_its_budget_of_bytes(web: HostileWeb, settings: Settings) -> None:
    settings.SITE_BYTES_PER_DAY = 100_000
    body = links("/xb", "/xc", "/xd") + TEXT * 1000
    web.serve("a.test", {"/": page("Solar", body), "/xb": page("Solar b", body + "b")})

    run = crawl("http://a.test/", n_pages=10)

    assert len(web.requested("a.test")) <= 3
    assert run.reasons[Reason.SITE_BUDGET] >= 1


def test_a_run_whose_sites_all_rest_stops_at_once(web: HostileWeb) -> None:
    web.serve("slow.test", {"/": page("Solar")}, robots="User-agent: *\nCrawl-delay: 30")
    begun = monotonic()

    run = crawl("http://slow.test/", stopping=lambda: monotonic() > begun + 2)

    assert run.stop_reason == StopReason.STOPPED
    assert web.requested("slow.test") == []
    assert monotonic() < begun + 15
