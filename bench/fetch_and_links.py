"""Our door and the links of each page, and nothing else: what fetching alone costs.

    python -m bench.fetch_and_links N_PAGES PORT...

Pages come through `crawler.fetch.door`, sixteen at once; links are found by lxml and spelt as the
crawl spells them.
"""

import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import lxml.html

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig, parse_connect_to
from crawler.fetch.door import Door
from crawler.page.url import canonical_url

N_THREADS = 16


def links_of(url: str, body: bytes) -> list[str]:
    """Return the URLs that a page links to."""
    found = []
    for href in lxml.html.fromstring(body).xpath("//a/@href"):
        try:
            found.append(canonical_url(href, url))
        except FetchError:
            continue
    return found


def crawl(n_pages: int, ports: Sequence[str]) -> int:
    """Fetch so many pages breadth-first; returns how many links were met."""
    rules = ",".join(f"h{host}.bench.test=127.0.0.1:{port}" for host, port in enumerate(ports))
    door = Door(FetchConfig("FocusWeb-bench", parse_connect_to(rules)))
    first = canonical_url("http://h0.bench.test/p/0")
    waiting, known, n_links = deque([first]), {first}, 0
    with ThreadPoolExecutor(N_THREADS) as threads:
        running: dict[Future[bytes], str] = {}
        n_left = n_pages
        while running or (waiting and n_left):
            while waiting and n_left and len(running) < N_THREADS:
                url, n_left = waiting.popleft(), n_left - 1
                running[threads.submit(lambda url: door.fetch(url).body, url)] = url
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                links = links_of(running.pop(done), done.result())
                n_links += len(links)
                new = [link for link in dict.fromkeys(links) if link not in known]
                known.update(new)
                waiting.extend(new)
    return n_links


if __name__ == "__main__":
    print(crawl(int(sys.argv[1]), sys.argv[2:]), "links")
