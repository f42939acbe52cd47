"""FetchOutcome requests as a simulated web would, at the moment that a simulated clock shows."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2b

from crawler.crawl.collector import FetchOutcome
from crawler.errors import ParseError
from crawler.fetch.robots import parse_robots
from crawler.lab.simulation.rendering import (
    FEED_PATH,
    SITEMAP_PATH,
    Renderer,
    read_day,
)
from crawler.lab.simulation.site import SimulatedArticle, SimulatedSite, SiteKind
from crawler.lab.simulation.times import moment_of_day
from crawler.lab.simulation.web import SimulatedWeb
from crawler.messages import Batch, FetchItem, SiteState
from crawler.page.parse import parse_page
from crawler.page.url import host_of
from crawler.reasons import Reason
from crawler.store.frontier.politeness import keep_rules

_SECTION = re.compile(r"/s/(\d+)/p(\d+)$")
_XML = "application/xml"
#: The robots.txt of a simulated site never changes.
ROBOTS_FOR = timedelta(days=1000)


@dataclass(slots=True)
class Traffic:
    """The requests to the web.

    Attributes
    ----------
    n_requests, n_unchanged : int
        In all, and those answered by 304.
    n_conditional : int
        Those that could be: they named a version that was still the present one, or the page
        said the same as at the last look although its site names no versions.
    n_traps : int
        For addresses that are made up without end.
    """

    n_requests: int = 0
    n_unchanged: int = 0
    n_conditional: int = 0
    n_traps: int = 0


@dataclass(slots=True)
class SimulatedSource:
    """Pages of a simulated web as they stand at `day`, as a `PageSource`.

    A run sees every page as it stands when the run begins.
    """

    web: SimulatedWeb
    renderer: Renderer
    day: float = 0.0
    traffic: Traffic = field(default_factory=Traffic)
    fetched_first: dict[int, float] = field(default_factory=dict)
    fetched_last: dict[int, float] = field(default_factory=dict)
    _seen: dict[str, str] = field(default_factory=dict)

    def answers(
        self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
    ) -> Iterator[FetchOutcome]:
        """FetchOutcome every claim, in order, after the robots.txt of its site."""
        for state in work.sites.values():
            if state.robots_until <= self.now():
                self._keep_robots(state)
        for claim in work.claims:
            yield self.answer(claim)

    def sites(self) -> Mapping[str, SiteState]:
        """Nothing is known of sites."""
        return {}

    def _keep_robots(self, state: SiteState) -> None:
        """Store that a site forbids nothing, and which sitemap it names."""
        site = self.web.by_host.get(state.name)
        line = f"Sitemap: {SITEMAP_PATH}" if site and site.has_sitemap else ""
        rules = parse_robots(line.encode(), base=f"http://{state.name}/robots.txt")
        keep_rules(replace(state, robots_until=self.now() + ROBOTS_FOR), rules)

    def answer(self, claim: FetchItem) -> FetchOutcome:
        """FetchOutcome one claim: the page, that it is unchanged, or that there is none."""
        self.traffic.n_requests += 1
        site = self.web.by_host.get(host_of(claim.url))
        body = self._body(claim.url, site) if site else None
        if site is None or body is None:
            return FetchOutcome(claim, None, Reason.GONE)
        content, kind = body
        tag = blake2b(content.encode(), digest_size=8).hexdigest()
        headers = {"etag": f'"{tag}"'} if site.has_validators else {}
        before = self._seen.get(claim.url)
        self._seen[claim.url] = tag
        self.traffic.n_conditional += before == tag
        if headers and claim.conditions.get("If-None-Match") == headers["etag"]:
            self.traffic.n_unchanged += 1
            return FetchOutcome(claim, None, Reason.UNCHANGED)
        try:
            page = parse_page(content.encode(), claim.url, f"{kind}; charset=utf-8")
        except ParseError as error:
            return FetchOutcome(claim, None, error.reason, error.detail)
        return FetchOutcome(claim, page, Reason.FETCHED, headers=headers)

    def _body(self, url: str, site: SimulatedSite) -> tuple[str, str] | None:
        if site.born > self.day:
            return None
        path = url.partition("://")[2].partition("/")[2]
        path = f"/{path}"
        article = self.web.by_url.get(url)
        if article is not None:
            return self._article(self.web.articles[article])
        return self._list(site, path)

    def _article(self, article: SimulatedArticle) -> tuple[str, str] | None:
        if article.published > self.day:
            return None
        self.fetched_first.setdefault(article.number, self.day)
        self.fetched_last[article.number] = self.day
        return self.renderer.article(article, self.day), "text/html"

    def _list(self, site: SimulatedSite, path: str) -> tuple[str, str] | None:
        render, day = self.renderer, self.day
        if path == "/":
            return render.front(site, day), "text/html"
        if path == FEED_PATH and site.has_feed:
            return render.feed(site, day), _XML
        if path == SITEMAP_PATH and site.has_sitemap:
            return render.sitemap(site, day), _XML
        if path == "/sites" and site.kind is SiteKind.HUB:
            return render.sites_list(site, day), "text/html"
        if match := _SECTION.match(path):
            subject, number = int(match[1]), int(match[2])
            if subject in site.subjects:
                return render.section(site, subject, number, day), "text/html"
        if site.kind is SiteKind.TRAP and path.startswith("/calendar/"):
            self.traffic.n_traps += 1
            when = read_day(path.removeprefix("/calendar/"))
            return (render.calendar(site, when, day), "text/html") if when else None
        return None

    def now(self) -> datetime:
        """The moment the clock shows."""
        return moment_of_day(self.day)
