"""A web of a few pages, for agents to crawl without a network."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from crawler.crawl.collector import FetchOutcome
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.messages import Batch, SiteState
from crawler.page.parse import parse_page
from crawler.reasons import Reason

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SEED = "http://hub.test/"

PAGES = {
    "http://hub.test/": """<title>Links</title><p>A list of places to read on
        <a href="http://solar.test/cells">solar cells</a> and
        <a href="http://kitchen.test/soup">soup</a> and
        <a href="/moved">the old address</a> and <a href="/gone">what is gone</a></p>""",
    "http://solar.test/cells": """<title>Solar cells</title><h1>Solar cells</h1>
        <p>A solar cell turns sunlight into electricity. Solar panels hold many cells.
        <a href="http://solar.test/panels">solar panels</a></p>""",
    "http://solar.test/panels": """<title>Solar panels</title>
        <p>Solar panels are made of solar cells; a solar cell has two layers.
        <a href="http://solar.test/cells">cells</a></p>""",
    "http://kitchen.test/soup": """<title>Soup</title>
        <p>Cut the onions, add the broth, let it simmer for an hour, then serve it hot.
        <a href="http://solar.test/cells">our oven runs on sunlight</a></p>""",
}
MOVED = {"http://hub.test/moved": "http://solar.test/panels"}

PROFILE = TopicProfile(name="solar cells", languages=("en",), seeds=(SEED,))
SETTINGS = CrawlSettings(strategy="best_first", judge="cosine", n_pages=50)


class PaperWeb:
    """Answers claims from a mapping of pages, as `PageSource`."""

    def __init__(
        self, pages: Mapping[str, str] = PAGES, failing: Mapping[str, Reason] | None = None
    ) -> None:
        self._pages = pages
        self._failing = failing or {}
        self.requested: list[str] = []
        self._sites: dict[str, SiteState] = {}

    def answers(
        self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
    ) -> Iterator[FetchOutcome]:
        self._sites = dict(work.sites)
        for claim in work.claims:
            self.requested.append(claim.url)
            if claim.url in self._failing:
                yield FetchOutcome(claim, None, self._failing[claim.url], "as told")
            elif claim.url in MOVED:
                yield FetchOutcome(claim, None, Reason.REDIRECTED, redirect_to=MOVED[claim.url])
            elif claim.url in self._pages:
                page = parse_page(self._pages[claim.url].encode(), claim.url, "text/html")
                yield FetchOutcome(claim, page, Reason.FETCHED)
            else:
                yield FetchOutcome(claim, None, Reason.GONE, "404")

    def sites(self) -> Mapping[str, SiteState]:
        return self._sites
