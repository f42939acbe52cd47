"""What a monitor made of a simulated web: what it found when, and what it put on top."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from crawler.knowledge.stuffing import is_farm
from crawler.lab.simulation.measures import Discovery, discovery
from crawler.lab.simulation.monitor import Monitor
from crawler.lab.simulation.planting import Duel
from crawler.lab.simulation.site import Article, Kind
from crawler.lab.simulation.times import day_of, moment
from crawler.page.url import domain_of
from crawler.ranking.freshness import (
    Dated,
    freshness_weight,
    is_new_site,
    is_news,
    is_old_story,
)
from crawler.ranking.new_site_slots import FIRST_PLACES, Candidate, with_reserved

#: A topic's window of freshness, as it is unless a person changes it.
WINDOW_DAYS: Final = 30
#: Items of the first days, and of the last, which nobody had the time to find, do not count.
WARM_DAYS, TAIL_DAYS = 7.0, 4.0
#: A duel is judged so long after its pages were published; a place on top must come sooner.
JUDGED_DAYS, ON_TOP_DAYS = 2.0, 1.0


@dataclass(slots=True)
class Watching:
    """Looks over a monitor's shoulder after every run.

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
    """

    monitor: Monitor
    n_places: int = 0
    n_spam: int = 0
    n_early_spam: int = 0
    shown_old: set[int] = field(default_factory=set)
    wins: dict[int, bool] = field(default_factory=dict)
    on_top: dict[int, bool] = field(default_factory=dict)
    average_on_top: dict[int, bool] = field(default_factory=dict)

    def after_run(self, day: float) -> None:
        """Note what the run's end shows."""
        now = moment(day)
        news = self._news(now)
        web, board = self.monitor.web, self.monitor.board
        self.shown_old |= {number for number in map(self._article, news) if number in web.old}
        first = [one.key for one in self._ranked(news, now)[:FIRST_PLACES]]
        hosts = [web.by_host.get(board.claim_of(key).site) for key in first]
        n_spam = sum(site is not None and site.kind is Kind.SPAM for site in hosts)
        self.n_places += len(first)
        self.n_spam += n_spam
        if day < WARM_DAYS:
            self.n_early_spam += n_spam
        self._judge_duels(day, set(first))

    def _news(self, now: datetime) -> list[int]:
        """Numbers of the pages that are news now."""
        board, since = self.monitor.board, now - timedelta(days=WINDOW_DAYS)
        dated = {
            key: Dated(
                domain_of(board.url_of(key)),
                seen.title,
                seen.published,
                seen.first_seen,
                seen.baseline,
            )
            for key, seen in board.seen.items()
        }
        tellers: defaultdict[int, list[Dated]] = defaultdict(list)
        for key, story in board.stories.items():
            tellers[story].append(dated[key])
        return [
            key
            for key, seen in board.seen.items()
            if board.harvests[key].kept
            and is_news(seen.published, seen.first_seen, since, now, baseline=seen.baseline)
            and not is_old_story(dated[key], tellers[board.stories.get(key, -1)], since)
        ]

    def _ranked(self, news: Sequence[int], now: datetime) -> list[Candidate]:
        """The topic's news as its page lists them: fair ones, one a story, new sites first."""
        board = self.monitor.board
        news = self._fair(news)
        values = {key: self._value(key, now) for key in news}
        best = sorted(news, key=lambda key: (-values[key], key))
        of_story = {board.stories.get(key, key): key for key in reversed(best)}
        shown = set(of_story.values())
        candidates = []
        for key in best:
            if key in shown:
                site = board.claim_of(key).site
                new = is_new_site(board.site_seen[site], board.baseline_end, now)
                candidates.append(Candidate(key, site, new))
        return with_reserved(candidates)

    def _fair(self, news: Sequence[int]) -> list[int]:
        """The news that neither look stuffed nor stand on farms, as in tables."""
        board = self.monitor.board
        kept, stuffed = Counter[str](), Counter[str]()
        for key, posting in board.harvests.items():
            kept[posting.claim.site] += posting.kept
            stuffed[posting.claim.site] += posting.kept and not board.is_believed(key)
        return [
            key
            for key in news
            if board.is_believed(key)
            and not is_farm(kept[site := board.claim_of(key).site], stuffed[site])
        ]

    def _value(self, key: int, now: datetime) -> float:
        """A page's score, weighted for its age."""
        board = self.monitor.board
        age = now - (board.seen[key].published or board.seen[key].first_seen)
        return board.score_of(key).value * freshness_weight(age, WINDOW_DAYS)

    def _judge_duels(self, day: float, first: set[int]) -> None:
        for number, duel in enumerate(self.monitor.web.planted.duels):
            if duel.day <= day <= duel.day + ON_TOP_DAYS:
                for page, seen in ((duel.better, self.on_top), (duel.average, self.average_on_top)):
                    seen[number] = seen.get(number, False) or self._key(page) in first
            if day >= duel.day + JUDGED_DAYS and number not in self.wins:
                self.wins[number] = self._is_won(duel)

    def _is_won(self, duel: Duel) -> bool:
        """True if the better page was found and ranks above the other."""
        board = self.monitor.board
        better, average = self._kept_key(duel.better), self._kept_key(duel.average)
        if better is None:
            return False
        return average is None or board.score_of(better).value > board.score_of(average).value

    def _key(self, article: Article) -> int | None:
        return self.monitor.board.key_of(self.monitor.web.url_of(article))

    def _kept_key(self, article: Article) -> int | None:
        key = self._key(article)
        harvests = self.monitor.board.harvests
        return key if key is not None and key in harvests and harvests[key].kept else None

    def _article(self, key: int) -> int:
        return self.monitor.web.by_url.get(self.monitor.board.url_of(key), -1)

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
        n_looks = sum(WARM_DAYS <= day < until for day, _ in self.monitor.looks)
        published = np.array([article.published for article in items])
        found = np.array([self._found(article) for article in items])
        return discovery(published, found, end, n_looks)

    def _found(self, article: Article) -> float:
        key = self._kept_key(article)
        return day_of(self.monitor.board.seen[key].first_seen) if key is not None else np.inf

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

        Nobody who had not seen the old page can tell that the new one is not of its date.
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
