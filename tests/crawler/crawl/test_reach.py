"""Seeds that cannot be fetched are found before a topic starts."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from crawler.crawl.reach import MAX_SITES, find_unreachable
from crawler.models import Site
from crawler.reasons import Reason
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import LoopbackServer, Request, Response

pytestmark = pytest.mark.django_db

PAGE = Response(200, b"<html><body>A page")


def robots_or_page(request: Request, page: Response = PAGE) -> Response:
    """No robots.txt on any site, and one page at every other address."""
    return Response(404) if request.target == "/robots.txt" else page


def test_robots_and_seeds_of_each_site_are_tried(settings: Settings) -> None:
    tried: list[str] = []

    def answer(request: Request) -> Response:
        tried.append(f"{request.host}{request.target}")
        if request.host == "shy.test":
            return Response(200, b"User-agent: *\nDisallow: /private")
        if request.host == "down.test":
            return Response(503)
        return robots_or_page(request)

    with LoopbackServer(answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        found = find_unreachable(
            [
                *("http://fine.test/", "http://fine.test/2", "http://down.test/"),
                "http://shy.test/private",
            ]
        )

    assert found == {
        "http://down.test/": Reason.ROBOTS_UNREACHABLE,
        "http://shy.test/private": Reason.ROBOTS_FORBIDDEN,
    }
    assert sorted(tried) == [
        *("down.test/robots.txt", "fine.test/", "fine.test/2", "fine.test/robots.txt"),
        "shy.test/robots.txt",
    ]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Response(404), Reason.GONE),
        (Response(403), Reason.ACCESS_DENIED),
        (Response(500), Reason.SERVER_ERROR),
        (Response(200, b"GIF89a", "image/gif"), Reason.NOT_HTML),
        (Response(302, headers={"Location": "/robots.txt/no"}), Reason.GONE),
        (Response(302, headers={"Location": "/seed"}), Reason.TOO_MANY_REDIRECTS),
        (Response(302, headers={"Location": "http://else.test/"}), None),
        (Response(200, b"<?xml version='1.0'?><rss><channel/></rss>", "text/xml"), None),
        (PAGE, None),
    ],
)
def test_a_seed_that_is_not_a_page_is_named(
    settings: Settings, answer: Response, reason: Reason | None
) -> None:
    def site(request: Request) -> Response:
        return answer if request.target == "/seed" else Response(404)

    with LoopbackServer(site) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        found = find_unreachable(["http://one.test/seed"])

    assert found == ({"http://one.test/seed": reason} if reason else {})


def test_a_run_rests_after_the_trial_and_knows_the_rules(settings: Settings) -> None:
    settings.MAPPED_SITE_DELAY_S = 1.0
    with LoopbackServer(robots_or_page) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        began = utc_now()
        assert not find_unreachable(["http://one.test/"])

    site = Site.objects.get(name="one.test")
    # One rest between robots.txt and the page, one after it.
    assert site.next_fetch_at >= began + timedelta(seconds=2)
    assert site.robots_until > utc_now() + timedelta(hours=23)
    assert (site.held_by, site.pages_today) == ("", 1)


def test_a_site_that_is_held_stopped_or_slow_by_wish_is_left_alone(settings: Settings) -> None:
    tried: list[str] = []

    def answer(request: Request) -> Response:
        tried.append(f"{request.host}{request.target}")
        if request.host == "slow.test":
            return Response(200, b"User-agent: *\nCrawl-delay: 30")
        return robots_or_page(request, Response(404))

    now = utc_now()
    Site.objects.create(name="stopped.test", domain="stopped.test", first_seen=now, stopped=True)
    held = {"held_by": "a run", "held_until": now + timedelta(minutes=5)}
    Site.objects.create(name="held.test", domain="held.test", first_seen=now, **held)
    urls = [f"http://{name}.test/" for name in ("stopped", "held", "slow")]
    with LoopbackServer(answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        found = find_unreachable(urls)

    assert found == {"http://stopped.test/": Reason.SITE_STOPPED}
    assert sorted(tried) == ["held.test/robots.txt", "slow.test/robots.txt"]
    assert Site.objects.get(name="held.test").held_by == "a run"


def test_a_private_address_and_a_closed_port_are_named(settings: Settings) -> None:
    settings.CONTACT_URL = "https://example.org/me"
    with LoopbackServer(lambda request: Response(404)) as server:
        port = server.port
    settings.CONNECT_TO = f"closed.test=127.0.0.1:{port}"

    assert find_unreachable(["http://127.0.0.1/", "http://closed.test/"]) == {
        "http://127.0.0.1/": Reason.ADDRESS_FORBIDDEN,
        "http://closed.test/": Reason.CONNECT_FAILED,
    }


def test_only_the_first_sites_are_tried(settings: Settings) -> None:
    settings.CONTACT_URL, settings.CONNECT_TO = "https://example.org/me", ""
    urls = [f"http://127.0.0.{n}/" for n in range(1, 30)]

    assert len(find_unreachable(urls)) == MAX_SITES


def test_without_a_contact_page_the_first_sites_are_named_and_only_mapped_ones_tried(
    settings: Settings,
) -> None:
    tried: list[str] = []

    def answer(request: Request) -> Response:
        tried.append(request.host)
        return robots_or_page(request)

    urls = [f"http://site{n}.example.org/" for n in range(1, 30)]
    with LoopbackServer(answer) as server:
        settings.CONTACT_URL = ""
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        found = find_unreachable([*urls, "http://fine.test/"])

    assert found == dict.fromkeys(urls[:MAX_SITES], Reason.NO_CONTACT)
    assert tried == ["fine.test", "fine.test"]
