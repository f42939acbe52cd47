"""A simulated monitor takes the places for sources that a live crawl takes."""

from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.profile import CrawlSettings
from crawler.lab.simulation.board import WatchingBoard
from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.monitor import topic_profile
from crawler.lab.simulation.policies import Ours
from crawler.lab.simulation.sources import KnownSources
from crawler.lab.simulation.times import moment
from crawler.lab.simulation.web import make_web
from crawler.messages import Batch, CrawlResult, FetchItem
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import BY_RELEVANCE, PageScore
from crawler.reasons import Reason
from crawler.revisit.hubs import LEAST_KEPT
from crawler.strategies.base import Rating

SCORE = PageScore(ContentValue(0.5, (), 3), 0.5, BY_RELEVANCE, 0.0, 0, (), 1.0, {})


def test_front_pages_of_sites_without_a_feed_become_sources() -> None:
    web = make_web(3, Extent(n_pages=2_000, n_sites=60, n_days=21))
    board, policy = WatchingBoard(topic_profile(web), CrawlSettings()), Ours()
    sources = KnownSources(web, board, policy)
    few, many, fed = [site.host for site in web.sites if not site.has_sitemap][:3]
    kept = {few: LEAST_KEPT - 1, many: LEAST_KEPT, fed: LEAST_KEPT}
    for host, n_kept in kept.items():
        for number in range(n_kept):
            key = len(board.harvests)
            claim = FetchItem(key, f"http://{host}/{number}", host)
            board.harvests[key] = CrawlResult(claim, Reason.FETCHED, kept=True)
            board.rescore({key: SCORE}, 1.0, Quantiles())
    board.feeds[f"http://{fed}/feed.xml"] = None
    sources.note(moment(1.0))

    assert set(policy.states()) == {f"http://{fed}/feed.xml", f"http://{many}/"}


def test_a_look_that_the_run_had_no_page_left_for_teaches_nothing() -> None:
    web = make_web(3, Extent(n_pages=2_000, n_sites=60, n_days=21))
    board, policy = WatchingBoard(topic_profile(web), CrawlSettings()), Ours()
    sources = KnownSources(web, board, policy)
    url, site = "http://hub.test/", "hub.test"
    board.begin_run(1, moment(1.0))
    board.add_seeds([(url, site, Rating(1.0))], moment(1.0))
    policy.enter(url, moment(0.0))
    sources.looked_at(url, moment(1.0))
    unasked = policy.states()[url].visited
    claim = FetchItem(0, url, site)
    board.post(
        Batch(1, "", moment(9.0), (claim,), {}), [CrawlResult(claim, Reason.GONE)], moment(1.0)
    )
    sources.looked_at(url, moment(1.0))

    assert unasked is None
    assert policy.states()[url].visited == moment(1.0)
