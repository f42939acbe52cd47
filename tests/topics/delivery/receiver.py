"""A receiver of webhooks on loopback that writes down what it was sent.

What it answers depends on the path: ``/500``, ``/410``, ``/302`` give that status, ``/hang`` never
answers, ``/cut`` takes the message and closes the connection; all others answer 204.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """The server, what it got, and the statuses it answers next instead of the path's."""

    port: int = 0
    calls: list[Call] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    cut: bool = False
    released: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Listen on a free port."""
    state = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.calls.append(Call(self.path, headers, body))
            if self.path == "/hang":
                state.released.wait(60)
                return
            if state.cut or self.path == "/cut":
                self.close_connection = True
                return
            status = state.answers.pop(0) if state.answers else self._status()
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:1/inside")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _status(self) -> int:
            name = self.path.strip("/")
            return int(name) if name.isdigit() else 204

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
