"""A small web with a better article on a new site and an average one on an old portal."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from crawler.judging.context import make_ranker
from crawler.judging.renewal import ranked
from crawler.judging.score import Ranking
from crawler.knowledge.profile import CrawlSettings, TopicProfile, WeightedTerm
from crawler.page.parsed import ParsedPage
from crawler.page.url import domain_of
from crawler.ranking.news_order import NewsPage, news_order
from crawler.replay.replay import replay
from tests.crawler.strategies.small_web import page_of

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
N_SITES, N_SEEDS, N_WORDS = 24, 5, 300
#: Share of the topic's words: of the better page, of the average one, and of the others.
BETTER, AVERAGE, OTHERS = 0.6, 0.35, (0.25, 0.45)
#: Sites that link to the new page, to the old one, and to a popular old one.
FEW, MANY, POPULAR = (1, 3), (3, 7), (8, 16)
#: Days since the two pages were published.
YOUNG_DAYS, OLD_DAYS = 1.0, 25.0
NEW, OLD = "http://newcomer.test/better", "http://portal.test/average"
_SYLLABLES = "ba do ke li mu na po ri su ta ve zo cha fen gor hin jal kor".split()


def _words(rng: random.Random, n_words: int) -> list[str]:
    return ["".join(rng.choices(_SYLLABLES, k=3)) for _ in range(n_words)]


@dataclass(frozen=True, slots=True)
class PlantedWeb:
    """What a first crawl of a planted web kept.

    Attributes
    ----------
    scores : dict of str to float
        f of each kept page, by URL, with the age that its page has.
    ages : dict of str to float
        Days since each page was published, by URL.
    """

    scores: dict[str, float]
    ages: dict[str, float]

    def first_by_score(self) -> list[str]:
        """The ten best kept pages by f."""
        return sorted(self.scores, key=lambda url: -self.scores[url])[:10]

    def listed(self) -> list[str]:
        """The kept pages as news, in the order they are listed."""
        urls = list(self.scores)
        pages = [
            NewsPage(
                number,
                self.scores[url],
                NOON - timedelta(days=self.ages[url]),
                domain_of(url),
                NOON - timedelta(days=OLD_DAYS * 10),
            )
            for number, url in enumerate(urls)
        ]
        return [urls[key] for key in news_order(pages, 2, None, NOON)]


def planted_web(
    seed: int,
    farm: Sequence[tuple[int, int]] = (),
    *,
    linked_by: tuple[int, int] = MANY,
    farm_share: float = OTHERS[0],
    n_forums: int = 1,
    farm_days: float = OLD_DAYS,
) -> PlantedWeb:
    """Crawl a web made from a seed, with a farm if its links are given.

    `linked_by` are the fewest and the most sites that link to the old page. `farm_share` is the
    share of the topic's words on pages of the farm: thin as the thinnest honest page if it is
    not given. `n_forums` honest sites link to the farm, each to one host, and its pages were
    published `farm_days` ago.
    """
    rng = random.Random(seed)
    topic, common = _words(rng, 40), _words(rng, 400)
    urls = [f"http://site{n}.test/article" for n in range(N_SITES)]
    seeds = [f"http://seed{n}.test/list" for n in range(N_SEEDS)]
    targets = {url: set(rng.sample(urls, 2)) - {url} for url in urls}
    targets |= {url: set(rng.sample(urls, 8)) for url in seeds}
    for page, least_most in ((NEW, FEW), (OLD, linked_by)):
        targets[page] = set(rng.sample(urls, 2))
        for url in rng.sample(urls, rng.randint(*least_most)):
            targets[url].add(page)
    hosts = sorted({host for pair in farm for host in pair})
    farm_urls = {host: f"http://farm{host}.test/page" for host in hosts}
    targets |= {url: set() for url in farm_urls.values()}
    for source, target in farm:
        targets[farm_urls[source]].add(farm_urls[target])
    if farm:
        # Careless forums let the farm in.
        for number, forum in enumerate(urls[:n_forums]):
            targets[forum].add(farm_urls[hosts[7 * number % len(hosts)]])
    pages = {}
    for url, links in targets.items():
        share = {NEW: BETTER, OLD: AVERAGE}.get(url, rng.uniform(*OTHERS))
        if url in farm_urls.values():
            share = farm_share
        words = [rng.choice(topic if rng.random() < share else common) for _ in range(N_WORDS)]
        anchors = {target: rng.sample(words, 2) for target in sorted(links)}
        pages[url.partition("://")[2]] = page_of(url, words, anchors)
    terms = tuple(WeightedTerm(word) for word in topic[:10])
    profile = TopicProfile(topic[0], terms=terms, seeds=tuple(seeds))
    ages = dict.fromkeys(targets, OLD_DAYS) | dict.fromkeys(farm_urls.values(), farm_days)
    return _crawled(pages, profile, ages | {NEW: YOUNG_DAYS})


def _crawled(
    pages: dict[str, ParsedPage], profile: TopicProfile, ages: dict[str, float]
) -> PlantedWeb:
    settings = CrawlSettings(n_pages=len(pages))
    board = replay(pages, profile, settings, profile.seeds).board
    ranking = Ranking(settings, make_ranker(settings), board.quantiles(), ())
    scores = {}
    for page in board.kept_pages():
        url = board.url_of(page.key)
        scores[url] = ranked(ranking, replace(page, age_days=ages[url])).value
    return PlantedWeb(scores, ages)
