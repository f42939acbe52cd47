"""Sites of many small pages for the hosts to crawl.

`python -m tests.hosts.sites LOG SITES PAGES SECONDS` serves them; each answer takes SECONDS.
It listens on the sites' address of its namespace. Each topic has sites of its own, named
hN.TOPIC.crash.test, so that what one topic found says nothing of another.
"""

import signal
import sys
from pathlib import Path
from random import Random

from focusweb.demo.loopback_server import LoopbackServer, Request, RequestLog, Response
from tests.crashes.site import FAN_OUT
from tests.hosts.network import SITES

ROBOTS = b"User-agent: *\nDisallow: /secret/\n"
_WORDS = (
    "river valley stone bridge mill wheel water meadow willow heron otter reed bank ford weir "
    "lantern boat oar rope anchor harbour tide shore gull cliff chalk path stile hedge orchard"
).split()


def url(topic: str, number: int, n_sites: int) -> str:
    """The address of a page of a topic."""
    return f"http://h{number % n_sites}.{topic}.crash.test/p/{number}"


class Pages:
    """What the sites answer."""

    def __init__(self, n_sites: int, n_pages: int) -> None:
        self._n_sites, self._n_pages = n_sites, n_pages

    def answer(self, request: Request) -> Response:
        """Answer for any site of any topic."""
        if request.target == "/robots.txt":
            return Response(200, ROBOTS, "text/plain")
        number = request.target.removeprefix("/p/")
        if not number.isdecimal() or int(number) >= self._n_pages:
            return Response(404)
        return Response(200, self._page(request.host.split(".")[1], int(number)).encode())

    def _page(self, topic: str, number: int) -> str:
        rng = Random(number)
        text = " ".join(rng.choices(_WORDS, k=120))
        children = range(FAN_OUT * number + 1, FAN_OUT * number + FAN_OUT + 1)
        others = (rng.randrange(self._n_pages) for _ in range(4))
        links = " ".join(
            f'<a href="{url(topic, to, self._n_sites)}">{_WORDS[to % 30]} {to}</a>'
            for to in (*children, *others)
            if to < self._n_pages
        )
        return f"<title>Page {number}</title><p>{text}</p><p>{links}</p>"


def main(log: str, n_sites: str, n_pages: str, answer_s: str) -> None:
    """Serve until stopped; prints the port."""
    pages = Pages(int(n_sites), int(n_pages))
    requests = RequestLog.open(Path(log))
    with LoopbackServer(
        pages.answer, log=requests, delay_s=float(answer_s), address=SITES
    ) as server:
        sys.stdout.write(f"{server.port}\n")
        sys.stdout.flush()
        signal.sigwait([signal.SIGTERM, signal.SIGINT])


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    main(*sys.argv[1:])
