"""The door: one exchange, its answer, and every way it can go wrong."""

import threading
from dataclasses import replace

import pytest

from crawler.errors import FetchError
from crawler.fetch.config import AGENT, FetchConfig, parse_connect_to
from crawler.fetch.door import Door
from crawler.page.robots_meta import read_robots_header
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer
from tests.crawler.fetch.conftest import unknown_name


def test_fetch_returns_status_headers_body_and_address(door: Door, server: BadServer) -> None:
    server.page("/a?b=c%20d", b"<p>hello", etag='"1"')

    fetched = door.fetch("HTTP://Garden.TEST/x/../a?b=c d#part")

    assert fetched.url == "http://garden.test/a?b=c%20d"
    assert (fetched.status, fetched.body) == (200, b"<p>hello")
    assert fetched.headers["etag"] == '"1"'
    assert fetched.address == "127.0.0.1"
    assert fetched.wire_bytes > len(fetched.body)


def test_fetch_says_who_asks_and_what_it_can_read(door: Door, server: BadServer) -> None:
    server.page("/")

    door.fetch("http://garden.test/", headers={"If-None-Match": '"1"'})

    sent = server.requests[0].headers
    assert sent["host"] == "garden.test"
    assert AGENT.lower() in sent["user-agent"]
    assert "+https://contact.example/about" in sent["user-agent"]
    assert sent["accept-encoding"] == "gzip, deflate, br"
    assert sent["if-none-match"] == '"1"'


def test_a_mapped_https_site_is_served_over_plain_http(door: Door, server: BadServer) -> None:
    server.page("/", b"<p>hello")

    fetched = door.fetch("https://garden.test:8443/")

    assert fetched.url == "https://garden.test:8443/"
    assert server.requests[0].headers["host"] == "garden.test:8443"


def test_two_fetches_of_a_host_share_a_connection(door: Door, server: BadServer) -> None:
    server.page("/", b"<p>hello")

    door.fetch("http://garden.test/")
    door.fetch("http://garden.test/")

    assert [request.connection for request in server.requests] == [1, 1]


def test_two_hosts_never_share_a_connection(door: Door, server: BadServer) -> None:
    server.page("/", b"<p>hello")

    door.fetch("http://garden.test/")
    door.fetch("http://kitchen.test/")

    assert [request.connection for request in server.requests] == [1, 2]


def test_only_so_many_hosts_keep_a_connection(config: FetchConfig, server: BadServer) -> None:
    server.page("/", b"<p>hello")
    few = replace(config, limits=replace(config.limits, idle_hosts=2))

    with Door(few, resolver=unknown_name) as door:
        for name in ("a", "b", "c", "c", "b", "a"):
            door.fetch(f"http://{name}.test/")

    assert [request.connection for request in server.requests] == [1, 2, 3, 3, 2, 4]


def test_a_connection_closed_while_it_rested_is_replaced(door: Door, server: BadServer) -> None:
    server.page("/", b"<p>hello")
    server.raw("/bye")

    door.fetch("http://garden.test/")
    with pytest.raises(FetchError) as caught:
        door.fetch("http://garden.test/bye")

    # Once on the old connection, once on a new one, then it is given up.
    assert caught.value.reason is Reason.INCOMPLETE
    assert [request.connection for request in server.requests] == [1, 1, 2]
    assert door.fetch("http://garden.test/").body == b"<p>hello"


def test_error_statuses_are_returned_with_what_their_page_says(
    door: Door, server: BadServer
) -> None:
    server.page("/gone", b"<p>no such page", status="404 Not Found")
    server.page("/down", b"x" * 200_000, status="503 Service Unavailable", retry_after="120")

    assert door.fetch("http://garden.test/gone").body == b"<p>no such page"
    down = door.fetch("http://garden.test/down")
    assert (down.status, len(down.body)) == (503, 64 * 1024)


def test_each_robots_tag_is_read_by_itself(door: Door, server: BadServer) -> None:
    tags = b"X-Robots-Tag: otherbot: nofollow\r\nX-Robots-Tag: noindex\r\n"
    server.raw("/", b"HTTP/1.1 200 OK\r\n", tags, b"Content-Length: 0\r\n\r\n")

    header = door.fetch("http://garden.test/").headers["x-robots-tag"]

    assert read_robots_header(header) == (True, False)


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 5\r\nContent-Encoding: gzip",
        b"Content-Length: 5\r\nContent-Encoding: zstd",
        b"Content-Length: 50",
        b"Transfer-Encoding: chunked",
    ],
)
def test_the_head_of_an_error_or_redirect_counts_though_its_body_is_broken(
    door: Door, server: BadServer, fields: bytes
) -> None:
    server.raw("/gone", b"HTTP/1.1 404 Not Found\r\n", fields, b"\r\n\r\nhello")
    server.raw("/on", b"HTTP/1.1 301 Moved\r\nLocation: /to\r\n", fields, b"\r\n\r\nhello")

    assert door.fetch("http://garden.test/gone").status == 404
    assert door.fetch("http://garden.test/on").redirect_to == "http://garden.test/to"


def test_fetch_cuts_a_long_body_only_when_set_to(door: Door, server: BadServer) -> None:
    server.page("/long", b"x" * 6_000_000)

    assert door.fetch("http://garden.test/long", cut_at=1000).body == b"x" * 1000
    with pytest.raises(FetchError) as caught:
        door.fetch("http://garden.test/long")
    assert caught.value.reason is Reason.TOO_LARGE


def test_an_unasked_304_is_no_answer(door: Door, server: BadServer) -> None:
    server.page("/", status="304 Not Modified")

    with pytest.raises(FetchError) as caught:
        door.fetch("http://garden.test/")

    assert caught.value.reason is Reason.BAD_RESPONSE
    assert door.fetch("http://garden.test/", headers={"If-None-Match": '"1"'}).status == 304


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://garden.test/", Reason.URL_INVALID),
        ("http://user:secret@garden.test/", Reason.URL_INVALID),
        ("http://garden.test:22/", Reason.PORT_FORBIDDEN),
        ("http://garden.test/" + "x" * 2048, Reason.URL_TOO_LONG),
        ("http://nowhere.example/", Reason.NAME_UNKNOWN),
    ],
)
def test_fetch_refuses_before_it_connects(
    door: Door, connects: list[str], url: str, reason: Reason
) -> None:
    with pytest.raises(FetchError) as caught:
        door.fetch(url)

    assert caught.value.reason is reason
    assert "secret" not in str(caught.value)
    assert connects == []


def test_a_closed_port_is_a_failed_connect(config: FetchConfig) -> None:
    with BadServer() as gone:
        port = gone.port
    closed = replace(config, connect_to=parse_connect_to(f"*.test=127.0.0.1:{port}"))

    with Door(closed, resolver=unknown_name) as door, pytest.raises(FetchError) as caught:
        door.fetch("http://garden.test/")

    assert caught.value.reason is Reason.CONNECT_FAILED
    assert str(port) in caught.value.detail


def test_an_exempt_address_is_reached_on_any_port(config: FetchConfig, server: BadServer) -> None:
    server.page("/", b"{}")
    exempt = FetchConfig(
        user_agent=config.user_agent, allowed_hosts=frozenset({f"127.0.0.1:{server.port}"})
    )

    with Door(exempt, resolver=unknown_name) as door:
        assert door.fetch(f"http://127.0.0.1:{server.port}/").status == 200
        with pytest.raises(FetchError) as caught:
            door.fetch(f"http://127.0.0.2:{server.port}/")
    assert caught.value.reason is Reason.PORT_FORBIDDEN


def test_eight_threads_share_a_door(door: Door, server: BadServer) -> None:
    for number in range(8):
        server.page(f"/{number}", b"%d" % number * 1000)
    wrong: list[int] = []

    def fetch_twenty(number: int) -> None:
        for _ in range(20):
            fetched = door.fetch(f"http://host{number}.test/{number}")
            if fetched.body != b"%d" % number * 1000:
                wrong.append(number)

    threads = [threading.Thread(target=fetch_twenty, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert len(server.requests) == 160
