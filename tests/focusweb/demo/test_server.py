"""The demo web on a real socket: by host, with validators, search and a view for people."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from focusweb.demo.loopback_server import LoopbackServer
from focusweb.demo.server import demo_application
from focusweb.demo.web import read_demo_web
from tests.web_client import fetch

DEMO_WEB = Path(__file__).parents[3] / "fixtures" / "demo_web"
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOST, PATH = "silicon-notes.demo.test", "/memory-wall.html"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    web = read_demo_web(DEMO_WEB, NOON)
    with LoopbackServer(demo_application(lambda: web)) as server:
        yield server.port


@pytest.fixture
def validators(port: int) -> dict[str, str]:
    """ETag and Last-Modified of one page."""
    headers = fetch(port, HOST, PATH).headers
    return {name: headers[name] for name in ("etag", "last-modified")}


def search(port: int, query: str, more: str = "") -> dict[str, Any]:
    target = f"/search?q={quote(query)}&format=json{more}"
    found: dict[str, Any] = json.loads(fetch(port, "search.demo.test", target).body)
    return found


@pytest.mark.parametrize(
    ("host", "path", "words"),
    [
        (HOST, PATH, "The memory wall"),
        ("microgrid-lab.demo.test", "/storage-dispatch.html", "储能怎样参与电网调度"),
        ("shudian.demo.test", "/manual/transmission/overhead/towers.html", "铁塔与基础"),
        ("archive.demo.test", "/robots.txt", "Disallow: /private/"),
        ("chips.demo.test", "/feed.atom", "<entry>"),
    ],
)
def test_each_host_serves_its_own_pages(port: int, host: str, path: str, words: str) -> None:
    answer = fetch(port, host, path)

    assert answer.status == 200
    assert words in answer.body.decode("utf-8")


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("unknown.demo.test", "/"),
        ("chips.demo.test", PATH),
        ("chips.demo.test", "/robots.txt"),
        ("archive.demo.test", "/papers/valve-computer.html"),
    ],
)
def test_everything_else_is_a_404_page(port: int, host: str, path: str) -> None:
    answer = fetch(port, host, path)

    assert answer.status == 404
    assert b"<h1>Not found</h1>" in answer.body


@pytest.mark.parametrize("weak", ["", "W/", '"other", '])
def test_a_known_tag_gives_304_without_a_body(
    port: int, validators: dict[str, str], weak: str
) -> None:
    answer = fetch(port, HOST, PATH, headers={"If-None-Match": weak + validators["etag"]})

    assert (answer.status, answer.body) == (304, b"")
    assert answer.headers["etag"] == validators["etag"]


def test_another_tag_gives_the_page_whatever_the_date_says(
    port: int, validators: dict[str, str]
) -> None:
    headers = {"If-None-Match": '"old"', "If-Modified-Since": validators["last-modified"]}

    assert fetch(port, HOST, PATH, headers=headers).status == 200


@pytest.mark.parametrize(
    ("since", "status"),
    [
        (format_datetime(NOON, usegmt=True), 304),
        (format_datetime(NOON - timedelta(days=30), usegmt=True), 200),
        ("yesterday", 200),
        ("Wed, 01 May 2024 12:00:00 -0000", 304),
    ],
)
def test_if_modified_since_compares_dates(port: int, since: str, status: int) -> None:
    assert fetch(port, HOST, PATH, headers={"If-Modified-Since": since}).status == status


@pytest.mark.parametrize(
    ("query", "host"),
    [
        ("memory latency bandwidth DRAM", "silicon-notes.demo.test"),
        ("储能 调度", "microgrid-lab.demo.test"),
        ("特高压", "gridweek.demo.test"),
        ("红烧肉", "hutong-kitchen.demo.test"),
    ],
)
def test_search_finds_pages_in_both_languages(port: int, query: str, host: str) -> None:
    found = search(port, query)

    assert found["query"] == query
    assert found["number_of_results"] >= len(found["results"]) > 0
    assert any(host in result["url"] for result in found["results"][:3])
    assert all(
        result.keys() >= {"url", "title", "content", "engine", "score"}
        for result in found["results"]
    )


def test_search_results_come_best_first_and_in_pages(port: int) -> None:
    first, second = search(port, "电网"), search(port, "电网", "&pageno=2")

    scores = [result["score"] for result in first["results"] + second["results"]]
    assert len(first["results"]) == 10
    assert scores == sorted(scores, reverse=True)
    assert not {r["url"] for r in first["results"]} & {r["url"] for r in second["results"]}


def test_search_does_not_know_what_robots_may_not_fetch(port: int) -> None:
    urls = [result["url"] for result in search(port, "drawer garage compiler paper")["results"]]

    assert urls
    assert not any("/private/" in url for url in urls)


def test_words_that_no_page_has_give_no_results(port: int) -> None:
    assert search(port, "xyzzy")["results"] == []


@pytest.mark.parametrize(
    ("target", "status", "kind"),
    [
        ("/search?q=cpu&format=json", 200, "application/json"),
        ("/search?q=cpu", 200, "text/html; charset=utf-8"),
        ("/search?q=cpu&format=rss", 403, "text/html; charset=utf-8"),
        ("/search?format=json", 400, "text/html; charset=utf-8"),
        ("/search?q=cpu&format=json&pageno=zero", 200, "application/json"),
        ("/other", 404, "text/html; charset=utf-8"),
    ],
)
def test_search_answers_json_only_when_asked_to(
    port: int, target: str, status: int, kind: str
) -> None:
    answer = fetch(port, "search.demo.test", target)

    assert (answer.status, answer.headers["content-type"]) == (status, kind)


def test_a_search_query_is_escaped_in_the_page(port: int) -> None:
    answer = fetch(port, "search.demo.test", "/search?q=%22%3E%3Cb%3Ecpu")

    assert b'value="&quot;&gt;&lt;b&gt;cpu"' in answer.body


def test_a_browser_sees_all_sites_and_can_follow_their_links(port: int) -> None:
    assert f'href="/{HOST}/"' in fetch(port, "127.0.0.1", "/").body.decode("utf-8")

    page = fetch(
        port, f"localhost:{port}", "/chips.demo.test/news/stacked-memory.html"
    ).body.decode()
    assert f'href="/{HOST}{PATH}"' in page
    assert 'href="/chips.demo.test/feed.atom"' in page
    assert fetch(port, "127.0.0.1", f"/{HOST}{PATH}").status == 200
    assert fetch(port, "127.0.0.1", "/chips.demo.test/feed.atom").status == 200
    assert fetch(port, "127.0.0.1", "/unknown.demo.test/").status == 404
