"""A small, fast HTTP/1.1 server on loopback, for webs that live on this machine.

It listens and never connects. The standard library's own handler spends most
of its time on parsing headers into mail messages; this one reads only the few
it needs, so that the server leaves the processors to the crawler under test.
"""

import json
import logging
import signal
import socketserver
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Self, TextIO

logger = logging.getLogger(__name__)

LOOPBACK: Final = "127.0.0.1"
IDLE_SECONDS: Final = 60.0
_MAX_LINE_BYTES: Final = 8192
_MAX_HEADERS: Final = 100


@dataclass(frozen=True, slots=True)
class Request:
    """A client's request.

    Attributes
    ----------
    method, host, target : str
        As sent; `host` in lower case without the port, `target` with its query.
    headers : mapping of str to str
        Lower-case names.
    """

    method: str
    host: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Response:
    """What the client gets."""

    status: int
    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)


Application = Callable[[Request], Response]


class RequestLog:
    """Writes one JSON line per request: host, path, start and end, status, robots.txt's text.

    `start` and `end` are `time.monotonic()`; `start_time` and `end_time` are seconds since 1970.
    `end` is taken before the last bytes are handed to the socket, so a client never sends its next
    request before `end`.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> Self:
        """Append to a file, line by line, so that a killed server loses no line."""
        return cls(path.open("a", encoding="utf-8", buffering=1))

    def write(self, request: Request, response: Response, started: float, ended: float) -> None:
        """Add the line of one answered request; both moments are monotonic."""
        offset = time.time() - time.monotonic()
        row = {
            "host": request.host,
            "path": request.target,
            "start": started,
            "end": ended,
            "start_time": started + offset,
            "end_time": ended + offset,
            "status": response.status,
        }
        if request.target == "/robots.txt":
            # A check of the log needs the rules that were in force.
            row["robots"] = response.body.decode("utf-8", "replace")
        line = json.dumps(row, ensure_ascii=False)
        with self._lock:
            self._stream.write(line + "\n")


class LoopbackServer(socketserver.ThreadingTCPServer):
    """Answers requests on a loopback address, one thread per connection.

    Parameters
    ----------
    application : callable
        Turns a `Request` into a `Response`.
    port : int, default 0
        0 takes any free port; `port` then says which.
    delay_s : float, default 0
        Wait before each answer, inside the logged time.
    address : str, default "127.0.0.1"

    Raises
    ------
    ValueError
        If the address is not loopback.
    """

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self,
        application: Application,
        *,
        port: int = 0,
        log: RequestLog | None = None,
        delay_s: float = 0.0,
        address: str = LOOPBACK,
    ) -> None:
        if not ip_address(address).is_loopback:
            raise ValueError(f"only a loopback address is listened on, got {address!r}")
        super().__init__((address, port), _Connection)
        self.application = application
        self.log = log
        self.delay_s = delay_s
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    def __enter__(self) -> Self:
        """Serve in a thread until the block ends."""
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        if self._thread:
            self._thread.join()
        self.server_close()


class _Connection(socketserver.StreamRequestHandler):
    """One keep-alive connection."""

    server: LoopbackServer
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def handle(self) -> None:
        try:
            while self._answer_one():
                pass
        except (TimeoutError, ConnectionError):
            # A crawler that is killed, or that has had enough, just goes away.
            logger.debug("client %s went away", self.client_address)

    def _answer_one(self) -> bool:
        """Answer the next request; False when the connection is to be closed."""
        try:
            request = self._read_request()
        except ValueError as error:
            self._send(Response(400, f"{error}\n".encode(), "text/plain"), keep=False, head=False)
            return False
        if request is None:
            return False
        started = time.monotonic()
        if self.server.delay_s:
            time.sleep(self.server.delay_s)
        head = request.method == "HEAD"
        # A body is never read, so it cannot be separated from the next request.
        keep = request.headers.get("connection", "").lower() != "close"
        if request.method not in ("GET", "HEAD"):
            keep, response = False, Response(405, b"Only GET and HEAD.\n", "text/plain")
        else:
            response = self.server.application(request)
        if self.server.log:
            # Before it is sent: a client that has the answer finds the line.
            self.server.log.write(request, response, started, time.monotonic())
        self._send(response, keep=keep, head=head)
        return keep

    def _read_request(self) -> Request | None:
        """Read one request head, None at the end of the connection.

        Raises
        ------
        ValueError
            If it is not an HTTP request, or larger than any that our crawler sends.
        """
        line = self._read_line()
        if not line:
            return None
        parts = line.split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            raise ValueError("not an HTTP/1.1 request")
        headers: dict[str, str] = {}
        while line := self._read_line():
            name, colon, value = line.partition(":")
            if not colon or len(headers) >= _MAX_HEADERS:
                raise ValueError("bad or too many header lines")
            headers[name.lower()] = value.strip()
        host = headers.get("host", "").lower().partition(":")[0].rstrip(".")
        return Request(parts[0], host, parts[1], headers)

    def _read_line(self) -> str:
        line: bytes = self.rfile.readline(_MAX_LINE_BYTES + 1)
        if len(line) > _MAX_LINE_BYTES:
            raise ValueError("header line too long")
        return line.decode("latin-1").rstrip("\r\n")

    def _send(self, response: Response, *, keep: bool, head: bool) -> None:
        lines = [
            f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}",
            f"Content-Type: {response.content_type}",
            f"Connection: {'keep-alive' if keep else 'close'}",
            *(f"{name}: {value}" for name, value in response.headers.items()),
        ]
        if response.status != HTTPStatus.NOT_MODIFIED:
            lines.append(f"Content-Length: {len(response.body)}")
        message = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        if not head:
            message += response.body
        self.connection.sendall(message)


def serve_until_interrupted(server: LoopbackServer) -> None:
    """Serve in the main thread until Ctrl-C or SIGTERM."""
    # A program started in the background by a shell finds SIGINT ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        server.serve_forever(poll_interval=0.5)
    except KeyboardInterrupt:
        logger.info("server on port %s stopped", server.port)
    finally:
        server.server_close()
