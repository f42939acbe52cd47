"""The benchmark's web: pages of about 30 KB with 40 links, on five hosts of this machine.

Requested as h0.bench.test, ... it links to those names; requested by address and port, as a crawler
without our map of hosts must, it links to the five ports. The pages are otherwise the same.
"""

import sys
from contextlib import ExitStack
from functools import lru_cache
from random import Random

from focusweb.demo.loopback_server import LoopbackServer, Request, Response

N_HOSTS = 5
N_LINKS = 40
PAGE_BYTES = 30_000
_SYLLABLES = "ra lo mi ten sor dal vek una pri cho bel gan tur sia nof wem".split()


def vocabulary(size: int = 6000) -> list[str]:
    """Made-up words, the same ones every time."""
    rng = Random(1)
    return ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(size)]


class BenchSite:
    """`n_pages` pages; page 0 leads to all."""

    def __init__(self, n_pages: int) -> None:
        self._n_pages = n_pages
        self._words = vocabulary()
        # As in prose, few words make up most of the text.
        self._weights = [1 / (rank + 3) for rank in range(len(self._words))]
        self.ports: list[int] = []

    def answer(self, request: Request) -> Response:
        """Answer as any of the hosts."""
        if not request.target.startswith("/p/"):
            return Response(404, b"nothing here")
        number = int(request.target[3:])
        names = request.host.endswith(".bench.test")
        body = self._page(number)
        for host in range(N_HOSTS):
            base = f"http://h{host}.bench.test" if names else f"http://127.0.0.1:{self.ports[host]}"
            body = body.replace(f"%{host}%", base)
        return Response(200, body.encode())

    @lru_cache(maxsize=4096)  # noqa: B019  the site lives as long as the process
    def _page(self, number: int) -> str:
        rng = Random(number)
        targets = [8 * number + child for child in range(1, 9)]
        targets += [rng.randrange(self._n_pages) for _ in range(N_LINKS - 8)]
        links = [
            f'<a href="%{target % N_HOSTS}%/p/{target}">{self._prose(rng, 3)}</a>'
            for target in targets
            if target < self._n_pages
        ]
        menu = "".join(f"<li>{link}</li>" for link in links[:10])
        parts = [f"<h1>{self._prose(rng, 6)}</h1>"]
        n_bytes = 0
        for link in links[10:]:
            text = f"{self._prose(rng, 60)} {link} {self._prose(rng, 40)}"
            parts.append(f"<p>{text}</p>")
            n_bytes += len(text)
        while n_bytes < PAGE_BYTES - 4000:
            text = self._prose(rng, 120)
            parts.append(f"<h2>{self._prose(rng, 4)}</h2><p>{text}</p>")
            n_bytes += len(text)
        return (
            f"<!doctype html><html lang=en><head><title>{self._prose(rng, 5)}</title>"
            f"<style>p {{ margin: 1em }}</style></head><body><nav><ul>{menu}</ul></nav>"
            f"<main>{''.join(parts)}</main></body></html>"
        )

    def _prose(self, rng: Random, n_words: int) -> str:
        return " ".join(rng.choices(self._words, self._weights, k=n_words))


def serve(n_pages: int) -> None:
    """Serve until standard input ends; prints the ports when ready."""
    site = BenchSite(n_pages)
    with ExitStack() as stack:
        for _ in range(N_HOSTS):
            server = stack.enter_context(LoopbackServer(site.answer))
            site.ports.append(server.port)
        for number in range(n_pages):
            site._page(number)
        print(*site.ports, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
