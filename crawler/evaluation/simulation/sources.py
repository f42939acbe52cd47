"""Which sources a monitor has heard of: feeds, sitemaps, front pages, lists that led on."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from crawler.evaluation.simulation.board import WatchingBoard
from crawler.evaluation.simulation.policies import Policy
from crawler.evaluation.simulation.rendering import SITEMAP_PATH
from crawler.evaluation.simulation.web import SimulatedWeb
from crawler.page.url import site_of
from crawler.revisit.places import LEAST_LED, sites_to_front
from crawler.revisit.rate import ANY_SOURCE, FEED

#: A site's sitemap is asked for when so many of its pages are kept, as live.
LEAST_OF_SITE: Final = 3
#: Sources of one site that are watched.
MAX_PER_SITE: Final = 3


class KnownSources:
    """Tells a policy of sources as they are found, and of what looks at them brought."""

    def __init__(self, web: SimulatedWeb, board: WatchingBoard, policy: Policy) -> None:
        self._web = web
        self._board = board
        self._policy = policy
        self._of_site: Counter[str] = Counter()
        self._told: dict[int, int] = {}

    def note(self, now: datetime) -> None:
        """Enter what has become known as a source."""
        known = self._policy.states()
        for url, is_feed in self._found():
            site = site_of(url)
            if url not in known and self._of_site[site] < MAX_PER_SITE:
                self._of_site[site] += 1
                self._policy.enter(url, now, FEED if is_feed else ANY_SOURCE)

    def _found(self) -> Iterator[tuple[str, bool]]:
        board = self._board
        for url in board.feeds:
            yield url, True
        kept_of_site = Counter(
            posting.claim.site for posting in board.harvests.values() if posting.kept
        )
        for site, n_kept in kept_of_site.items():
            host = self._web.by_host.get(site)
            if n_kept >= LEAST_OF_SITE and host is not None and host.has_sitemap:
                yield f"http://{site}{SITEMAP_PATH}", False
        for site in sites_to_front(kept_of_site, {site_of(url) for url in board.feeds}):
            yield f"http://{site}/", False
        for key, pages in board.led_to.items():
            if len(pages) >= LEAST_LED:
                yield board.url_of(key), False

    def looked_at(self, url: str, now: datetime) -> None:
        """Tell the policy what a look brought: kept pages that were reached since."""
        key = self._board.key_of(url)
        if key is None:
            return
        n_led = len(self._board.led_to.get(key, ()))
        n_new = n_led - self._told.get(key, 0)
        self._told[key] = n_led
        self._policy.visited(url, now, n_new, self._board.n_links.get(key, 0))
