"""What the papers' strategies need of a blackboard: stored links, merged words, ends of runs."""

import random
from dataclasses import replace

import pytest

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.models import Crawl, FrontierEntry, Link, Run, Site, Url
from crawler.reasons import Reason, StopReason
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.replay.memory_frontier import EarlierLinks
from crawler.strategies.base import NewUrl, Rating
from crawler.strategies.link_notes import LINKING, unpack_notes
from crawler.strategies.neighbourhood import link_ends
from tests.crawler.conftest import MakeBoard
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.strategies.small_web import page_of
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS, PaperWeb

TARGET = "http://target.test/"


def stored(urls: list[str]) -> list[Url]:
    """Rows of URLs, as another crawl left them."""
    rows = []
    for url in urls:
        site, _made = Site.objects.get_or_create(
            name=url.split("/")[2], defaults={"domain": url.split("/")[2], "first_seen": NOON}
        )
        rows.append(Url.objects.create(url=url, site=site, first_seen=NOON))
    return rows


def test_links_that_another_crawl_stored_are_found_backwards(run: Run) -> None:
    hub, menu, seed, other, far = stored(
        [f"http://{name}.test/" for name in ("hub", "menu", "seed", "other", "far")]
    )
    Link.objects.create(source=hub, target=seed)
    Link.objects.create(source=hub, target=other)
    Link.objects.create(source=menu, target=seed, in_frame=True)
    Link.objects.create(source=other, target=far)

    graph = DatabaseBlackboard(run).view(NOON, n_per_site=9).back_links([seed.pk])

    assert set(map(tuple, link_ends(graph).tolist())) == {(hub.pk, seed.pk), (hub.pk, other.pk)}


def test_a_replay_finds_stored_links_backwards() -> None:
    pages = [
        page_of("http://hub.test/", [], {SEED: [], "http://other.test/": []}),
        page_of("http://other.test/", [], {"http://far.test/": []}),
    ]
    board = MemoryBlackboard(PROFILE, SETTINGS)
    board.stored_links = EarlierLinks.of(pages)
    manager.start(board, [SEED], NOON)

    view = board.view(NOON, n_per_site=9)
    [seed] = [entry.key for entry in view.waiting(None)]
    graph = view.back_links([seed])

    assert {(board.url_of(s), board.url_of(t)) for s, t in link_ends(graph).tolist()} == {
        ("http://hub.test/", SEED),
        ("http://hub.test/", "http://other.test/"),
    }


def test_a_url_from_stored_links_is_entered_once(run: Run) -> None:
    board = DatabaseBlackboard(run)
    hub, target = stored(["http://hub.test/", TARGET])
    new = NewUrl(target.pk, Rating(3.0, {"hub": 3.0}), hub.pk, 2)

    board.enter([new], NOON)
    board.enter([new], NOON)

    entry = FrontierEntry.objects.get(url=target)
    assert (entry.state, entry.parent_id, entry.depth_hops) == ("new", hub.pk, 2)
    assert unpack_notes(entry.memo)["parts"] == {"hub": 3.0}


def test_the_words_of_links_to_one_url_are_merged(make_board: MakeBoard) -> None:
    web = PaperWeb(
        {
            SEED: """<title>Links</title><p>Two pages: <a href="http://a.test/">one</a>
                <a href="http://b.test/">two</a></p>""",
            "http://a.test/": f'<title>A</title><p>Read of <a href="{TARGET}">solar</a> here</p>',
            "http://b.test/": f'<title>B</title><p>Read of <a href="{TARGET}">cells</a> here</p>',
        }
    )
    board = make_board(replace(SETTINGS, strategy="genetic", n_pages=3))

    crawl(board, web, slice_pages=1)

    [waiting] = [e for e in board.view(NOON, n_per_site=9).waiting(None) if e.url == TARGET]
    assert {"solar", "cell"} <= set(waiting.memo["words"])


def test_pages_that_link_to_seeds_are_fetched_first_and_are_no_seeds(run: Run) -> None:
    """S' is the seed, S'' the wiki, S''' what the wiki links to: its best authorities are P(0)."""
    wiki, praised = "http://wiki.test/", "http://praised.test/"
    web = PaperWeb(
        {
            SEED: f'<title>Seed</title><p>About solar <a href="{TARGET}">cells</a> here</p>',
            wiki: f"""<title>Wiki</title><p>Solar power, as <a href="{SEED}">one</a> and
                <a href="{praised}">another page</a> say</p>""",
            praised: "<title>Praised</title><p>Solar power and its cells</p>",
            TARGET: "<title>Target</title><p>Solar cells in summer</p>",
        }
    )
    run.crawl.describe(PROFILE, replace(SETTINGS, strategy="genetic"))
    run.crawl.save()
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED, wiki], NOON, found_by={wiki: LINKING})

    crawl(board, web, slice_pages=2)

    parts = {
        entry.url.url: unpack_notes(entry.memo).get("parts", {})
        for entry in FrontierEntry.objects.filter(crawl=run.crawl).select_related("url")
    }
    assert "authority" in parts[praised]
    assert "authority" not in parts[TARGET]


@pytest.mark.parametrize(
    ("strategy", "parameters"),
    [
        ("genetic", {"generations": 1.0, "population": 1.0}),
        ("viterbi", {"restarts": 0.0, "layer_pages": 1.0}),
    ],
)
def test_a_strategy_ends_a_run_while_urls_wait(
    run: Run, strategy: str, parameters: dict[str, float]
) -> None:
    ended = _crawled(run, strategy, parameters)

    assert ended.stop_reason == StopReason.STRATEGY_ENDED
    assert FrontierEntry.objects.filter(crawl=run.crawl, state="new").exists()


def test_a_strategy_without_an_end_fetches_everything(run: Run) -> None:
    assert _crawled(run, "genetic", {}).stop_reason == StopReason.FRONTIER_EMPTY


def test_a_run_whose_rest_must_wait_says_so(run: Run) -> None:
    failing = {"http://kitchen.test/soup": Reason.CONNECT_TIMEOUT}

    crawl(DatabaseBlackboard(run), PaperWeb(failing=failing))

    run.refresh_from_db()
    assert run.stop_reason == StopReason.REST_LATER


def _crawled(run: Run, strategy: str, parameters: dict[str, float]) -> Run:
    settings = replace(SETTINGS, strategy=strategy, strategy_parameters=parameters)
    row = Crawl.objects.get(pk=run.crawl_id)
    row.describe(PROFILE, settings)
    row.save()
    board = DatabaseBlackboard(Run.objects.select_related("crawl").get(pk=run.pk))
    manager.start(board, [SEED], NOON)
    for _ in range(30):
        manager.integrate(board, NOON)
        manager.plan(board, NOON, BatchLimits(slice_pages=1), random.Random(1))
        if collect(board, PaperWeb(), "tester", lambda: NOON) is None:
            break
    return Run.objects.get(pk=run.pk)
