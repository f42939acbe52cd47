"""Seeds from search providers that the person switched on, and from searches they described.

Providers that know links also say which pages link to the seeds.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from crawler.errors import FetchError, ParseError
from crawler.fetch.door import Fetched, status_refusal
from crawler.fetch.robots import RobotsRules, fetch_robots
from crawler.models import Crawl, Site
from crawler.page.lists.search_answers import canonical_results, format_of, read_answer
from crawler.page.url import host_of, site_of
from crawler.reasons import Reason
from crawler.search_providers import (
    ANY_FORMAT,
    FEED,
    LINK_STRATEGY,
    PLACE,
    Provider,
    find_provider,
    is_ours,
    search_address,
)
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry
from crawler.sources.searching import find_by_searches

#: Searches that one run makes at a provider; the others have their turn in later runs.
MAX_PER_PROVIDER: Final = 3
#: After so long a run makes no more searches: with the last one it stays within its time limit.
MAX_S: Final = 25.0
#: Longest wait for a provider that was just used.
PATIENCE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class _Search:
    """A search: whom it is sent to, and in what format the answer comes."""

    provider: str
    format: str
    pause_s: float
    is_ours: bool


class ProviderSearch:
    """Queries each search provider of a topic for each of its seed queries.

    The rules of a provider in our table are its terms of use, as its interface is made for
    programs. A search at the provider of a plugin, or one that a person described, is made only if
    the site's robots.txt allows it.

    Parameters
    ----------
    pause : callable
        Waits some seconds.
    clock : callable
        Seconds that only grow.
    """

    name = registry.PROVIDERS

    def __init__(
        self,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pause, self._clock = pause, clock

    def find(self, inquiry: Inquiry) -> Found:
        """Make those searches that are worth it now."""
        searches = self.searches(inquiry)
        if not searches and not inquiry.profile.searches:
            return Found()
        run_searches = _RunSearches(inquiry, searches, self._pause, self._clock)
        return find_by_searches(inquiry, self.name, list(searches), run_searches.search)

    def searches(self, inquiry: Inquiry) -> dict[str, _Search]:
        """The searches of a topic by address; each query at every provider before the next one."""
        found: dict[str, _Search] = {}
        for query in inquiry.profile.queries:
            for named in inquiry.profile.searches:
                provider = find_provider(named)
                if provider is not None:
                    found.setdefault(provider.address(query), _of_provider(provider))
                elif PLACE in named:
                    address = search_address(named, query)
                    found.setdefault(address, _Search(named, ANY_FORMAT, 1.0, is_ours=False))
        return found


class LinkSearch(ProviderSearch):
    """Finds the pages that link to a topic's seeds: S'' of the fourth paper [P4].

    The providers of the topic that know links are searched, if the strategy is the fourth
    paper's: no other one begins with such pages.
    """

    name = registry.LINKING

    def searches(self, inquiry: Inquiry) -> dict[str, _Search]:
        """A search for each seed, by address; each seed at every provider before the next one."""
        crawl = Crawl.objects.get(pk=inquiry.crawl_id)
        if crawl.settings.strategy != LINK_STRATEGY:
            return {}
        named = [find_provider(name) for name in inquiry.profile.searches]
        return {
            provider.linking_address(url): _of_provider(provider)
            for url in inquiry.profile.seeds
            for provider in named
            if provider is not None and provider.linking
        }


def _of_provider(provider: Provider) -> _Search:
    return _Search(provider.name, provider.format, provider.pause_s, is_ours(provider))


@dataclass(slots=True)
class _RunSearches:
    """The searches of one run: how many were made, and what robots.txt files say."""

    inquiry: Inquiry
    searches: dict[str, _Search]
    pause: Callable[[float], None]
    clock: Callable[[], float]
    started: float = field(init=False)
    counts: dict[str, int] = field(default_factory=dict)
    rules: dict[str, RobotsRules] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def search(self, address: str) -> list[str] | None:
        """Return the results of a search; None if it has to wait for a later run."""
        search = self.searches[address]
        n_made = self.counts.get(search.provider, 0)
        if n_made >= MAX_PER_PROVIDER or self.clock() - self.started > MAX_S:
            return None
        if not self.inquiry.may_fetch(host_of(address)):
            raise FetchError(Reason.NO_CONTACT, "FOCUSWEB_CONTACT_URL is not set")
        if not self._reserve(address, search.pause_s):
            return None
        self.counts[search.provider] = n_made + 1
        if not search.is_ours:
            self._check_robots(address)
        return self._read(self.inquiry.door.fetch(address), search)

    def _reserve(self, address: str, pause_s: float) -> bool:
        """Wait for the site and reserve it for one request; False if it rests for long."""
        now = self.inquiry.now + timedelta(seconds=self.clock() - self.started)
        site = Site.objects.of_url(address, now)
        if site.stopped:
            raise FetchError(Reason.SITE_STOPPED, "the operator stopped this site")
        wait_s = max(0.0, (site.next_fetch_at - now).total_seconds())
        if wait_s > PATIENCE_S:
            return False
        request_at = now + timedelta(seconds=wait_s)
        # Filtering on what was read turns the update into a lock between processes.
        free = Site.objects.filter(pk=site.pk, next_fetch_at=site.next_fetch_at).free(now)
        if not free.update(next_fetch_at=request_at + timedelta(seconds=pause_s)):
            return False
        if wait_s:
            self.pause(wait_s)
        return True

    def _check_robots(self, address: str) -> None:
        site = site_of(address)
        if site not in self.rules:
            self.rules[site] = fetch_robots(self.inquiry.door, address)
        rules = self.rules[site]
        if rules.verdict == "forbid_all":
            raise FetchError(Reason.ROBOTS_UNREACHABLE, rules.detail)
        if not rules.allows(address):
            raise FetchError(Reason.ROBOTS_FORBIDDEN, "robots.txt forbids this search")

    def _read(self, fetched: Fetched, search: _Search) -> list[str]:
        refused = status_refusal(fetched)
        if refused is not None:
            raise refused
        if fetched.redirect_to:
            raise FetchError(Reason.BAD_RESPONSE, f"redirects to {fetched.redirect_to}")
        name = search.format or format_of(fetched.body)
        if name and name != FEED:
            return read_answer(name, fetched.body, fetched.url)
        content_type = fetched.headers.get("content-type", "")
        page = self.inquiry.parser.parse(fetched.body, fetched.url, content_type)
        if not page.is_listing:
            raise ParseError(Reason.UNREADABLE_LIST, "the answer is neither a feed nor JSON")
        return canonical_results([link.url for link in page.links])
