"""The web server between slow or greedy clients and the program."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings

from focusweb.web.request_limits import MAX_BODY_BYTES, upload_pass
from focusweb.web.web_server import ClientTimeouts, WebServer, answer_until, make_servers

HALF_A_HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
HEAD = HALF_A_HEAD + b"Connection: close\r\n"
MIB = 1 << 20


class Seen:
    """A program that records its requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, int, int]] = []
        self.addresses: list[str] = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.size = 2

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        body = environ["wsgi.input"].read()
        length = int(environ.get("CONTENT_LENGTH") or 0)
        self.requests.append((environ["PATH_INFO"], length, len(body)))
        self.addresses.append(f"{environ['wsgi.url_scheme']} {environ['REMOTE_ADDR']}")
        self.may_answer.wait(20)
        start("200 OK", [("Content-Length", str(self.size)), ("Content-Type", "text/plain")])
        return [b"x" * self.size]


@contextlib.contextmanager
def running(program: Seen, **options: Any) -> Iterator[tuple[WebServer, threading.Thread]]:
    """A server on a free port, in a thread; it gets a stop signal at the end."""
    server = make_servers(program, "127.0.0.1:0", pass_name="upload", **options)[0]
    stop = threading.Event()
    thread = threading.Thread(target=answer_until, args=([server], lambda: int(stop.is_set())))
    server.stop = stop
    thread.start()
    try:
        yield server, thread
    finally:
        stop.set()
        with contextlib.suppress(OSError):  # it has ended already
            server.pull_trigger()
        thread.join(15)
    assert not thread.is_alive()


def connect(server: WebServer, said: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", int(server.effective_port)), timeout=10)
    try:
        made.sendall(said)
    except OSError:
        made.close()  # A server that stops may reset what it has just accepted.
        raise
    return made


def answer_to(server: WebServer, said: bytes) -> bytes:
    """All that comes back for a request after which the connection is closed."""
    with connect(server, said) as made:
        return read_all(made)


def read_all(made: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionResetError):  # not all was read of what was sent
        while data := made.recv(1 << 16):
            found += data
    return found


def seconds_until_closed(made: socket.socket) -> float:
    start = time.monotonic()
    read_all(made)
    return time.monotonic() - start


def wait_until(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def test_slow_clients_hold_no_thread() -> None:
    program = Seen()
    slow_body = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nx"
    with running(program) as (server, _):
        slow = [connect(server, HALF_A_HEAD) for _ in range(40)]
        slow += [connect(server, slow_body) for _ in range(40)]
        start = time.monotonic()
        for _ in range(5):
            assert answer_to(server, HEAD + b"\r\n").startswith(b"HTTP/1.1 200")
        assert time.monotonic() - start < 5
        for made in slow:
            made.close()
    assert program.requests == [("/", 0, 0)] * 5


@pytest.mark.parametrize(
    ("first", "timeouts"),
    [
        (HALF_A_HEAD + b"X: ", ClientTimeouts(head_s=0.5)),
        (
            HEAD + b"Content-Length: 100000\r\n\r\n",
            ClientTimeouts(head_s=0.3, body_s=0.2, bytes_per_s=1 << 30),
        ),
        (
            HEAD + b"Transfer-Encoding: chunked\r\n\r\nFFFF\r\n",
            ClientTimeouts(head_s=0.3, body_s=0.2, bytes_per_s=1 << 30),
        ),
    ],
    ids=["head", "body", "chunks"],
)
def test_a_client_that_drips_is_closed_all_the_same(first: bytes, timeouts: ClientTimeouts) -> None:
    program = Seen()
    with running(program, timeouts=timeouts) as (server, _), connect(server, first) as made:
        start = time.monotonic()
        with pytest.raises(OSError):  # reset or broken pipe
            while time.monotonic() - start < 8:
                made.sendall(b"x")
                time.sleep(0.05)
        assert time.monotonic() - start < 5
    assert program.requests == []


def test_a_client_that_says_nothing_is_closed() -> None:
    with (
        running(Seen(), timeouts=ClientTimeouts(idle_s=0.5)) as (server, _),
        connect(server) as made,
    ):
        assert seconds_until_closed(made) < 5


def test_a_client_that_takes_no_answer_is_closed_and_frees_its_thread() -> None:
    program = Seen()
    program.size = 60 * MIB  # more than the server keeps in hand
    with running(program, timeouts=ClientTimeouts(idle_s=0.5)) as (server, _):
        made = connect(server, HEAD + b"\r\n")
        wait_until(lambda: bool(program.requests))
        wait_until(lambda: not server.active_channels)
        made.close()


def test_a_long_answer_does_not_count_as_a_slow_client() -> None:
    program = Seen()
    program.may_answer.clear()
    timeouts = ClientTimeouts(head_s=0.2, body_s=0.2, idle_s=0.5)
    with (
        running(program, timeouts=timeouts) as (server, _),
        connect(server, HEAD + b"\r\n") as made,
    ):
        time.sleep(2.5)  # more than two rounds of looking
        program.may_answer.set()
        assert read_all(made).endswith(b"xx")


@pytest.mark.parametrize("said", [HALF_A_HEAD, HEAD + b"Content-Length: 100\r\n\r\n", b""])
def test_new_connections_take_the_place_of_those_that_wait_for_long(said: bytes) -> None:
    with running(Seen(), timeouts=ClientTimeouts(max_connections=10)) as (server, _):
        slow = [connect(server, said) for _ in range(60)]
        assert answer_to(server, HEAD + b"\r\n").startswith(b"HTTP/1.1 200")
        assert len(server.active_channels) <= 20
        for made in slow:
            made.close()


def test_a_body_that_is_announced_too_large_is_not_read() -> None:
    program = Seen()
    head = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400000000\r\n\r\n"
    with running(program) as (server, _), connect(server) as made:
        n_sent = send_until_refused(made, head, b"x" * 65536)
    assert program.requests == [("/login/", 400_000_000, 0)]
    # The rest lay in the buffers of the operating system.
    assert n_sent < 20 * MIB


def test_a_body_in_pieces_is_read_up_to_the_limit_only() -> None:
    program = Seen()
    head = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with running(program) as (server, _), connect(server) as made:
        send_until_refused(made, head, b"10000\r\n" + b"x" * 65536 + b"\r\n")
    [(_, announced, n_read)] = program.requests
    assert MAX_BODY_BYTES < announced < MAX_BODY_BYTES + 20_000
    assert n_read < MAX_BODY_BYTES + 20_000


def send_until_refused(made: socket.socket, head: bytes, piece: bytes) -> int:
    """Send pieces for as long as somebody takes them; return how many bytes that were."""
    n_sent = 0
    try:
        made.sendall(head)
        while n_sent < 400_000_000:
            made.sendall(piece)
            n_sent += len(piece)
    except (ConnectionError, TimeoutError):
        pass
    return n_sent


@pytest.mark.parametrize(("size", "n_read"), [(3 * MIB, 3 * MIB), (21 * MIB, 0)])
def test_who_has_a_pass_may_upload(size: int, n_read: int) -> None:
    program = Seen()
    head = (
        "POST /ontologies/upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Cookie: a=b; upload={upload_pass('7')}\r\nContent-Length: {size}\r\n\r\n"
    ).encode()
    with running(program) as (server, _), connect(server) as made:
        send_whole(made, head, size)
        wait_until(lambda: bool(program.requests))
    assert program.requests == [("/ontologies/upload", size, n_read)]


def send_whole(made: socket.socket, head: bytes, size: int) -> None:
    try:
        made.sendall(head + b"x" * size)
    except ConnectionError:
        assert size > 20 * MIB


def test_a_stop_lets_the_request_in_hand_end_and_takes_no_new_one() -> None:
    program = Seen()
    program.may_answer.clear()
    with running(program) as (server, thread):
        made = connect(server, HEAD + b"\r\n")
        wait_until(lambda: bool(program.requests))
        server.stop.set()
        server.pull_trigger()
        wait_until(lambda: not is_listening(server))
        assert thread.is_alive()
        program.may_answer.set()
        assert read_all(made).endswith(b"xx")
        made.close()


def is_listening(server: WebServer) -> bool:
    try:
        connect(server).close()
    except ConnectionError:
        return False
    return True


def test_a_stop_does_not_wait_for_slow_clients() -> None:
    with running(Seen()) as (server, thread):
        slow = [connect(server, HALF_A_HEAD), connect(server)]
        wait_until(lambda: len(server.active_channels) == 2)
        start = time.monotonic()
        server.stop.set()
        server.pull_trigger()
        thread.join(10)
        assert time.monotonic() - start < 5
        for made in slow:
            made.close()


@pytest.mark.parametrize("said", [b"nonsense\r\n\r\n", HEAD + b"Bad Header: x\r\n\r\n"])
def test_what_is_no_request_is_refused_with_safe_headers(said: bytes) -> None:
    with running(Seen()) as (server, _):
        answer = answer_to(server, said)
    assert answer.split(b" ")[1] == b"400"
    for header in (b"Content-Security-Policy: default-src 'none'", b"nosniff", b"no-referrer"):
        assert header in answer
    assert b"Server:" not in answer


def test_a_head_that_is_too_long_is_refused() -> None:
    with running(Seen()) as (server, _):
        answer = answer_to(server, HEAD + b"X: " + b"x" * 40_000 + b"\r\n\r\n")
    assert answer.split(b" ")[1] == b"431"
    said = answer.partition(b"\r\n\r\n")[2].decode()
    assert "longer than 32 KiB" in said and "超过 32 KiB" in said
    assert "generated by" not in said


FORWARDED = b"X-Forwarded-For: 9.9.9.9, 192.0.2.7\r\nX-Forwarded-Proto: https\r\n\r\n"


@pytest.mark.parametrize(
    ("proxy", "seen"), [("", "http 127.0.0.1"), ("127.0.0.1", "https 192.0.2.7")]
)
def test_u6_forwarded_headers_are_believed_of_the_proxy_only(proxy: str, seen: str) -> None:
    program = Seen()
    with running(program, proxy=proxy) as (server, _):
        answer_to(server, HEAD + FORWARDED)
    assert program.addresses == [seen]


def test_the_settings_believe_no_proxy_unless_set_to() -> None:
    assert settings.PROXY == ""
