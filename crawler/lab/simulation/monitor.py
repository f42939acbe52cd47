"""Watch a simulated web for weeks: the product's own runs on tables, by a clock of their own."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.fetch_settings import fetch_config
from crawler.crawl.manager import BatchLimits
from crawler.crawl.worker import find_seeds
from crawler.fetch.door import Door
from crawler.judging.context import CrawlContext, build_context
from crawler.knowledge.profile import CrawlSettings, TopicProfile, WeightedTerm
from crawler.lab.simulation.rendering import Renderer
from crawler.lab.simulation.serving import SimulatedSource
from crawler.lab.simulation.site import SimulatedArticle, SiteKind
from crawler.lab.simulation.tables import add_background, add_crawl
from crawler.lab.simulation.times import moment_of_day
from crawler.lab.simulation.web import SimulatedWeb
from crawler.lab.simulation.words import SUBJECTS, TOPIC
from crawler.models import Crawl, Run
from crawler.page.parse import parse_page
from crawler.page.parsed import PageTerms
from crawler.sources import registry

#: Pages of any subject that an installation has seen before, for the judge.
N_BACKGROUND: Final = 300
#: Words a person gives the topic, of each language.
N_WORDS: Final = 12
#: Pages a person gives as examples, of each language, and how much they are about it.
N_EXAMPLES: Final = 3
LEAST_EXAMPLE: Final = 0.3
#: Lists of links a person knows.
N_LISTS: Final = 2


#: Kinds of sources that a run visits to find new links.
VISITED: Final = frozenset({registry.SEEDS, registry.FEEDS, registry.SITEMAPS, registry.HUBS})
#: A run's clock moves on so far whenever its agents take turns.
TURN: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """How a web is watched.

    Attributes
    ----------
    run_h : float
        Hours between two runs.
    n_pages : int
        Budget of a run. Visits of sources and of known pages are among them.
    first_pages : int
        Budget of the first run, the silent baseline.
    """

    run_h: float = 6.0
    n_pages: int = 50
    first_pages: int = 800
    strategy: str = "best_first"


@dataclass(slots=True)
class Monitor:
    """One topic, watched by the product. Its tables must be empty at first.

    Parameters
    ----------
    seed : int
        Of the web's words and of everything random.
    """

    web: SimulatedWeb
    seed: int
    plan: WatchPlan
    source: SimulatedSource = field(init=False)
    crawl: Crawl = field(init=False)
    #: When the last run ended.
    now: datetime = field(init=False)
    #: Sources that runs visited, and on which day.
    visits: list[tuple[float, str]] = field(default_factory=list)
    _context: CrawlContext | None = None

    def __post_init__(self) -> None:
        renderer = Renderer(self.web, self.seed)
        self.source = SimulatedSource(self.web, renderer)
        self.now = moment_of_day(0.0)
        settings = CrawlSettings(self.plan.strategy, n_pages=self.plan.first_pages)
        self.crawl = add_crawl(topic_profile(self.web), settings)
        add_background(background_pages(self.web, renderer, self.seed))

    def watch(self, after_run: Callable[[float], object] = lambda day: None) -> None:
        """Run to the web's last day; `after_run` gets the day of every run but the first."""
        self._run(0.0)
        settings = replace(self.crawl.settings, n_pages=self.plan.n_pages)
        self.crawl.describe(self.crawl.profile, settings)
        self.crawl.save()
        for day in self._days():
            self._run(day)
            after_run(day)

    def _days(self) -> Iterator[float]:
        step = self.plan.run_h / 24
        for number in range(1, int(self.web.extent.n_days / step)):
            yield number * step

    def _run(self, day: float) -> None:
        """One run of the product; the web stands still meanwhile."""
        crawl, self.now, self.source.day = self.crawl, moment_of_day(day), day
        n_pages = crawl.settings.n_pages
        run = Run.objects.create(crawl=crawl, started=self.now, n_pages=n_pages)
        board = DatabaseBlackboard(run)
        seeds = find_seeds(crawl, Door(fetch_config()), self.now)
        self.visits += [(day, url) for url, name in seeds.found_by.items() if name in VISITED]
        rng, limits = random.Random(f"{self.seed}/{day}"), BatchLimits(n_collectors=1)
        self._context = build_context(board, self._context)
        manager.start(
            board,
            list(seeds.found_by),
            self.now,
            chance=self.seed,
            found_by=seeds.found_by,
            first_look=seeds.first_look,
            known=self._context,
        )
        while run.ended is None:
            self.now += TURN
            self._context = build_context(board, self._context)
            manager.integrate(board, self.now, self._context)
            self._context = build_context(board, self._context)
            manager.plan(board, self.now, limits, rng, self._context)
            collect(board, self.source, "monitor", lambda: self.now, known=self._context)
            run.refresh_from_db()


def topic_profile(web: SimulatedWeb) -> TopicProfile:
    """What a person would say of the watched subject: a few words, and a few places to start."""
    words = [word for language in ("en", "zh") for word in SUBJECTS[language][TOPIC][:N_WORDS]]
    seeds = [
        web.url_of(article) for language in ("en", "zh") for article in _examples(web, language)
    ]
    lists = [site for site in web.sites if site.kind is SiteKind.HUB and site.subjects[0] == TOPIC]
    seeds += [f"http://{site.host}/" for site in lists[:N_LISTS]]
    terms = tuple(WeightedTerm(word) for word in words)
    return TopicProfile("solar power 太阳能发电", terms=terms, seeds=tuple(seeds))


def _examples(web: SimulatedWeb, language: str) -> list[SimulatedArticle]:
    """The last few articles of the subject before the start that a person may have read."""
    good = [
        article
        for article in web.articles
        if web.is_item(article)
        and article.published < 0
        and article.density >= LEAST_EXAMPLE
        and web.sites[article.site].language == language
        and web.sites[article.site].kind in (SiteKind.BLOG, SiteKind.NEWS)
    ]
    return good[-N_EXAMPLES:]


def background_pages(
    web: SimulatedWeb, renderer: Renderer, seed: int
) -> list[tuple[str, PageTerms]]:
    """Language and terms of pages of any subject from before, without their labels."""
    old = [article for article in web.articles if article.published < -30]
    drawn = random.Random(seed).sample(old, min(N_BACKGROUND, len(old)))
    pages = (
        parse_page(renderer.article(article, 0.0).encode(), web.url_of(article), "text/html")
        for article in drawn
    )
    return [(page.language, page.terms) for page in pages]
