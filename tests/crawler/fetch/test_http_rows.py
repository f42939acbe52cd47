"""Rows H of the threat list: any answer ends in bounded time and memory."""

import gzip
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import brotli
import pytest

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig
from crawler.fetch.door import Door
from crawler.fetch.robots import fetch_robots
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer
from tests.crawler.fetch.conftest import reason_of, unknown_name

OK = b"HTTP/1.1 200 OK\r\n"
URL = "http://garden.test/bad"


@contextmanager
def at_most(seconds: float, megabytes: float = 50) -> Iterator[None]:
    """Fail if the block takes longer or allocates more."""
    tracemalloc.start()
    started = time.monotonic()
    try:
        yield
        assert time.monotonic() - started < seconds
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1024 * 1024
    finally:
        tracemalloc.stop()


def _repeated(unit: bytes, n_times: int) -> bytes:
    """gzip `unit` many times over, without ever holding it expanded."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(unit) for _ in range(n_times)) + packer.flush()


BOMBS = {
    "gzip": _repeated(b"\0" * 1_000_000, 300),
    "deflate": zlib.compress(b"\0" * 100_000_000, 9),
    "br": brotli.compress(b"\0" * 100_000_000, quality=5),
}


@pytest.mark.parametrize("encoding", BOMBS)
def test_h1_a_bomb_stops_at_the_cap(door: Door, server: BadServer, encoding: str) -> None:
    server.page("/bad", BOMBS[encoding], content_encoding=encoding)

    with at_most(seconds=3):
        assert reason_of(door, URL) is Reason.TOO_LARGE


@pytest.mark.parametrize("encoding", BOMBS)
def test_h1_a_bomb_in_a_redirect_is_never_unpacked(
    door: Door, server: BadServer, encoding: str
) -> None:
    bomb = BOMBS[encoding]
    server.page("/bad", bomb, status="302 Found", location="/to", content_encoding=encoding)

    with at_most(seconds=3, megabytes=2):
        fetched = door.fetch(URL)

    assert (fetched.redirect_to, fetched.body) == ("http://garden.test/to", b"")


@pytest.mark.parametrize("encoding", BOMBS)
def test_h1_a_bomb_in_a_404_is_cut(door: Door, server: BadServer, encoding: str) -> None:
    server.page("/bad", BOMBS[encoding], status="404 Not Found", content_encoding=encoding)

    with at_most(seconds=3, megabytes=10):
        fetched = door.fetch(URL)

    assert (fetched.status, len(fetched.body)) == (404, 64 * 1024)


@pytest.mark.parametrize("encoding", BOMBS)
def test_h1_a_bomb_in_robots_is_cut(door: Door, server: BadServer, encoding: str) -> None:
    server.page("/robots.txt", BOMBS[encoding], content_encoding=encoding)

    with at_most(seconds=3, megabytes=10):
        assert fetch_robots(door, URL).verdict == "rules"


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        (", ".join(["gzip"] * 1000), b"x"),
        ("gzip, gzip", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0)),
        ("zstd", b"\x28\xb5\x2f\xfd"),
        ("compress", b"x"),
        ("gzip", b"<p>not packed at all"),
        ("deflate", b"<p>not packed at all"),
        ("br", b"<p>not packed at all"),
    ],
)
def test_h2_an_encoding_we_did_not_ask_for_is_an_error(
    door: Door, server: BadServer, encoding: str, body: bytes
) -> None:
    server.page("/bad", body, content_encoding=encoding)

    assert reason_of(door, URL) is Reason.BAD_ENCODING


CUT = [
    OK + b"Content-Length: 10\r\n\r\n12345",
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\n123",
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n",
    OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello" * 1000, mtime=0)[:-9],
    OK + b"Content-Encoding: br\r\n\r\n" + brotli.compress(b"hello, world " * 1000)[:-3],
    OK + b"Content-Type: text/ht",
    b"HTTP/1.1 200",
    b"",
]


@pytest.mark.parametrize("answer", CUT)
def test_h3_an_answer_that_ends_early_is_incomplete(
    door: Door, server: BadServer, answer: bytes
) -> None:
    server.raw("/bad", answer)

    assert reason_of(door, URL) is Reason.INCOMPLETE


DRIPS = {
    "body": (OK + b"Content-Length: 1000\r\n\r\n", b"x"),
    "body without a length": (OK + b"\r\n", b"x"),
    "chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "chunk line": (OK + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x"),
    "headers": (OK, b"X: y\r\n"),
    "one header": (OK + b"X: ", b"x"),
    "status line": (b"HTTP/1.1 200 ", b"x"),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n"),
    "trailers": (OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
}


@pytest.mark.parametrize("what", DRIPS)
def test_h4_a_dripping_answer_ends_at_the_deadline(
    door: Door, server: BadServer, what: str
) -> None:
    head, part = DRIPS[what]
    server.repeat("/bad", head, part, times=40, pause_s=0.1)
    started = time.monotonic()

    assert reason_of(door, URL) is Reason.DEADLINE

    assert 0.9 < time.monotonic() - started < 1.5


@pytest.mark.parametrize("head", [b"", OK, OK + b"Content-Length: 9\r\n\r\n"])
def test_h4_a_silent_server_is_given_up_before_the_deadline(
    door: Door, server: BadServer, head: bytes
) -> None:
    server.repeat("/bad", head, b"", times=1, pause_s=3)
    started = time.monotonic()

    assert reason_of(door, URL) is Reason.DEADLINE

    assert 0.4 < time.monotonic() - started < 0.9


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1000 + OK + b"\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 6 + OK + b"\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
        b"<html>HTTP/0.9 had no headers</html>\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 -1 OK\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\n",
        b"\r\n\r\n\r\n",
    ],
)
def test_h5_what_is_no_http_answer_is_an_error(
    door: Door, server: BadServer, answer: bytes
) -> None:
    server.raw("/bad", answer)

    assert reason_of(door, URL) is Reason.BAD_RESPONSE


def test_h5_a_few_interim_answers_are_skipped(door: Door, server: BadServer) -> None:
    hint = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    server.raw("/bad", hint * 5 + OK + b"Content-Length: 2\r\n\r\nhi")

    fetched = door.fetch(URL)

    assert (fetched.status, fetched.body) == (200, b"hi")
    assert "link" not in fetched.headers


@pytest.mark.parametrize(
    "fields",
    [
        b"X: y\r\n" * 101,
        b"X: " + b"y" * 70_000 + b"\r\n",
        (b"X: " + b"y" * 64_000 + b"\r\n") * 90,
        (b"Set-Cookie: a=" + b"y" * 1000 + b"\r\n") * 99,
        b"X: a\0b\r\n",
        b"X: a\rSet-Cookie: b=c\r\n",
    ],
)
def test_h6_too_many_too_long_or_broken_headers_are_an_error(
    door: Door, server: BadServer, fields: bytes
) -> None:
    server.raw("/bad", OK + fields + b"Content-Length: 0\r\n\r\n")

    with at_most(seconds=2, megabytes=10):
        assert reason_of(door, URL) is Reason.BAD_RESPONSE


def test_h6_odd_but_harmless_headers_are_read(door: Door, server: BadServer) -> None:
    server.raw(
        "/bad",
        OK + b"Folded: one\r\n two\r\n\tthree\r\nTwice: a\r\nTWICE: b\r\nno colon here\r\n"
        b"Bad Name: x\r\nEmpty:\r\nLatin: caf\xe9\r\nX: y\nContent-Length: 2\r\n\r\nhi",
    )

    fetched = door.fetch(URL)

    assert fetched.body == b"hi"
    assert fetched.headers == {
        "folded": "one two three",
        "twice": "a, b",
        "empty": "",
        "latin": "café",
        "x": "y",
        "content-length": "2",
    }


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"Content-Length: -5\r\n\r\nhello", Reason.BAD_RESPONSE),
        (b"Content-Length: +5\r\n\r\nhello", Reason.BAD_RESPONSE),
        (b"Content-Length: 5x\r\n\r\nhello", Reason.BAD_RESPONSE),
        (b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", Reason.BAD_RESPONSE),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nhello", Reason.BAD_RESPONSE),
        (b"Content-Length: 999999999999\r\n\r\nhello", Reason.TOO_LARGE),
        (b"Transfer-Encoding: gzip, chunked\r\n\r\nhello", Reason.BAD_RESPONSE),
        (b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n", Reason.BAD_RESPONSE),
        (b"Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n", Reason.BAD_RESPONSE),
        (b"Transfer-Encoding: chunked\r\n\r\nhello\r\n", Reason.BAD_RESPONSE),
        (b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 40_000_000, Reason.BAD_RESPONSE),
        (b"Transfer-Encoding: chunked\r\n\r\n5;" + b"x" * 9000, Reason.BAD_RESPONSE),
        (b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\nhello", Reason.TOO_LARGE),
        (b"Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX\r\n", Reason.INCOMPLETE),
        (b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 20_000, Reason.BAD_RESPONSE),
    ],
)
def test_h7_a_body_without_a_clear_end_is_an_error(
    door: Door, server: BadServer, answer: bytes, reason: Reason
) -> None:
    server.raw("/bad", OK + answer)

    with at_most(seconds=2, megabytes=100):
        assert reason_of(door, URL) is reason


@pytest.mark.parametrize("part", [b"x" * 65_536, b"10000\r\n" + b"x" * 65_536 + b"\r\n"])
def test_h7_an_endless_body_stops_at_the_cap(door: Door, server: BadServer, part: bytes) -> None:
    chunked = b"Transfer-Encoding: chunked\r\n" if part.startswith(b"1") else b""
    server.repeat("/bad", OK + chunked + b"\r\n", part, times=10_000, pause_s=0)

    with at_most(seconds=3, megabytes=20):
        assert reason_of(door, URL) is Reason.TOO_LARGE


def test_h7_chunks_of_one_byte_count_with_their_lines(
    config: FetchConfig, server: BadServer
) -> None:
    body = b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n"
    server.raw("/bad", OK + b"Transfer-Encoding: chunked\r\n\r\n" + body)

    for wire_bytes, expected in ((len(body), None), (50_000, Reason.TOO_LARGE)):
        limited = replace(config, limits=replace(config.limits, wire_bytes=wire_bytes))
        with Door(limited, resolver=unknown_name) as door:
            if expected is None:
                assert door.fetch(URL).body == b"x" * 20_000
            else:
                assert reason_of(door, URL) is expected


def test_h7_chunks_extensions_and_trailers_are_read(door: Door, server: BadServer) -> None:
    server.raw(
        "/bad",
        OK + b"Transfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\n"
        b"5;name=value\r\nhello\r\n6 \r\n world\r\n0\r\nX: y\r\n\r\n",
    )

    assert door.fetch(URL).body == b"hello world"


@pytest.mark.parametrize("rows", [CUT, [OK + b"X: y\r\n" * 101 + b"\r\n"]])
def test_after_a_bad_answer_the_next_page_is_fetched(
    door: Door, server: BadServer, rows: list[bytes]
) -> None:
    server.page("/good", b"<p>hello")
    for number, answer in enumerate(rows):
        server.raw(f"/{number}", answer)
        with pytest.raises(FetchError):
            door.fetch(f"http://garden.test/{number}")

        assert door.fetch("http://garden.test/good").body == b"<p>hello"
