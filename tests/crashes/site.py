"""A web of many small pages on loopback, whose server writes down every request."""

import json
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

from focusweb.demo.loopback_server import LoopbackServer, Request, RequestLog, Response

#: Links of each page; with them page 0 leads to every page.
FAN_OUT = 8
_WORDS = (
    "river valley stone bridge mill wheel water meadow willow heron otter reed bank ford weir "
    "lantern boat oar rope anchor harbour tide shore gull cliff chalk path stile hedge orchard"
).split()


def _ignore(number: int) -> None:
    """Do nothing at a page."""


class Web:
    """`n_pages` pages dealt out to `n_hosts` hosts named h0.crash.test, h1.crash.test, ...

    `on_page` gets each page's number before the response.
    """

    def __init__(
        self,
        n_pages: int,
        n_hosts: int,
        log: Path,
        on_page: Callable[[int], None] = _ignore,
    ) -> None:
        self.on_page = on_page
        self.n_pages = n_pages
        self.n_hosts = n_hosts
        self.log = log
        self._stream = log.open("a", encoding="utf-8", buffering=1)
        self._server = LoopbackServer(self._answer, log=RequestLog(self._stream))

    def __enter__(self) -> "Web":
        self._server.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.__exit__(None, None, None)
        self._stream.close()

    def start_over(self) -> None:
        """Forget every request, and what to do at a page."""
        self.on_page = _ignore
        self._stream.truncate(0)

    @property
    def connect_to(self) -> str:
        """The value of FOCUSWEB_CONNECT_TO that leads here."""
        return f"*.crash.test=127.0.0.1:{self._server.port}"

    def n_requests(self) -> int:
        """Requests answered so far."""
        return len(self.log.read_bytes().splitlines())

    def url(self, number: int) -> str:
        """The address of a page."""
        return f"http://h{number % self.n_hosts}.crash.test/p/{number}"

    def _answer(self, request: Request) -> Response:
        if request.target == "/robots.txt":
            return Response(200, b"User-agent: *\nDisallow: /secret/\n", "text/plain")
        if not request.target.startswith("/p/"):
            return Response(404)
        number = int(request.target.rpartition("/")[2])
        self.on_page(number)
        return Response(200, self._page(number).encode())

    def _page(self, number: int) -> str:
        rng = Random(number)
        text = " ".join(rng.choices(_WORDS, k=120))
        children = range(FAN_OUT * number + 1, FAN_OUT * number + FAN_OUT + 1)
        others = (rng.randrange(self.n_pages) for _ in range(4))
        targets = [child for child in (*children, *others) if child < self.n_pages]
        links = " ".join(f'<a href="{self.url(to)}">{_WORDS[to % 30]} {to}</a>' for to in targets)
        links += f' <a href="/secret/{number}">keep out {number % 5}</a>'
        return f"<title>Page {number}</title><p>{text}</p><p>{links}</p>"


def breaches(log: Path, delay_s: float) -> list[str]:
    """What the server saw that must not be: overlaps at one URL, pauses cut short at one host."""
    by_url: dict[str, list[tuple[float, float]]] = defaultdict(list)
    by_host: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for line in log.read_text("utf-8").splitlines():
        row = json.loads(line)
        span = (row["start"], row["end"])
        by_url[row["host"] + row["path"]].append(span)
        by_host[row["host"]].append(span)
    found = [
        f"{url}: asked again {start - end:.3f} s after its last answer began"
        for url, spans in by_url.items()
        for (_, end), (start, _) in _pairs(spans)
        if start < end
    ]
    return found + [
        f"{host}: rested {start - end:.4f} s, not {delay_s}"
        for host, spans in by_host.items()
        for (_, end), (start, _) in _pairs(spans)
        if start - end < delay_s
    ]


def _pairs(
    spans: list[tuple[float, float]],
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    ordered = sorted(spans)
    return list(pairwise(ordered))
