"""Watch a simulated web for weeks: runs of the real agents, by a clock that nobody waits for."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.manager import BatchLimits
from crawler.judging.context import CrawlContext, build_context
from crawler.knowledge.profile import CrawlSettings, TopicProfile, WeightedTerm
from crawler.lab.simulation.board import WatchingBoard
from crawler.lab.simulation.policies import Policy
from crawler.lab.simulation.refreshing import pages_to_refresh
from crawler.lab.simulation.rendering import Renderer
from crawler.lab.simulation.serving import SimulatedSource
from crawler.lab.simulation.site import Article, Kind
from crawler.lab.simulation.sources import KnownSources
from crawler.lab.simulation.times import moment
from crawler.lab.simulation.web import SimulatedWeb
from crawler.lab.simulation.words import SUBJECTS, TOPIC
from crawler.page.parse import parse_page
from crawler.page.parsed import PageTerms
from crawler.revisit.refresh import REFRESH_SHARE

#: Pages of any subject that an installation has seen before, for the judge.
N_BACKGROUND: Final = 300
#: Words a person gives the topic, of each language.
N_WORDS: Final = 12
#: Pages a person gives as examples, of each language, and how much they are about it.
N_EXAMPLES: Final = 3
LEAST_EXAMPLE: Final = 0.3
#: Lists of links a person knows.
N_LISTS: Final = 2


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """How a web is watched.

    Attributes
    ----------
    run_h : float
        Hours between two runs.
    visits_per_day : float
        Looks per known source and day.
    pages_per_run : int
        Budget of a run beside its looks at sources.
        Known pages that are looked at again are among them.
    first_pages : int
        Budget of the first run, the silent baseline.
    strategy : str
        Crawl order.
    own_rarity : bool
        The crawl's own pages say how rare a word is, as they do in tables; else only the pages
        known before.
    """

    run_h: float = 4.0
    visits_per_day: float = 0.5
    pages_per_run: int = 20
    first_pages: int = 800
    strategy: str = "best_first"
    own_rarity: bool = False

    @property
    def refresh_per_run(self) -> float:
        """Known pages looked at again by each run, within the share that is theirs."""
        return REFRESH_SHARE * self.pages_per_run


@dataclass(slots=True)
class Monitor:
    """One topic, watched under one policy.

    Parameters
    ----------
    web : SimulatedWeb
    seed : int
        Of the web's words and of everything random.
    policy : Policy
    plan : WatchPlan
    """

    web: SimulatedWeb
    seed: int
    policy: Policy
    plan: WatchPlan
    source: SimulatedSource = field(init=False)
    board: WatchingBoard = field(init=False)
    looks: list[tuple[float, str]] = field(default_factory=list)
    _sources: KnownSources = field(init=False)
    _context: CrawlContext | None = None

    def __post_init__(self) -> None:
        renderer = Renderer(self.web, self.seed)
        self.source = SimulatedSource(self.web, renderer)
        profile = topic_profile(self.web)
        background = background_pages(self.web, renderer, self.seed)
        settings = CrawlSettings(self.plan.strategy)
        self.board = WatchingBoard(profile, settings, background, own_rarity=self.plan.own_rarity)
        self._sources = KnownSources(self.web, self.board, self.policy)

    def watch(self, after_run: Callable[[float], object] = lambda day: None) -> None:
        """Run to the web's last day; `after_run` is told the day of every run but the first."""
        self._run(0.0, self.board.profile.seeds, self.plan.first_pages)
        credit = 0.0
        for day in self._days():
            now = moment(day)
            self._sources.note(now)
            credit += self.plan.visits_per_day * len(self.policy.states()) * self.plan.run_h / 24
            order = self.policy.order(now, self._sources.of_new_sites(now))
            chosen = [str(url) for url in order[: int(credit)]]
            credit = min(credit - len(chosen), 5.0)
            self.looks += [(day, url) for url in chosen]
            again = pages_to_refresh(self.board, now, round(self.plan.refresh_per_run))
            scouts = self._sources.scouts(self.plan.pages_per_run)
            n_pages = len(chosen) + self.plan.pages_per_run
            self._run(day, [*chosen, *again, *scouts], n_pages)
            for url in chosen:
                self._sources.looked_at(url, now)
            after_run(day)

    def _days(self) -> Iterator[float]:
        step = self.plan.run_h / 24
        for number in range(1, int(self.web.extent.n_days / step)):
            yield number * step

    def _run(self, day: float, seeds: Sequence[str], n_pages: int) -> None:
        """One run, as a live crawl does it; all of it at one moment."""
        board, now = self.board, moment(day)
        self.source.day = day
        board.begin_run(n_pages, now)
        rng = random.Random(f"{self.seed}/{day}")
        limits = BatchLimits(n_collectors=1)
        self._context = build_context(board, self._context)
        manager.start(board, seeds, now, chance=self.seed, known=self._context)
        while board.stop_reason is None:
            self._context = build_context(board, self._context)
            manager.integrate(board, now, self._context)
            self._context = build_context(board, self._context)
            manager.plan(board, now, limits, rng, self._context)
            collect(board, self.source, "monitor", lambda: now, known=self._context)


def topic_profile(web: SimulatedWeb) -> TopicProfile:
    """What a person would say of the watched subject: a few words, and a few places to start."""
    words = [word for language in ("en", "zh") for word in SUBJECTS[language][TOPIC][:N_WORDS]]
    seeds = [
        web.url_of(article) for language in ("en", "zh") for article in _examples(web, language)
    ]
    lists = [site for site in web.sites if site.kind is Kind.HUB and site.subjects[0] == TOPIC]
    seeds += [f"http://{site.host}/" for site in lists[:N_LISTS]]
    terms = tuple(WeightedTerm(word) for word in words)
    return TopicProfile("solar power 太阳能发电", terms=terms, seeds=tuple(seeds))


def _examples(web: SimulatedWeb, language: str) -> list[Article]:
    """The last few articles of the subject before the start that a person may have read."""
    good = [
        article
        for article in web.articles
        if web.is_item(article)
        and article.published < 0
        and article.density >= LEAST_EXAMPLE
        and web.sites[article.site].language == language
        and web.sites[article.site].kind in (Kind.BLOG, Kind.NEWS)
    ]
    return good[-N_EXAMPLES:]


def background_pages(web: SimulatedWeb, renderer: Renderer, seed: int) -> list[PageTerms]:
    """Pages of any subject from before, without their labels."""
    old = [article for article in web.articles if article.published < -30]
    drawn = random.Random(seed).sample(old, min(N_BACKGROUND, len(old)))
    pages = (
        parse_page(renderer.article(article, 0.0).encode(), web.url_of(article), "text/html")
        for article in drawn
    )
    return [page.terms for page in pages]
