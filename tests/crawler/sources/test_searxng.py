"""Whatever a search engine answers gives results or a problem, never an exception."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.models import Crawl
from crawler.page.lists.search_answers import MAX_RESULTS
from crawler.problems import Problem, ProblemKind
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry
from crawler.sources.searxng import SearxngSearch
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.web import NOON, PROFILE, SETTINGS


class Engine:
    """An engine that returns a given answer."""

    def __init__(self) -> None:
        self.response = Response(404)
        self.port = 0
        self.requested: list[str] = []

    def answer(self, request: Request) -> Response:
        self.requested.append(request.target)
        return self.response


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine()
    with LoopbackServer(engine.answer) as server:
        engine.port = server.port
        yield engine


def search(port: int, *, queries: tuple[str, ...] = ("太阳能 电池",), address: str = "") -> Found:
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(replace(PROFILE, queries=queries, languages=("zh",)), SETTINGS)
    crawl.save()
    host = f"127.0.0.1:{port}"
    door = Door(FetchConfig(build_user_agent("http://us.test/"), (), frozenset({host})))
    try:
        source = SearxngSearch(address or f"http://{host}/search")
        return source.find(Inquiry(crawl.profile, door, crawl.pk, NOON))
    finally:
        door.close()


def answered(*urls: str) -> Response:
    body = json.dumps({"results": [{"url": url, "title": "t"} for url in urls]})
    return Response(200, body.encode(), "application/json")


@pytest.mark.django_db
def test_results_are_addresses_that_can_be_fetched_each_once(engine: Engine) -> None:
    engine.response = answered(
        "http://a.test/1",
        "HTTP://A.test/1",
        "magnet:?xt=1",
        "javascript:alert(1)",
        "",
        "/relative",
        "http://b.test/",
    )

    found = search(engine.port)

    assert found.urls == ("http://a.test/1", "http://b.test/")
    assert found.problems == ()
    [requested] = engine.requested
    assert "format=json" in requested
    assert "language=zh" in requested
    assert "q=%E5%A4%AA%E9%98%B3%E8%83%BD+%E7%94%B5%E6%B1%A0" in requested


@pytest.mark.django_db
def test_an_engine_whose_address_has_a_query_gets_it_with_each_search(engine: Engine) -> None:
    engine.response = answered("http://a.test/1")

    search(engine.port, address=f"http://127.0.0.1:{engine.port}/search?key=secret")

    [requested] = engine.requested
    assert requested.startswith("/search?key=secret&q=%E5%A4%AA")


@pytest.mark.django_db
def test_the_first_results_are_enough(engine: Engine) -> None:
    engine.response = answered(*(f"http://a.test/{number}" for number in range(99)))

    assert len(search(engine.port).urls) == MAX_RESULTS


# the engine's answer, and the message for the user
@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (Response(403, b"no"), ProblemKind.SEARCH_REFUSED),
        (Response(429, b"no"), ProblemKind.SEARCH_FAILED),
        (Response(500, b"no"), ProblemKind.SEARCH_FAILED),
        (Response(200, b"<html>results</html>", "text/html"), ProblemKind.SEARCH_UNREADABLE),
        (Response(200, b"", "application/json"), ProblemKind.SEARCH_UNREADABLE),
        (
            Response(200, b'{"results": [{"title": "t"}]}', "application/json"),
            ProblemKind.SEARCH_UNREADABLE,
        ),
        (Response(200, b'{"results": "none"}', "application/json"), ProblemKind.SEARCH_UNREADABLE),
        (
            Response(200, b'{"x": ' + b"[" * 50_000, "application/json"),
            ProblemKind.SEARCH_UNREADABLE,
        ),
        (
            Response(200, b'{"results": [{"url": "\xff"}]}', "application/json"),
            ProblemKind.SEARCH_UNREADABLE,
        ),
    ],
)
@pytest.mark.django_db
def test_an_answer_that_is_none_is_reported_and_the_search_rests(
    engine: Engine, response: Response, kind: ProblemKind
) -> None:
    engine.response = response

    found = search(engine.port)

    assert found.urls == ()
    [problem] = found.problems
    assert isinstance(problem, Problem)
    assert (problem.trouble, problem.about) == (kind, "太阳能 电池")
    assert problem.detail
    assert registry.load_sources(Crawl.objects.get())["太阳能 电池"].state.failures == 1


@pytest.mark.django_db
def test_an_engine_that_is_not_there_is_reported() -> None:
    [problem] = search(9).problems

    assert isinstance(problem, Problem)
    assert problem.detail.startswith("connect_failed")


@pytest.mark.django_db
def test_without_an_engine_or_queries_nobody_is_asked(engine: Engine) -> None:
    assert search(engine.port, queries=()) == Found()
    assert engine.requested == []
