"""Whatever a seed turns out to be, the run says why and goes on."""

import gzip
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django import Settings

from crawler.checks import invariants
from crawler.models import Crawl, FrontierEntry, Page, Run
from crawler.reasons import Reason, StopReason
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.hostile_web import finish
from tests.crawler.web import PROFILE, SETTINGS

pytestmark = pytest.mark.django_db(transaction=True)

CHINESE = "<title>电网调度</title><p>电网调度中心负责输电线路的安全运行，监视负荷与频率。</p>" * 5
#: Characters that gb18030 has and gb2312 has not, in a page that claims to be gb2312.
WIDE = "<meta charset=gb2312><title>㐀䶮</title><p>镕㛃 朱镕基的镕字不在国标二三一二里。</p>"


def answer(request: Request) -> Response:
    """One behaviour per path."""
    if request.target == "/robots.txt":
        return ROBOTS.get(request.host, Response(404))
    return ANSWERS[request.target]


ROBOTS = {
    "closed.test": Response(200, b"User-agent: *\nDisallow: /", "text/plain"),
    "broken.test": Response(503),
}
ANSWERS = {
    "/good": Response(200, b"<title>Solar cells</title><p>solar cells make electricity</p>"),
    "/private": Response(302, headers={"Location": "http://10.0.0.1/secret"}),
    "/round": Response(302, headers={"Location": "/round"}),
    "/onward": Response(302, headers={"Location": "/good"}),
    "/picture": Response(200, b"\x89PNG\r\n\x1a\n" + bytes(100), "image/png"),
    "/empty": Response(200, b""),
    "/big": Response(200, b"<p>solar cells " * 1_500_000),
    "/bomb": Response(200, gzip.compress(bytes(50_000_000)), headers={"Content-Encoding": "gzip"}),
    "/gbk": Response(200, CHINESE.encode("gbk"), "text/html"),
    "/big5": Response(
        200,
        "<title>電力網</title><p>電力系統的調度與運轉</p>".encode("big5") * 9,
        "text/html; charset=big5",
    ),
    "/wide": Response(200, WIDE.encode("gb18030"), "text/html"),
    "/gone": Response(404, b"no such page"),
    "/secret": Response(403),
    "/ill": Response(500),
}


@pytest.fixture
def port(settings: Settings) -> Iterator[int]:
    """The port of a server that plays every host of .test."""
    settings.MAPPED_SITE_DELAY_S = 0.0
    with LoopbackServer(answer) as server:
        settings.CONNECT_TO = f"dead.test=127.0.0.1:9,*.test=127.0.0.1:{server.port}"
        yield server.port


def crawl(*seeds: str) -> Run:
    """A finished run that began at these seeds."""
    crawl = Crawl(key="solar", first_seen=utc_now())
    crawl.describe(replace(PROFILE, seeds=seeds), SETTINGS)
    crawl.save()
    run = Run.objects.create(crawl=crawl, started=utc_now(), n_pages=50)
    return finish(run)


@pytest.mark.parametrize(
    ("seed", "reason"),
    [
        ("http://dead.test/", Reason.CONNECT_FAILED),
        ("http://closed.test/good", Reason.ROBOTS_FORBIDDEN),
        ("http://broken.test/good", Reason.ROBOTS_UNREACHABLE),
        ("http://open.test/private", Reason.REDIRECT_FORBIDDEN),
        ("http://open.test/round", Reason.TOO_MANY_REDIRECTS),
        ("http://open.test/picture", Reason.NOT_HTML),
        ("http://open.test/empty", Reason.EMPTY),
        ("http://open.test/big", Reason.TOO_LARGE),
        ("http://open.test/bomb", Reason.TOO_LARGE),
        ("http://open.test/gone", Reason.GONE),
        ("http://open.test/secret", Reason.ACCESS_DENIED),
        ("http://open.test/ill", Reason.SERVER_ERROR),
        ("http://10.1.2.3/", Reason.NO_CONTACT),
    ],
)
def test_a_bad_seed_is_a_row_with_its_reason(port: int, seed: str, reason: Reason) -> None:
    run = crawl(seed, "http://open.test/good")

    assert run.reasons[reason] >= 1
    assert run.fetched == 1, "the good seed is fetched all the same"
    assert FrontierEntry.objects.filter(reason=reason).exists()
    assert list(invariants.frontier_breaches(utc_now())) == []
    assert list(invariants.silent_ends()) == []


def test_a_redirect_is_followed_as_a_url_of_its_own(port: int) -> None:
    run = crawl("http://open.test/onward")

    assert run.reasons == {"redirected": 1, "fetched": 1}
    assert Page.objects.get().url.url == "http://open.test/good"


@pytest.mark.parametrize(
    ("path", "title"), [("/gbk", "电网调度"), ("/big5", "電力網"), ("/wide", "㐀䶮")]
)
def test_chinese_pages_are_read_whatever_they_declare(port: int, path: str, title: str) -> None:
    crawl(f"http://open.test{path}")

    assert Page.objects.get().title.startswith(title)


def test_a_run_where_nothing_answers_says_so(port: int) -> None:
    assert crawl("http://dead.test/").stop_reason == StopReason.NOTHING_REACHABLE


def test_private_addresses_are_refused_even_with_a_contact(port: int, settings: Settings) -> None:
    settings.CONTACT_URL = "https://example.org/about"

    run = crawl("http://10.1.2.3/", "http://[::1]/", "http://169.254.169.254/latest/meta-data")

    assert run.reasons == {Reason.ADDRESS_FORBIDDEN: 3}
