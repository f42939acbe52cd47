"""Charts as SVG that our content security policy allows in a page: no script, no style of its own.

pygal draws; what it adds for browsers without a style sheet is taken out, and the page's own
style sheet (static/charts.css) gives the colours, in light and dark. A chart is hidden from
screen readers: each stands beside a table of the same numbers, with the same links.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pygal
from lxml import etree
from pygal.style import Style

WIDTH: Final = 560
HEIGHT: Final = 260
#: Most labels below an axis; between them some are left out.
MAX_LABELS: Final = 6
#: Longer labels are cut: beside horizontal bars there is room for this many letters.
MAX_LABEL_CHARS: Final = 20
#: What a Chinese character needs beside a lying bar, and pygal does not count.
WIDE_EXTRA: Final = 8

#: What XML has no place for: one of them would end the drawing.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WASTED: Final = frozenset({"defs", "desc", "script", "style", "title"})
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
#: As large as the letters on a small screen, so that there is room for them.
_STYLE: Final = Style(
    label_font_size=16, major_label_font_size=16, font_family="sans-serif", title_font_size=16
)


@dataclass(frozen=True, slots=True)
class ChartMark:
    """One number of a chart: where it links to, and its tooltip."""

    value: float | tuple[float, float] | None
    href: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Marks of one kind; `colour` is a name of the style sheet."""

    name: str
    colour: str
    marks: Sequence[ChartMark]


def bars(
    labels: Sequence[str], series: Sequence[Series], *, lying: bool = False, height: int = HEIGHT
) -> str:
    """Bars beside each other, those of one label stacked; lying ones grow to the right."""
    kind = pygal.HorizontalStackedBar if lying else pygal.StackedBar
    # Letters are larger on a phone, and labels of lying bars stand left of the axis.
    shown = [_cut(label) for label in reversed(labels)] if lying else _thinned(labels)
    margin = 32 + WIDE_EXTRA * max(map(_n_wide, shown), default=0) if lying else 8
    chart = _chart(kind, height=height, order_min=0, margin_left=margin)
    chart.x_labels = shown
    return _svg(chart, [replace(one, marks=one.marks[::-1]) for one in series] if lying else series)


def lines(
    labels: Sequence[str],
    series: Sequence[Series],
    *,
    formatter: Callable[[float], str],
    top: float | None = None,
) -> str:
    """Lines over labels in equal steps; a mark without a value is a gap."""
    chart = _chart(pygal.Line, value_formatter=formatter, dots_size=3)
    if top:
        chart.range = (0, top)
    chart.x_labels = _thinned(labels)
    return _svg(chart, series)


def scatter(series: Sequence[Series], *, x_title: str, y_title: str) -> str:
    """Points by two numbers."""
    chart = _chart(
        pygal.XY,
        stroke=False,
        dots_size=3.5,
        include_x_axis=True,
        x_title=x_title,
        y_title=y_title,
        x_value_formatter=_plain,
    )
    return _svg(chart, series)


def dots(labels: Sequence[str], series: Sequence[Series]) -> str:
    """Return a line of dots for each series; the larger the number, the larger the dot."""
    chart = _chart(pygal.Dot, height=60 + 30 * len(series), x_label_rotation=0)
    chart.x_labels = _thinned(labels)
    return _svg(chart, series)


def _chart(kind: type[Any], **options: Any) -> Any:
    settings: dict[str, Any] = {
        "width": WIDTH,
        "height": HEIGHT,
        "style": _STYLE,
        "show_legend": False,
        "js": (),
        "css": (),
        "margin": 8,
        # Half of the last label stands right of the axis.
        "margin_right": 24,
        "no_data_text": "",
        "truncate_label": MAX_LABEL_CHARS,
        "max_scale": 6,
        "value_formatter": _plain,
    }
    return kind(**settings | options)


def _plain(number: float) -> str:
    return f"{number:,.10g}"


def _cut(label: str) -> str:
    """A label beside a lying bar, where pygal itself cuts none."""
    label = _drawable(label)
    is_long = len(label) > MAX_LABEL_CHARS
    return f"{label[: MAX_LABEL_CHARS - 1]}…" if is_long else label


def _n_wide(label: str) -> int:
    """Return how many characters of a label are as wide as they are high."""
    return sum(unicodedata.east_asian_width(character) in "WF" for character in label)


def _thinned(labels: Sequence[str]) -> list[str]:
    """The labels with gaps, so that those that are left do not run into each other."""
    step = -(-len(labels) // MAX_LABELS) if labels else 1
    return [_drawable(label) if n % step == 0 else "" for n, label in enumerate(labels)]


def _drawable(text: str) -> str:
    return _NOT_XML.sub("", text)


def _value(mark: ChartMark) -> dict[str, Any] | None:
    if mark.value is None:
        return None
    value: dict[str, Any] = {"value": mark.value, "label": _drawable(mark.label)}
    if mark.href:
        value["xlink"] = {"href": mark.href, "target": "_self"}
    return value


def _svg(chart: Any, series: Sequence[Series]) -> str:
    for one in series:
        chart.add(_drawable(one.name), [_value(mark) for mark in one.marks])
    root = chart.render_tree()
    root.attrib.pop("id", None)
    root.set("class", "drawing")
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    names = {link: _label_of(link) for link in root.iter("a")}
    _clean(root)
    for link, label in names.items():
        _finish_link(link, label)
    for number, one in enumerate(series):
        for group in root.iter("g"):
            if f"serie-{number}" in group.get("class", "").split():
                group.set("class", f"{group.get('class')} {one.colour}")
    etree.cleanup_namespaces(root)
    drawing: str = etree.tostring(root, encoding="unicode")
    return drawing


def _clean(element: Any) -> None:
    """Take out styles, scripts and what only scripts read; name links by what they show."""
    for child in list(element):
        # A comment has no name.
        kind = child.tag if isinstance(child.tag, str) else "defs"
        if kind in _WASTED or "tooltip-overlay" in child.get("class", ""):
            element.remove(child)
            continue
        child.attrib.pop("id", None)
        child.attrib.pop("style", None)
        _clean(child)


def _label_of(link: Any) -> str:
    return "".join(child.text or "" for child in link if child.get("class") == "label")


def _finish_link(link: Any, label: str) -> None:
    link.set("href", link.attrib.pop(_LINK))
    link.attrib.pop("target", None)
    # The table beside the chart has the same links, so the keyboard need not go through both.
    link.set("tabindex", "-1")
    for shape in list(link):
        etree.SubElement(shape, "title").text = label
