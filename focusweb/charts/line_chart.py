"""A chart of a few lines, as SVG text."""

from dataclasses import dataclass
from html import escape
from math import floor, log10

Point = tuple[float, float]

WIDTH, HEIGHT = 760, 460
LEFT, TOP, RIGHT, BOTTOM = 60, 44, 190, 54
#: Okabe and Ito's colours, which most eyes can distinguish; further lines are dashed.
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
GRID, INK = "#d8d8d8", "#333333"
#: Most grid lines of an axis beside its own, and the steps they may have, times powers of ten.
N_TICKS = 6
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
#: Pixels of a dash and of the gap behind it.
DASH, GAP = 6, 3


@dataclass(frozen=True, slots=True)
class LineSeries:
    """One line: its name and points, x ascending."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class LineChart:
    """What to draw; both axes begin at 0."""

    title: str
    x_label: str
    y_label: str
    series: tuple[LineSeries, ...]

    def spans(self) -> Point:
        """Return the largest x and y, above 0."""
        points = [point for line in self.series for point in line.points]
        return (
            max((x for x, _ in points), default=0.0) or 1.0,
            max((y for _, y in points), default=0.0) or 1.0,
        )


@dataclass(frozen=True, slots=True)
class _Layout:
    """Positions, in pixels."""

    x_span: float
    y_span: float

    def place(self, point: Point) -> Point:
        x = LEFT + point[0] / self.x_span * (WIDTH - LEFT - RIGHT)
        return x, HEIGHT - BOTTOM - point[1] / self.y_span * (HEIGHT - TOP - BOTTOM)


def svg(chart: LineChart) -> str:
    """Draw as an SVG document without script or style."""
    layout = _Layout(*chart.spans())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f"<title>{escape(chart.title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 18, chart.title, size=15),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, chart.x_label, anchor="middle"),
        _text(LEFT, TOP - 8, chart.y_label),
    ]
    for line, label, at, anchor in _ticks(layout):
        (x, y), (to_x, to_y) = line
        parts.append(f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{GRID}"/>')
        parts.append(_text(*at, label, anchor=anchor))
    for number, series in enumerate(chart.series):
        path = "L".join("{:.1f} {:.1f}".format(*layout.place(point)) for point in series.points)
        dashes = f' stroke-dasharray="{DASH} {GAP}"' if number >= len(COLOURS) else ""
        stroke = f'stroke="{COLOURS[number % len(COLOURS)]}" stroke-width="2"{dashes}'
        if path:
            parts.append(f'<path d="M{path}" fill="none" {stroke}/>')
        y = _legend_y(number)
        parts.append(f'<g class="legend"><path d="M{WIDTH - RIGHT + 14} {y}h22" {stroke}/>')
        size = _legend_size(series.name)
        parts.append(_text(WIDTH - RIGHT + 42, y + 4, series.name, size=size) + "</g>")
    return "\n".join([*parts, "</svg>", ""])


def _ticks(layout: _Layout) -> list[tuple[tuple[Point, Point], str, Point, str]]:
    """Grid lines with their labels, the labels' places and anchors."""
    ticks = []
    for x in round_steps(layout.x_span):
        foot, head = layout.place((x, 0)), layout.place((x, layout.y_span))
        ticks.append(((foot, head), f"{x:,.6g}", (foot[0], foot[1] + 16), "middle"))
    for y in round_steps(layout.y_span):
        left, right = layout.place((0, y)), layout.place((layout.x_span, y))
        ticks.append(((left, right), f"{y:,.6g}", (left[0] - 6, left[1] + 4), "end"))
    return ticks


def round_steps(span: float) -> list[float]:
    """From 0 in equal round steps up to `span`, which is above 0: at most `N_TICKS` steps."""
    power = 10.0 ** floor(log10(span / N_TICKS))
    step = next(power * step for step in STEPS if power * step * N_TICKS >= span * (1 - 1e-9))
    # Multiples are counted, as adding up 0.1 would drift past the end.
    return [number * step for number in range(int(span / step * (1 + 1e-9)) + 1)]


def _legend_y(number: int) -> int:
    return TOP + 10 + 20 * number


def _legend_size(name: str) -> int:
    """Letters of a size at which the name fits beside the chart, as far as it can be read."""
    return max(8, min(12, 280 // max(len(name), 1)))


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" text-anchor="{anchor}"'
        f' font-size="{size}">{escape(text)}</text>'
    )
