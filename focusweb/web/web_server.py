"""The web server: waitress, with a time limit on everything a client can be slow with.

waitress reads heads and bodies in one thread and gives only whole requests to the threads
that make pages, so a slow client holds none of them. What it lacks is a limit on the whole
of a request: its own limit starts again with each byte.
"""

import contextlib
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher
from waitress.utilities import RequestHeaderFieldsTooLarge

from focusweb.web.request_limits import MAX_BODY_BYTES, MAX_UPLOAD_BYTES, body_limit

#: Threads that make pages.
THREADS: Final = 8
MAX_HEAD_BYTES: Final = 32 << 10
TOO_LONG: Final = f"""\
The URL and the headers of this request are longer than {MAX_HEAD_BYTES >> 10} KiB together.
Shorten the URL, such as a long search, or delete the cookies of this site. Then try again.

这个请求的网址和请求头合计超过 {MAX_HEAD_BYTES >> 10} KiB。
请缩短网址（例如过长的搜索），或删除本站的 Cookie，然后重试。
"""


@dataclass(frozen=True, slots=True)
class ClientTimeouts:
    """What a client may take, in seconds, before its connection is closed."""

    #: A head, from its first byte to its last.
    head_s: float = 10.0
    #: A body, and a second more for each of these pieces of it.
    body_s: float = 20.0
    bytes_per_s: int = 32 << 10
    #: A connection without a request, or an answer of which the client takes nothing.
    idle_s: float = 20.0
    #: A whole answer.
    answer_s: float = 300.0
    #: Requests in hand, when the server receives a stop signal.
    grace_s: float = 10.0
    #: Beyond this, a new connection takes the place of the one that has waited longest. With
    #: a body of 1 MiB in each, and a password being checked, memory stays below 400 MB.
    max_connections: int = 120


_SAFE: Final = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)


class IncomingRequest(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request being read; a body beyond the limit is not read, and the program refuses it."""

    completed: bool
    content_length: int

    def __init__(self, adj: Adjustments, pass_name: str) -> None:
        super().__init__(adj)
        self.started = time.monotonic()
        self._pass_name = pass_name
        self.limit = MAX_BODY_BYTES

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        self.limit = body_limit(self.path, self.headers.get("COOKIE", ""), self._pass_name)
        if self.content_length > self.limit:
            self.close()
            self.body_rcv = None
            self.content_length = 0  # Of what is read; the program sees what was announced.
            self._end_connection()

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if not self.completed and self.body_bytes_received > self.limit:
            # Chunked, without a length in advance: the program refuses this one.
            self.headers["CONTENT_LENGTH"] = str(self.body_bytes_received)
            self.completed = True
            self._end_connection()
        return consumed

    def _end_connection(self) -> None:
        self.headers["CONNECTION"] = "close"
        self.expect_continue = False

    def allowed_s(self, timeouts: ClientTimeouts) -> float:
        """Return how long it may take from its first byte to its last."""
        if not self.headers_finished:
            return timeouts.head_s
        size = self.limit if self.chunked else self.content_length
        return timeouts.head_s + timeouts.body_s + size / timeouts.bytes_per_s


class Refusal(ErrorTask):  # type: ignore[misc]
    """What waitress itself answers to a request it cannot read."""

    def execute(self) -> None:
        self.response_headers.extend(_SAFE)
        if isinstance(self.request.error, RequestHeaderFieldsTooLarge):
            self.request.error = _TooLong("")
        super().execute()


class _TooLong(RequestHeaderFieldsTooLarge):  # type: ignore[misc]  # waitress has no types
    """A head beyond the limit, in both languages: whose it is cannot be known."""

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        """Status, headers and body of the answer."""
        headers = [("Content-Type", "text/plain; charset=utf-8")]
        return f"{self.code} {self.reason}", headers, TOO_LONG.encode()


class HttpChannel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows for how long it has been waiting for its client."""

    error_task_class = Refusal

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._phase, self._since = "idle", time.monotonic()
        super().__init__(*args, **kwargs)

    def parser_class(self, adj: Adjustments) -> IncomingRequest:
        """Begin to read a request."""
        return IncomingRequest(adj, self.server.pass_name)

    def phase(self) -> str:
        """Return what it is doing: "busy" is ours, everything else the client's."""
        if self.total_outbufs_len:
            return "answering"
        if self.requests:
            return "busy"
        return "idle" if self.request is None else "reading"

    def waiting_s(self, now: float) -> float:
        """Seconds in the same phase, and with the same request."""
        phase = self.phase()
        if phase != self._phase:
            self._phase, self._since = phase, now
        since = self._since
        if phase == "reading" and (request := self.request) is not None:
            since = max(since, request.started)
        return now - since

    def claim(self, now: float) -> tuple[bool, float]:
        """Whom to close first when there are too many: the largest.

        An unfinished head first, unless it is new: a body that is on its way may be an
        honest upload.
        """
        waited_s = self.waiting_s(now)
        is_head = self.request is None or not self.request.headers_finished
        return is_head and waited_s > 1.0, waited_s

    def is_overdue(self, now: float) -> bool:
        """Return whether its client has used all its time. Called every second."""
        timeouts: ClientTimeouts = self.server.timeouts
        waited_s = self.waiting_s(now)
        quiet_s: float = time.time() - self.last_activity
        request = self.request
        if self._phase == "busy":
            return False
        if self._phase == "answering":
            return waited_s > timeouts.answer_s or min(waited_s, quiet_s) > timeouts.idle_s
        if self._phase == "reading" and request is not None:
            return waited_s > float(request.allowed_s(timeouts))
        return waited_s > timeouts.idle_s and quiet_s > timeouts.idle_s


class WebServer(TcpWSGIServer):  # type: ignore[misc]
    """Closes what is overdue, and keeps the number of open connections down."""

    channel_class = HttpChannel
    timeouts = ClientTimeouts()
    pass_name = ""

    def maintenance(self, now: float) -> None:
        """Close connections whose clients are too slow."""
        now = time.monotonic()
        for channel in list(self.active_channels.values()):
            if channel.is_overdue(now):
                # At once: waitress would wait until the client takes something.
                channel.handle_close()

    def handle_accept(self) -> None:
        super().handle_accept()
        if len(self.active_channels) <= self.timeouts.max_connections:
            return
        now = time.monotonic()
        waiting = [
            channel
            for channel in self.active_channels.values()
            if channel.phase() in ("idle", "reading") and not channel.will_close
        ]
        if waiting:
            max(waiting, key=lambda channel: channel.claim(now)).will_close = True


def make_servers(
    application: Callable[..., Any],
    bind: str,
    *,
    proxy: str = "",
    pass_name: str = "",
    timeouts: ClientTimeouts | None = None,
) -> list[WebServer]:
    """Listen on an address; more than one server if its name has more than one address."""
    timeouts = timeouts or ClientTimeouts()
    trusted: dict[str, Any] = {}
    if proxy:
        trusted = {
            "trusted_proxy": proxy,
            "trusted_proxy_headers": "x-forwarded-for x-forwarded-proto",
        }
    adjustments = Adjustments(
        listen=bind,
        threads=THREADS,
        ident=None,
        connection_limit=2 * timeouts.max_connections,
        cleanup_interval=1,
        asyncore_use_poll=True,
        max_request_header_size=MAX_HEAD_BYTES,
        max_request_body_size=MAX_UPLOAD_BYTES + 1,
        # Only an upload by a user who may upload is written to the disk.
        inbuf_overflow=MAX_BODY_BYTES + (64 << 10),
        log_socket_errors=False,
        **trusted,
    )
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(THREADS)
    sockets: dict[int, Any] = {}
    servers = []
    for info in adjustments.listen:
        server = WebServer(
            application, sockets, adj=adjustments, sockinfo=info, dispatcher=dispatcher
        )
        server.timeouts, server.pass_name = timeouts, pass_name
        servers.append(server)
    return servers


def serve_until_signal(servers: list[WebServer]) -> None:
    """Answer until SIGTERM or SIGINT, and end what is in hand; a second signal means now."""
    signals: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        with contextlib.suppress(OSError):  # it has stopped already
            servers[0].pull_trigger()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    answer_until(servers, lambda: len(signals))


def answer_until(servers: list[WebServer], asked_to_stop: Callable[[], int]) -> None:
    """Answer until the first stop signal, then finish what is in hand unless a second one comes."""
    sockets = servers[0]._map
    while not asked_to_stop():
        wasyncore.loop(timeout=1, use_poll=True, map=sockets, count=1)
    for server in servers:
        server.accepting = False
        server.del_channel()
        server.socket.close()
    deadline = time.monotonic() + servers[0].timeouts.grace_s
    while time.monotonic() < deadline and asked_to_stop() < 2:
        channels = [channel for server in servers for channel in server.active_channels.values()]
        if all(channel.phase() in ("idle", "reading") for channel in channels):
            break
        wasyncore.loop(timeout=0.1, use_poll=True, map=sockets, count=1)
    servers[0].task_dispatcher.shutdown(timeout=1)
    wasyncore.close_all(sockets)
