"""The drawing of the graph, its table and its file."""

from xml.etree import ElementTree

from topics.charts.graph_drawing import MAX_NAMES, gexf, graph_chart
from topics.charts.site_graph import UNDECIDED, SiteGraph, SiteNode


def graph_of(n_sites: int, name: str = "site{}.test") -> SiteGraph:
    nodes = tuple(
        SiteNode(pk, name.format(pk), 9, 0.5, 1, UNDECIDED, "") for pk in range(1, n_sites + 1)
    )
    edges = {(pk, pk % n_sites + 1): 2 for pk in range(1, n_sites + 1)} if n_sites > 1 else {}
    return SiteGraph(nodes, edges, n_sites)


def test_each_site_is_a_circle_that_leads_to_its_pages() -> None:
    chart = graph_chart(graph_of(40, "<b>{}.test"), lambda node: f"/list?site={node.pk}&a=1")
    drawing = ElementTree.fromstring(chart.drawing)
    space = "{http://www.w3.org/2000/svg}"
    assert len(drawing.findall(f".//{space}circle")) == 40
    assert len(drawing.findall(f".//{space}text")) == MAX_NAMES
    assert len(drawing.findall(f".//{space}path")) == 40
    assert {link.get("href") for link in drawing.iter(f"{space}a")} >= {"/list?site=7&a=1"}
    assert "style=" not in chart.drawing
    assert len(chart.rows) == 40


def test_the_same_graph_is_drawn_alike() -> None:
    first, again = (graph_chart(graph_of(12), lambda _node: "").drawing for _ in range(2))
    assert first == again


def test_no_site_and_one_site_can_be_drawn() -> None:
    for n_sites in (0, 1):
        assert graph_chart(graph_of(n_sites), lambda _node: "").drawing.startswith("<svg")


def test_the_file_holds_sites_and_links() -> None:
    root = ElementTree.fromstring(gexf(graph_of(3)))
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("node") == 3
    assert tags.count("edge") == 3
