"""The links of a crawl, as strategies read them from the tables."""

import numpy as np
import pytest

from crawler.models import FrontierEntry, Link, Run, Site, Url
from crawler.store.results import link_graph
from crawler.strategies.base import LinkGraph
from tests.crawler.web import NOON

pytestmark = pytest.mark.django_db


def enter(run: Run, states: dict[int, str]) -> None:
    """Enter URLs by number, each with its state in the frontier."""
    site = Site.objects.create(name="a.test", domain="a.test", first_seen=NOON)
    for number, state in states.items():
        url = Url.objects.create(
            pk=number, url=f"http://a.test/{number}", site=site, first_seen=NOON
        )
        FrontierEntry.objects.create(crawl=run.crawl, run=run, url=url, state=state, found=NOON)


def pairs(graph: LinkGraph) -> set[tuple[int, int]]:
    """Both ends of each link by number."""
    sources, targets = graph.keys[graph.sources], graph.keys[graph.targets]
    return set(zip(sources.tolist(), targets.tolist(), strict=True))


def test_links_of_fetched_pages_are_in_the_graph_and_links_of_others_are_not(run: Run) -> None:
    enter(run, {1001: "done", 1002: "done", 1003: "new", 1004: "failed"})
    for source, target in [(1001, 1002), (1001, 1003), (1002, 1004), (1003, 1001), (1004, 1002)]:
        Link.objects.create(source_id=source, target_id=target)

    graph = link_graph(run.crawl)

    assert graph.keys.tolist() == [1001, 1002, 1003, 1004]
    assert pairs(graph) == {(1001, 1002), (1001, 1003), (1002, 1004)}


def test_the_graph_can_say_which_links_are_in_the_frame(run: Run) -> None:
    enter(run, {1001: "done", 1002: "done", 1003: "new"})
    places = {(1001, 1002): True, (1001, 1003): False, (1002, 1003): None}
    for (source, target), in_frame in places.items():
        Link.objects.create(source_id=source, target_id=target, in_frame=in_frame)

    plain, placed = link_graph(run.crawl), link_graph(run.crawl, in_frame=True)

    assert plain.in_frame is None and placed.in_frame is not None
    assert pairs(placed) == pairs(plain) == places.keys()
    sources, targets = placed.keys[placed.sources], placed.keys[placed.targets]
    framed = zip(sources.tolist(), targets.tolist(), placed.in_frame.tolist(), strict=True)
    assert [(source, target) for source, target, is_framed in framed if is_framed] == [(1001, 1002)]


def test_a_crawl_without_links_has_an_empty_graph(run: Run) -> None:
    enter(run, {1001: "done"})

    assert len(link_graph(run.crawl).keys) == 0


@pytest.mark.parametrize("spread", [1, 1_000_000], ids=["dense", "sparse"])
def test_url_numbers_close_together_and_far_apart_give_the_same_graph(spread: int) -> None:
    rng = np.random.default_rng(3)
    sources, targets = rng.integers(1, 50, (2, 200)) * spread

    graph = LinkGraph.of_links(sources, targets)

    assert graph.keys.tolist() == sorted({*sources.tolist(), *targets.tolist()})
    assert (graph.keys[graph.sources] == sources).all()
    assert (graph.keys[graph.targets] == targets).all()
