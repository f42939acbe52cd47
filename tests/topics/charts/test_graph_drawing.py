"""The drawing of the graph, its table and its file."""

from xml.etree import ElementTree

from topics.charts.graph_drawing import MAX_NAMES, gexf, graph_chart
from topics.charts.site_graph import UNDECIDED, SiteGraph, SiteNode


def graph_of(n_sites: int, name: str = "site{}.test") -> SiteGraph:
    nodes = tuple(
        SiteNode(pk, name.format(pk), 9, 0.5, 1, UNDECIDED, "") for pk in range(1, n_sites + 1)
    )
    edges = {(pk, pk % n_sites + 1): 2 for pk in range(1, n_sites + 1)} if n_sites > 1 else {}
    return SiteGraph(nodes, edges)


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


def test_names_cover_neither_each_other_nor_a_circle() -> None:
    drawing = ElementTree.fromstring(graph_chart(graph_of(30), lambda _node: "").drawing)
    space = "{http://www.w3.org/2000/svg}"
    boxes = []
    for circle in drawing.iter(f"{space}circle"):
        x, y, r = (float(circle.attrib[name]) for name in ("cx", "cy", "r"))
        boxes.append((x - r, y - r, x + r, y + r))
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}
    for text in drawing.iter(f"{space}text"):
        # 6 is about the width of a letter at 12 px.
        long = 6.0 * len(text.text or "")
        left = float(text.attrib["x"]) - shift[text.attrib["text-anchor"]] * long
        bottom = float(text.attrib["y"])
        box = (left, bottom - 8, left + long, bottom)
        for other in boxes:
            apart = (
                box[0] >= other[2] or other[0] >= box[2] or box[1] >= other[3] or other[1] >= box[3]
            )
            assert apart, text.text
        boxes.append(box)
    assert len(boxes) > 30 + MAX_NAMES / 2


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
