"""A web server on loopback that behaves as badly as a test needs."""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Self

#: Writes whatever it likes to the client; the server closes the connection after.
Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Request:
    """A client's request, as it came."""

    target: str
    headers: dict[str, str]
    connection: int


@dataclass
class BadServer:
    """Answers each path as planned; keeps a connection open only after `page` answers."""

    requests: list[Request] = field(default_factory=list)
    port: int = 0
    tls: ssl.SSLContext | None = None
    _pages: dict[str, bytes] = field(default_factory=dict)
    _plays: dict[str, Behaviour] = field(default_factory=dict)
    _n_connections: int = 0
    _greeting: bytes = b""

    def page(self, path: str, body: bytes = b"", status: str = "200 OK", **fields: str) -> None:
        """Serve a proper answer; `content_type="x"` becomes "Content-Type: x"."""
        named = {name.replace("_", "-").title(): value for name, value in fields.items()}
        named = {"Content-Type": "text/html", "Content-Length": str(len(body)), **named}
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items())]
        self._pages[path] = "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def raw(self, path: str, *parts: bytes) -> None:
        """Send these bytes and close the connection."""

        async def send(writer: asyncio.StreamWriter) -> None:
            for part in parts:
                writer.write(part)
                await writer.drain()

        self.play(path, send)

    def repeat(self, path: str, head: bytes, part: bytes, *, times: int, pause_s: float) -> None:
        """Send `head`, then `part` many times with a pause after each, then close."""

        async def send(writer: asyncio.StreamWriter) -> None:
            writer.write(head)
            for _ in range(times):
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(pause_s)

        self.play(path, send)

    def play(self, path: str, behaviour: Behaviour) -> None:
        self._plays[path] = behaviour

    def greet(self, greeting: bytes) -> None:
        """Send this to every client before its request, then close."""
        self._greeting = greeting

    def asked_for(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.target == path]

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(10)

    def _run(self, started: threading.Event) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(started))

    async def _serve(self, started: threading.Event) -> None:
        self._stopped = asyncio.Event()
        clients: set[asyncio.Task[None]] = set()

        def on_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._answer(reader, writer))
            clients.add(task)
            task.add_done_callback(clients.discard)

        server = await asyncio.start_server(on_client, "127.0.0.1", 0, ssl=self.tls)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stopped.wait()
        server.close()
        for task in clients:
            task.cancel()
        await asyncio.gather(*clients)
        # One more turn, for transports to close their sockets.
        await asyncio.sleep(0)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._n_connections += 1
        number = self._n_connections
        # A client that goes away in the middle is what most behaviours are about.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._converse(reader, writer, number)
            writer.close()
            await writer.wait_closed()
        writer.transport.abort()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> None:
        if self._greeting:
            writer.write(self._greeting)
            return
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *rows = head.strip().split("\r\n")
            headers = dict(row.lower().split(": ", 1) for row in rows)
            request = Request(line.split(" ")[1], headers, number)
            self.requests.append(request)
            if request.target not in self._pages:
                await self._plays.get(request.target, _not_planned)(writer)
                return
            writer.write(self._pages[request.target])
            await writer.drain()


async def _not_planned(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()


class Canary:
    """A port that no program should ever connect to."""

    def __init__(self) -> None:
        self._listener = socket.socket()
        self._listener.setblocking(False)
        for port in range(8900, 9000):
            with contextlib.suppress(OSError):
                self._listener.bind(("127.0.0.1", port))
                break
        self._listener.listen(64)
        self.port: int = self._listener.getsockname()[1]

    def hits(self) -> int:
        """Count and clear the connections that came."""
        n_hits = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                self._listener.accept()[0].close()
                n_hits += 1
        return n_hits

    def close(self) -> None:
        self._listener.close()
