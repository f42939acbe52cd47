"""The site graph as a drawing, as a table and as a GEXF file for other programs."""

from collections.abc import Callable
from html import escape
from math import sqrt
from typing import Final

import networkx as nx
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from topics.charts.chart import Cell, Chart, Key, drawn
from topics.charts.site_graph import IN, OUT, UNDECIDED, SiteGraph, SiteNode

WIDTH: Final = 760
HEIGHT: Final = 520
#: Most sites that are drawn, with their numbers beside; the review and the files have them all.
MAX_SITES: Final = 150
#: Sites that have their name beside them, those with most pages.
MAX_NAMES: Final = 24
_MARGIN: Final = 40
_LEAST_RADIUS: Final = 4.0
_MOST_RADIUS: Final = 18.0
#: Width of a letter and height of a line, with the letters of a narrow screen and of a wide one.
_LARGE: Final = (10.5, 20.0)
_SMALL: Final = (6.5, 13.0)
#: Of a text, what lies before the place that it is anchored at.
_SHARE_BEFORE: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}
_COLOURS: Final = {IN: "in", OUT: "out", UNDECIDED: "undecided"}

#: Left, top, right, bottom.
Box = tuple[float, float, float, float]


def graph_chart(
    graph: SiteGraph, address: Callable[[SiteNode], str], n_rows: int | None = None
) -> Chart:
    """Return the graph as a chart; `address` says where a site's number of pages leads.

    `n_rows` is how many sites the table has at most, None for all.
    """
    decisions = {IN: _("in"), OUT: _("out"), UNDECIDED: _("undecided")}
    return Chart(
        name="sites",
        title=_("Sites and their links"),
        says=_says(len(graph.nodes), len(graph.edges), len(graph.with_decision(UNDECIDED))),
        columns=(
            *(_("Site"), _("Kept pages"), _("Mean score"), _("Linked from sites")),
            _("Decision"),
        ),
        rows=tuple(
            (
                Cell(node.name),
                Cell(node.n_kept, address(node) if node.n_kept else ""),
                Cell(node.score),
                Cell(node.n_linking),
                Cell(decisions[node.decision]),
            )
            for node in graph.nodes[:n_rows]
        ),
        drawing=drawn(_svg(graph.first(MAX_SITES), address)),
        keys=tuple(Key(decisions[name], _COLOURS[name]) for name in (IN, UNDECIDED, OUT)),
        note=_("The larger the circle, the more pages are kept. A line is at least one link."),
    )


def gexf(graph: SiteGraph) -> str:
    """Return the graph as GEXF 1.2, for Gephi and others."""
    return "\n".join(nx.generate_gexf(_network(graph)))


def _network(graph: SiteGraph) -> "nx.DiGraph":
    network = nx.DiGraph()
    for node in graph.nodes:
        network.add_node(
            node.pk,
            label=node.name,
            kept=node.n_kept,
            score=node.score or 0.0,
            linked_from=node.n_linking,
            decision=node.decision,
        )
    for (source, target), n in graph.edges.items():
        network.add_edge(source, target, weight=n)
    return network


def _svg(graph: SiteGraph, address: Callable[[SiteNode], str]) -> str:
    places = _places(graph)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="drawing graph" aria-hidden="true"'
        f' focusable="false" viewBox="0 0 {WIDTH} {HEIGHT}">'
    ]
    for source, target in graph.edges:
        (x, y), (to_x, to_y) = places[source], places[target]
        parts.append(f'<path class="edge" d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"/>')
    largest = max((node.n_kept for node in graph.nodes), default=0) or 1
    sizes = {
        node.pk: _LEAST_RADIUS + (_MOST_RADIUS - _LEAST_RADIUS) * sqrt(node.n_kept / largest)
        for node in graph.nodes
    }
    taken = [_around(*places[pk], size, size) for pk, size in sizes.items()]
    # The smallest last, so that no circle hides another one.
    n_named = 0
    for node in sorted(graph.nodes, key=lambda node: -node.n_kept):
        (x, y), size = places[node.pk], sizes[node.pk]
        circle = (
            f'<circle class="site {_COLOURS[node.decision]}" cx="{x:.1f}" cy="{y:.1f}"'
            f' r="{size:.1f}"><title>{escape(node.name)}: {node.n_kept}</title></circle>'
        )
        name = _name(node.name, (x, y), size, taken) if n_named < MAX_NAMES else ""
        n_named += bool(name)
        parts.append(f'<a href="{escape(address(node))}" tabindex="-1">{circle}{name}</a>')
    return "".join([*parts, "</svg>"])


def _around(x: float, y: float, half_width: float, half_height: float) -> Box:
    return x - half_width, y - half_height, x + half_width, y + half_height


def _name(name: str, centre: tuple[float, float], size: float, taken: list[Box]) -> str:
    """Draw a name beside, below or above its circle, where it covers nothing; "" if nowhere.

    On a narrow screen letters are larger. A name with room for small letters alone is hidden there.
    """
    (x, y), beside = centre, size + 3
    for letter, height, only in ((*_LARGE, ""), (*_SMALL, ' class="wide-only"')):
        long, away = letter * len(name), beside + height / 2
        places = (
            *(("start", x + beside, y), ("end", x - beside, y)),
            *(("middle", x, y + away), ("middle", x, y - away)),
            *(("end", x + size, y + away), ("end", x + size, y - away)),
            *(("start", x - size, y + away), ("start", x - size, y - away)),
        )
        for anchor, at, middle in places:
            left = at - long * _SHARE_BEFORE[anchor]
            box = (left, middle - height / 2, left + long, middle + height / 2)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= WIDTH and box[3] <= HEIGHT
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                place = f'x="{at:.1f}" y="{middle + height / 4:.1f}" text-anchor="{anchor}"'
                return f"<text{only} {place}>{escape(name)}</text>"
    return ""


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _places(graph: SiteGraph) -> dict[int, tuple[float, float]]:
    """Where each site stands, in pixels: linked sites near each other, the same at each call."""
    laid = nx.spring_layout(_network(graph).to_undirected(), seed=1, k=None, iterations=60)
    if not laid:
        return {}
    xs, ys = [place[0] for place in laid.values()], [place[1] for place in laid.values()]
    return {
        pk: (
            _scaled(float(x), float(min(xs)), float(max(xs)), WIDTH),
            _scaled(float(y), float(min(ys)), float(max(ys)), HEIGHT),
        )
        for pk, (x, y) in laid.items()
    }


def _scaled(value: float, low: float, high: float, length: int) -> float:
    share = (value - low) / (high - low) if high > low else 0.5
    return _MARGIN + share * (length - 2 * _MARGIN)


def _says(n_sites: int, n_links: int, n_undecided: int) -> str:
    """Return how many sites and links there are, and how many sites are undecided."""
    return _("%(sites)s, %(links)s; %(undecided)s.") % {
        "sites": ngettext("%(n)d site", "%(n)d sites", n_sites) % {"n": n_sites},
        "links": ngettext("%(n)d link between them", "%(n)d links between them", n_links)
        % {"n": n_links},
        "undecided": ngettext("%(n)d is undecided", "%(n)d are undecided", n_undecided)
        % {"n": n_undecided},
    }
