"""Which sources a monitor has heard of: feeds, sitemaps, front pages, lists that led on."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from crawler.lab.simulation.board import WatchingBoard
from crawler.lab.simulation.policies import Key, Policy
from crawler.lab.simulation.rendering import SITEMAP_PATH
from crawler.lab.simulation.web import SimulatedWeb
from crawler.page.url import domain_of, site_of
from crawler.ranking.freshness import is_new_site
from crawler.revisit.hubs import (
    HEARING,
    LEAST_LED,
    LEAST_PRAISED_NEW,
    best_hubs,
    leads_elsewhere,
    n_exploration_visits,
    sites_to_explore,
    sites_to_front,
)
from crawler.revisit.listed import share_on_topic
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
            posting.claim.site for key, posting in board.harvests.items() if board.is_believed(key)
        )
        for site, n_kept in kept_of_site.items():
            host = self._web.by_host.get(site)
            if n_kept >= LEAST_OF_SITE and host is not None and host.has_sitemap:
                yield f"http://{site}{SITEMAP_PATH}", False
        for site in sites_to_front(kept_of_site, {site_of(url) for url in board.feeds}):
            yield f"http://{site}/", False
        fed = {site_of(url) for url in board.feeds}
        for url in board.new_fronts():
            if site_of(url) not in fed:
                yield url, False
        for key, pages in board.led_to.items():
            if len(pages) >= LEAST_LED:
                yield board.url_of(key), False
        for key in self._hubs():
            yield board.url_of(key), False

    def _hubs(self) -> list[int]:
        """Pages that link to most kept ones, of several sites."""
        board = self._board
        kept = {
            key: domain_of(posting.claim.url)
            for key, posting in board.harvests.items()
            if board.is_believed(key)
        }
        linked = {}
        for key in board.harvests:
            domains = [kept[target] for target in board.links_from(key) if target in kept]
            linked[key] = len(set(domains)), len(domains)
        return best_hubs(linked)

    def of_new_sites(self, now: datetime) -> frozenset[Key]:
        """The sources whose sites are new."""
        board = self._board
        return frozenset(
            source
            for source in self._policy.states()
            if (seen := board.site_seen.get(site_of(str(source)))) is not None
            and is_new_site(seen, board.baseline_end, now)
        )

    def scouts(self, n_pages: int) -> list[str]:
        """What a run of so many pages tries, as `crawler.sources.exploration` chooses it."""
        n_most = n_exploration_visits(n_pages)
        found = (
            *self._pages_of_hubs()[:n_most],
            *self._new_fronts(n_most),
            *self._of_new_sites(n_most),
            *self._fronts(n_most),
        )
        return list(dict.fromkeys(found))[:n_most]

    def _of_new_sites(self, n_most: int) -> list[str]:
        board = self._board
        n_fetched = Counter(posting.claim.site for posting in board.harvests.values())
        few = {
            site
            for site, n in n_fetched.items()
            if n < HEARING and is_new_site(board.site_seen[site], board.baseline_end, board.now)
        }
        heard = Counter({site: n_fetched[site] for site in few})
        chosen: list[str] = []
        for waiting in board.waiting_of(few):
            if heard[waiting.site] < HEARING and len(chosen) < n_most:
                heard[waiting.site] += 1
                chosen.append(waiting.url)
        return chosen

    def _pages_of_hubs(self) -> list[str]:
        board = self._board
        own = []
        for hub in self._policy.states():
            key = board.key_of(str(hub))
            if key is None or str(hub) in board.feeds:
                continue
            urls = [board.url_of(target) for target in board.links_from(key)]
            if leads_elsewhere(str(hub), urls):
                own += [url for url in urls if site_of(url) == site_of(str(hub))]
        return [url for url in own if not self._was_asked(url)]

    def _fronts(self, n_most: int) -> list[str]:
        kept = [key for key in self._board.harvests if self._board.is_believed(key)]
        praise = self._praise(kept)
        chosen = sites_to_explore(praise, self._known(praise), n_most=n_most)
        return [f"http://{site}/" for site in chosen]

    def _new_fronts(self, n_most: int) -> list[str]:
        board = self._board
        hubs = {board.key_of(str(url)) for url in self._policy.states() if url not in board.feeds}
        telling = [key for key in board.harvests if board.is_believed(key) or key in hubs]
        praise = {
            site: n
            for site, n in self._praise(telling).items()
            if is_new_site(board.site_seen[site], board.baseline_end, board.now)
        }
        known = self._known(praise)
        chosen = sites_to_explore(praise, known, n_most=n_most, least=LEAST_PRAISED_NEW)
        return [f"http://{site}/" for site in chosen]

    def _praise(self, telling: Iterable[int]) -> dict[str, int]:
        """By site, how many domains link to it from some pages."""
        board = self._board
        praising: defaultdict[str, set[str]] = defaultdict(set)
        for key in telling:
            own = domain_of(board.url_of(key))
            for target in board.links_from(key):
                if domain_of(board.url_of(target)) != own:
                    praising[board.site_of(target)].add(own)
        return {site: len(domains) for site, domains in praising.items()}

    def _known(self, praised: Iterable[str]) -> set[str]:
        known = {site_of(url) for url in self._board.feeds}
        return known | {site for site in praised if self._was_asked(f"http://{site}/")}

    def _was_asked(self, url: str) -> bool:
        key = self._board.key_of(url)
        return key is not None and self._board.was_asked(key)

    def looked_at(self, url: str, now: datetime) -> None:
        """Tell the policy what a look brought: kept pages that were reached since.

        A look that the run had no page left for was none.
        """
        key = self._board.key_of(url)
        if key is None or not self._board.was_asked_at(key, now):
            return
        n_led = len(self._board.led_to.get(key, ()))
        n_new = n_led - self._told.get(key, 0)
        self._told[key] = n_led
        n_listed = self._board.n_links.get(key, 0)
        grew = self._board.lists.grew.get(url)
        if grew is not None:
            grew = grew.of(self._share(key))
        self._policy.visited(url, now, n_new, n_listed, grew)

    def _share(self, source: int) -> float:
        """Share on topic of what was fetched of a source's site, or through the source."""
        site = self._board.site_of(source)
        of_source = [
            key
            for key, one in self._board.harvests.items()
            if key != source and (one.claim.site == site or one.claim.parent == source)
        ]
        n_kept = sum(self._board.is_believed(key) for key in of_source)
        return share_on_topic(n_kept, len(of_source))
