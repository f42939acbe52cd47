"""What a topic allows: blocked sites never, a site's share of a run, pinned sites first."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.choosing import choose
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.judging.context import build_context
from crawler.knowledge.profile import CrawlSettings
from crawler.models import FrontierEntry, Page, Run, Site, Url
from crawler.page.url import site_of
from crawler.ranking.breadth import BALANCED, DEEP, WIDE, site_cap
from crawler.strategies.base import Rating
from tests.crawler.conftest import MakeBoard
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.web import NOON, PROFILE, SETTINGS, PaperWeb

TEXT = "<p>A solar cell turns sunlight into electricity. Solar panels hold solar cells: {}.</p>"


def page(name: str, *links: str) -> str:
    led = "".join(f'<a href="{link}">solar cells {link}</a> ' for link in links)
    return f"<title>Solar cells {name}</title>{TEXT.format(name * 5)}{led}"


BIG = [f"http://big.test/{number}/x" for number in range(40)]
SMALL = [f"http://small{number}.test/" for number in range(6)]
WEB = {
    "http://big.test/": page("front", *BIG),
    **{url: page(url) for url in BIG[1:]},
    # The small sites are only found late: deep inside the big one.
    BIG[0]: page("deep", *SMALL),
    **{url: page(url) for url in SMALL},
}


def fetched_order(make_board: MakeBoard, settings: CrawlSettings) -> list[str]:
    """The URLs requested, in order, by a crawl from the big site's front page.

    It also fetches a seed of its own, which does not exist.
    """
    board, web = make_board(settings), PaperWeb(WEB)
    manager.start(board, ["http://big.test/"], NOON)
    crawl(board, web)
    return web.requested


def wide(n_pages: int = 60) -> CrawlSettings:
    return replace(SETTINGS, breadth=WIDE, n_pages=n_pages)


def test_a_site_that_gave_its_share_waits_until_the_others_are_done(make_board: MakeBoard) -> None:
    order = fetched_order(make_board, wide())
    first_small = min(order.index(url) for url in SMALL if url in order)
    last_small = max(order.index(url) for url in SMALL if url in order)

    assert {*SMALL} <= {*order}
    assert last_small - first_small == len(SMALL) - 1


def test_a_cap_starves_no_run_when_other_sites_have_nothing(make_board: MakeBoard) -> None:
    assert {*fetched_order(make_board, wide())} >= {*WEB}


@pytest.mark.parametrize("breadth", [WIDE, BALANCED, DEEP])
def test_a_blocked_site_is_never_asked(make_board: MakeBoard, breadth: str) -> None:
    rules = dict.fromkeys(("small1.test", "small2.test"), "block")
    order = fetched_order(
        make_board, replace(SETTINGS, breadth=breadth, site_rules=rules, n_pages=60)
    )

    assert SMALL[0] in order
    assert not {SMALL[1], SMALL[2]} & {*order}


def test_a_run_whose_only_site_is_blocked_ends(make_board: MakeBoard) -> None:
    rules = {"big.test": "block"}

    assert not {*fetched_order(make_board, replace(SETTINGS, site_rules=rules))} & {*WEB}


def test_what_waits_of_a_blocked_site_keeps_no_run_open(make_board: MakeBoard) -> None:
    rules = dict.fromkeys((site_of(url) for url in SMALL), "block")
    board, web = make_board(replace(SETTINGS, site_rules=rules, n_pages=60)), PaperWeb(WEB)
    manager.start(board, ["http://big.test/"], NOON)
    crawl(board, web)

    assert board.next_due(NOON) is None


@pytest.mark.parametrize(
    ("breadth", "n_pages", "cap"),
    [(WIDE, 60, 5), (WIDE, 200, 10), (WIDE, 1000, 50), (DEEP, 200, None)],
)
def test_the_share_of_a_site(breadth: str, n_pages: int, cap: int | None) -> None:
    assert site_cap(breadth, n_pages) == cap


def test_an_unknown_breadth_is_refused() -> None:
    with pytest.raises(ValueError, match="'vast'"):
        site_cap("vast", 200)


def test_links_that_are_new_on_a_known_page_go_before_what_waits(run: Run) -> None:
    left = [f"http://left{number}.test/" for number in range(9)]
    new = ["http://new0.test/", "http://new1.test/"]
    later = NOON + timedelta(days=1)
    entered(DatabaseBlackboard(run), left, 5.0, NOON)
    Run.objects.update(ended=NOON)
    board = DatabaseBlackboard(Run.objects.create(crawl=run.crawl, started=later, n_pages=50))
    # Worth less than anything that waits, yet first: up to 3 of 4 places are theirs.
    entered(board, new, -9.0, later)
    assert next_urls(board, later) == left[:4]

    site = Site.objects.create(name="hub.test", domain="hub.test", first_seen=NOON)
    hub = Url.objects.create(url="http://hub.test/", site=site, first_seen=NOON)
    Page.objects.create(url=hub, first_fetched=NOON, fetched=later, changed=later)
    FrontierEntry.objects.update(parent=hub, depth_hops=1, may_be_fresh=True)

    assert next_urls(board, later) == [*new, *left[:2]]


def test_looks_at_sources_do_not_wait_under_what_earlier_looks_brought(run: Run) -> None:
    later = NOON + timedelta(days=1)
    board = DatabaseBlackboard(run)
    entered(board, ["http://hub.test/"], 5.0, NOON)
    hub = Url.objects.get()
    Page.objects.create(url=hub, first_fetched=NOON, fetched=NOON, changed=NOON)
    Run.objects.update(ended=NOON)
    FrontierEntry.objects.update(state="done")
    board = DatabaseBlackboard(Run.objects.create(crawl=run.crawl, started=later, n_pages=50))
    brought = [f"http://brought{number}.test/" for number in range(9)]
    entered(board, brought, 1.0, later)
    FrontierEntry.objects.filter(state="new").update(parent=hub, depth_hops=1, may_be_fresh=True)
    assert next_urls(board, later) == brought[:4]
    looks = [f"http://source{number}.test/" for number in range(9)]
    entered(board, looks, 999.0, later)

    # Yet they leave room for what is new, were they ever so many.
    assert next_urls(board, later) == [brought[0], *looks[:3]]


def test_in_a_first_run_the_order_alone_decides(run: Run) -> None:
    board = DatabaseBlackboard(run)
    entered(board, ["http://poor.test/"], -9.0, NOON)
    entered(board, [f"http://good{number}.test/" for number in range(4)], 5.0, NOON)

    assert "http://poor.test/" not in next_urls(board, NOON)


def entered(board: DatabaseBlackboard, urls: list[str], priority: float, now: datetime) -> None:
    board.add_seeds([(url, site_of(url), Rating(priority)) for url in urls], now)


def next_urls(board: DatabaseBlackboard, now: datetime) -> list[str]:
    """The next four URLs, in order."""
    if board.strategy_state() is None:
        board.begin(build_context(board).strategy.start(PROFILE, seed=0))
    chosen = choose(
        board, build_context(board), 4, now, random.Random(1), per_site=50, in_flight=False
    )
    return [entry.url for entry in chosen]
