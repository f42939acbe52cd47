"""The graph of sites: who is in it, who links to whom, and what was decided."""

from crawler.models import Site
from tests.topics.factories import Scene
from topics.charts.site_graph import IN, OUT, UNDECIDED, site_graph
from topics.models import SiteControl


def test_sites_of_kept_pages_are_linked(scene: Scene) -> None:
    scene.link("https://portal.test/cpu", "https://notes.test/cache")
    scene.link("https://notes.test/cache", "https://notes.test/other")
    graph = site_graph(scene.topic)
    by_name = {node.name: node for node in graph.nodes}
    assert set(by_name) == {"portal.test", "notes.test"}
    pair = (by_name["portal.test"].pk, by_name["notes.test"].pk)
    assert graph.edges == {pair: 1}
    assert by_name["notes.test"].n_linking == 1
    assert by_name["portal.test"].score == 0.31


def test_what_two_sites_link_to_is_offered_for_a_decision(scene: Scene) -> None:
    for source in ("https://portal.test/cpu", "https://notes.test/cache"):
        scene.link(source, "https://found.test/")
    scene.link("https://portal.test/cpu", "https://once.test/")
    names = {node.name: node for node in site_graph(scene.topic).nodes}
    assert names["found.test"].n_kept == 0
    assert names["found.test"].decision == UNDECIDED
    assert "once.test" not in names


def test_rules_are_decisions(scene: Scene) -> None:
    for name, rule in (("portal.test", "pin"), ("notes.test", "block")):
        site = Site.objects.get(name=name)
        SiteControl.objects.create(topic=scene.topic, site=site, rule=rule)
    graph = site_graph(scene.topic)
    assert [node.name for node in graph.with_decision(IN)] == ["portal.test"]
    assert [node.name for node in graph.with_decision(OUT)] == ["notes.test"]
    assert graph.with_decision(UNDECIDED) == ()
