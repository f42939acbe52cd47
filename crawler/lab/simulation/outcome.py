"""What a monitor made of a simulated web: what it found when, and what it listed first."""

import math
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import numpy as np

from crawler.lab.simulation.measures import Discovery, discovery
from crawler.lab.simulation.monitor import Monitor
from crawler.lab.simulation.planted_cases import AVERAGE, PlantedPair
from crawler.lab.simulation.site import SimulatedArticle, SiteKind
from crawler.lab.simulation.times import days_since_start
from crawler.lab.simulation.words import TOPIC
from crawler.models import Harvest, bulk
from crawler.models.crawls import HarvestQuerySet
from crawler.ranking.freshness import half_life_days
from crawler.ranking.new_site_slots import FIRST_PLACES
from crawler.ranking.news_order import NewsPage, news_order
from crawler.store.stuffed import farms, stuffed_among

#: A topic's window of freshness, unless a person changes it.
WINDOW_DAYS: Final = 30
#: Items of the first days, and of the last, which a monitor had no time to find, do not count.
WARM_DAYS, TAIL_DAYS = 7.0, 4.0
#: A duel is judged so long after its pages were published; a place on top must come sooner.
JUDGED_DAYS, ON_TOP_DAYS = 2.0, 1.0
#: An old competitor is so many days older than the better page, and its density so near average.
OLD_DAYS, NEAR_AVERAGE = 14.0, 0.05


@dataclass(slots=True)
class Watching:
    """Notes after every run what a reader would see.

    Attributes
    ----------
    n_places, n_spam : int
        Places among the first ten of the topic's news, over all runs, and those of them that
        spam had.
    n_early_spam : int
        The same of the first days, when there are few other news.
    shown_old : set of int
        Planted old articles that were ever news.
    wins, on_top, average_on_top : dict of int to bool
        Per duel whether the better page ranked higher, whether it was among the first ten in
        time, and whether the average page was.
    n_old, n_old_wins : int
        Pairs of a better page and a kept average page of the most linked site that is at least
        `OLD_DAYS` older; pairs in which the better page has the higher score.
    n_old_listed, n_old_listed_wins : int
        The pairs whose old page is still in the list of news; pairs in which the better page
        comes first there.
    taken_for_farms : set of str
        Domains that looked like farms after any run.
    """

    monitor: Monitor
    n_places: int = 0
    n_spam: int = 0
    n_early_spam: int = 0
    shown_old: set[int] = field(default_factory=set)
    wins: dict[int, bool] = field(default_factory=dict)
    on_top: dict[int, bool] = field(default_factory=dict)
    average_on_top: dict[int, bool] = field(default_factory=dict)
    n_old: int = 0
    n_old_wins: int = 0
    n_old_listed: int = 0
    n_old_listed_wins: int = 0
    taken_for_farms: set[str] = field(default_factory=set)

    def after_run(self, day: float) -> None:
        """Note what the run's end shows."""
        web, now = self.monitor.web, self.monitor.now
        kept = self._kept()
        news = kept.news(now - timedelta(days=WINDOW_DAYS), now)
        old = {web.url_of(web.articles[number]): number for number in web.old}
        for some in bulk.chunks(list(old)):
            shown = news.filter(url__url__in=some).values_list("url__url", flat=True)
            self.shown_old |= {old[url] for url in shown}
        self.taken_for_farms |= farms(kept)
        fair = news.exclude(pk__in=stuffed_among(kept, kept))
        order = self._in_order(fair)
        first = order[:FIRST_PLACES]
        places = kept.filter(pk__in=first).values_list("url__url", "url__site__name")
        sites = [web.by_host.get(site) for _, site in places]
        n_spam = sum(site is not None and site.kind is SiteKind.SPAM for site in sites)
        self.n_places += len(first)
        self.n_spam += n_spam
        if day < WARM_DAYS:
            self.n_early_spam += n_spam
        self._judge_duels(day, {url for url, _ in places}, order)

    def _in_order(self, news: HarvestQuerySet) -> list[int]:
        """Numbers of news as the topic page lists them."""
        columns = "pk", "score", "url__page__published", "first_seen"
        sites = "url__site__domain", "url__site__first_seen"
        pages = [
            NewsPage(key, score, published or seen, domain, site_seen)
            for key, score, published, seen, domain, site_seen in news.one_per_story().values_list(
                *columns, *sites
            )
        ]
        began = self.monitor.crawl.baseline_end()
        return news_order(pages, half_life_days(WINDOW_DAYS), began, self.monitor.now)

    def _kept(self) -> HarvestQuerySet:
        return Harvest.objects.filter(crawl=self.monitor.crawl).kept()

    def _judge_duels(self, day: float, first: set[str], order: list[int]) -> None:
        url_of = self.monitor.web.url_of
        for number, duel in enumerate(self.monitor.web.planted.duels):
            if duel.day <= day <= duel.day + ON_TOP_DAYS:
                for page, seen in ((duel.better, self.on_top), (duel.average, self.average_on_top)):
                    seen[number] = seen.get(number, False) or url_of(page) in first
            if day >= duel.day + JUDGED_DAYS and number not in self.wins:
                self.wins[number] = self._is_won(duel)
                self.compare_with_old(duel, order)

    def _is_won(self, duel: PlantedPair) -> bool:
        """True if the better page was found and ranks above the other."""
        better, average = self._score(duel.better), self._score(duel.average)
        return better is not None and (average is None or better > average)

    def compare_with_old(self, duel: PlantedPair, order: list[int]) -> None:
        """Compare the better page with old average pages of the most linked site.

        `order` has the numbers of the news as they are listed.
        """
        web = self.monitor.web
        old = [
            web.url_of(article)
            for article in web.articles
            if article.site == duel.average.site
            and article.subject == TOPIC
            and abs(article.density - AVERAGE) <= NEAR_AVERAGE
            and article.published <= duel.day - OLD_DAYS
        ]
        place = {key: number for number, key in enumerate(order)}
        better = self._kept().filter(url__url=web.url_of(duel.better)).first()
        for some in bulk.chunks(old):
            for key, score in self._kept().filter(url__url__in=some).values_list("pk", "score"):
                self.n_old += 1
                self.n_old_wins += better is not None and better.score > score
                if key in place:
                    self.n_old_listed += 1
                    ahead = better is not None and place.get(better.pk, len(order)) < place[key]
                    self.n_old_listed_wins += ahead

    def _score(self, article: SimulatedArticle) -> float | None:
        """The score of an article; None if it is not kept."""
        here = self._kept().filter(url__url=self.monitor.web.url_of(article))
        return here.values_list("score", flat=True).first()

    def n_spam_kept(self) -> int:
        """Pages of farms that the judge let through."""
        by_host = self.monitor.web.by_host
        sites = self._kept().values_list("url__site__name", flat=True)
        return sum(by_host[site].kind is SiteKind.SPAM for site in sites)

    def n_sites(self, *, spam: bool) -> tuple[int, int]:
        """Sites with a kept page, of farms or honest, and those that were taken for farms."""
        by_host = self.monitor.web.by_host
        names = set(self._kept().values_list("url__site__name", flat=True))
        sites = {name for name in names if (by_host[name].kind is SiteKind.SPAM) == spam}
        return len(sites), len(sites & self.taken_for_farms)

    def discovery(self) -> Discovery:
        """How soon and how surely the subject's articles were found and kept."""
        web = self.monitor.web
        end = web.extent.n_days
        until = end - TAIL_DAYS
        items = [
            article
            for article in web.articles
            if WARM_DAYS <= article.published < until and web.is_item(article)
        ]
        n_visits = sum(WARM_DAYS <= day < until for day, _ in self.monitor.visits)
        first_seen = dict(self._kept().values_list("url__url", "first_seen"))
        published = np.array([article.published for article in items])
        found = np.array(
            [
                days_since_start(seen) if (seen := first_seen.get(web.url_of(article))) else np.inf
                for article in items
            ]
        )
        return discovery(published, found, end, n_visits)

    def old_met(self) -> frozenset[int]:
        """Planted old articles that were fetched after they came to light.

        One that gives itself a new date counts if the first run had fetched it: what is found
        later, inside the topic's window, is news by its own date.
        """
        source, met = self.monitor.source, set()
        for number in self.monitor.web.old:
            article = self.monitor.web.articles[number]
            came = self._came_to_light(number)
            known = math.isinf(article.redated) or source.fetched_first.get(number, 1.0) == 0
            if source.fetched_last.get(number, -1.0) >= came and known:
                met.add(number)
        return frozenset(met)

    def moved_unknowable(self) -> frozenset[int]:
        """Copies under a new address that were fetched, but not their originals before them.

        Without the old page nothing shows that the new one has a wrong date.
        """
        first = self.monitor.source.fetched_first
        return frozenset(
            copy.number
            for copy, original in self.monitor.web.planted.moved
            if copy.number in first and first.get(original.number, math.inf) >= first[copy.number]
        )

    def _came_to_light(self, number: int) -> float:
        article = self.monitor.web.articles[number]
        return article.redated if math.isfinite(article.redated) else article.listed_from
