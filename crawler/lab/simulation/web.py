"""A simulated web: what stands at every address at every moment."""

import random
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawler.lab.simulation.linking import Picks, link_articles
from crawler.lab.simulation.making import (
    Extent,
    draw_articles,
    make_sites,
    number_articles,
)
from crawler.lab.simulation.planted_cases import Planted, plant
from crawler.lab.simulation.site import SimulatedArticle, SimulatedSite, SiteKind
from crawler.lab.simulation.words import TOPIC

#: Articles below this share of the subject's words mention it and are not counted as found.
LEAST_DENSITY = 0.2


@dataclass(frozen=True, slots=True)
class SimulatedWeb:
    """A web with its sites, articles, lists and planted cases.

    Attributes
    ----------
    articles : sequence of SimulatedArticle
        By number; in the order of publication.
    listed : mapping of int to sequence of (float, int)
        Per site what it puts on top of its lists, and when, ascending.
    old : frozenset of int
        Planted articles that are older than they may look.
    by_url : mapping of str to int
        SimulatedArticle by address.
    """

    extent: Extent
    sites: Sequence[SimulatedSite]
    articles: Sequence[SimulatedArticle]
    picks: Picks
    planted: Planted
    listed: Mapping[int, Sequence[tuple[float, int]]]
    old: frozenset[int]
    by_url: Mapping[str, int]
    by_host: Mapping[str, SimulatedSite]

    def url_of(self, article: SimulatedArticle) -> str:
        """Return the address of an article."""
        return f"http://{self.sites[article.site].host}{article.path}"

    def newest(
        self, site: SimulatedSite, day: float, subject: int | None = None
    ) -> list[SimulatedArticle]:
        """What a site lists on a day, the newest on top, each once; of one subject if given."""
        events = self.listed.get(site.number, ())
        place = bisect_right(events, (day, len(self.articles)))
        found = [self.articles[number] for _, number in reversed(events[:place])]
        if subject is not None:
            found = [article for article in found if article.subject == subject]
        return list({article.number: article for article in found}.values())

    def picked(self, hub: SimulatedSite, day: float) -> list[SimulatedArticle]:
        """Return what a hub lists on a day, the newest on top."""
        events = self.picks.by_hub.get(hub.number, [])
        place = bisect_right(events, (day, len(self.articles)))
        return [self.articles[number] for _, number in reversed(events[:place])]

    def is_item(self, article: SimulatedArticle) -> bool:
        """True for an article that a monitor of the watched subject is to find."""
        return self.is_on_subject(article) and article.number not in self.old

    def is_on_subject(self, article: SimulatedArticle) -> bool:
        """True for an article of the watched subject, new or old, but for those of farms."""
        return (
            article.subject == TOPIC
            and article.density >= LEAST_DENSITY
            and self.sites[article.site].kind is not SiteKind.SPAM
        )


def make_web(seed: int, extent: Extent) -> SimulatedWeb:
    """Make a web; the same seed and extent give the same one."""
    rng = random.Random(seed)
    sites = make_sites(rng, extent)
    articles = draw_articles(rng, sites, extent)
    planted = plant(rng, sites, articles, extent)
    articles += planted.added()
    number_articles(rng, sites, articles)
    for copy, original in planted.moved:
        copy.twin = original.number
    picks = link_articles(rng, sites, articles)
    listed: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for article in articles:
        listed[article.site].append((article.listed_from, article.number))
        if article.redated < extent.n_days:
            listed[article.site].append((article.redated, article.number))
    for events in listed.values():
        events.sort()
    by_url = {f"http://{sites[a.site].host}{a.path}": a.number for a in articles}
    by_host = {site.host: site for site in sites}
    planted_old = planted.dated + planted.redated + [copy for copy, _ in planted.moved]
    old = frozenset(article.number for article in planted_old)
    return SimulatedWeb(extent, sites, articles, picks, planted, listed, old, by_url, by_host)
