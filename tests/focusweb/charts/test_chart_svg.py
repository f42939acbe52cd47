"""Drawings that a page may hold under the strict content policy."""

import re
from collections.abc import Callable

import pytest

from focusweb.charts.chart_svg import (
    MAX_LABELS,
    WIDE_EXTRA,
    ChartMark,
    Series,
    bars,
    dots,
    lines,
    scatter,
)

EVIL = '"><script>alert(1)</script>'
#: With characters that XML has no place for.
ODD = f"{EVIL}\x02\ufffe\ud800"
POINT = ChartMark((1.0, 2.0), f"/a?q={EVIL}&b=1", ODD)
ONE = ChartMark(1, f"/a?q={EVIL}&b=1", ODD)

DRAWINGS: list[Callable[[], str]] = [
    lambda: bars([ODD, "b"], [Series(ODD, "new", [ONE, ChartMark(2)])]),
    lambda: bars([ODD, "b"], [Series(ODD, "new", [ONE, ChartMark(2)])], lying=True),
    lambda: lines(
        [ODD, "b", "c"], [Series(ODD, "new", [ONE, ChartMark(None), ChartMark(3)])], formatter=str
    ),
    lambda: scatter([Series(ODD, "new", [POINT, ChartMark((2, 3))])], x_title=EVIL, y_title=EVIL),
    lambda: dots([ODD, "b"], [Series(ODD, "new", [ONE, ChartMark(2)])]),
    lambda: bars([], []),
    lambda: scatter([Series("none", "new", [])], x_title="", y_title=""),
]


@pytest.mark.parametrize("draw", DRAWINGS)
def test_a_drawing_has_no_script_style_or_id(draw: Callable[[], str]) -> None:
    svg = draw()
    assert svg.startswith("<svg")
    assert not re.search(r"<script|<style|\sstyle=|\sid=|\son\w+=|<!--|http", svg)


def test_a_link_keeps_its_address_and_says_what_it_shows() -> None:
    svg = bars(["a"], [Series("x", "new", [ChartMark(3, "/list?a=1&b=2", "a: 3 <pages>")])])
    assert '<a href="/list?a=1&amp;b=2" tabindex="-1">' in svg
    assert "<title>a: 3 &lt;pages&gt;</title>" in svg


def test_a_series_has_its_colour_by_name() -> None:
    svg = bars(["a"], [Series("x", "new", [ChartMark(3)]), Series("y", "old", [ChartMark(1)])])
    assert re.search(r'class="series serie-0 color-0 new"', svg)
    assert re.search(r'class="series serie-1 color-1 old"', svg)


def test_long_labels_of_lying_bars_are_cut_to_fit() -> None:
    name = "chips.demo.test/feed.atom"
    svg = bars([name], [Series("x", "new", [ChartMark(3, "/list", f"{name}: 3")])], lying=True)
    assert "chips.demo.test/fee…<" in svg and f">{name}<" not in svg
    assert f"<title>{name}: 3</title>" in svg


def test_lying_bars_stand_in_the_order_given() -> None:
    svg = bars(["first", "second"], [Series("x", "new", [ChartMark(3), ChartMark(1)])], lying=True)
    places = dict(re.findall(r'y="([\d.]+)" class="">(first|second)<', svg))
    above = {name: float(y) for y, name in places.items()}
    assert above["first"] < above["second"]


def test_of_many_labels_some_are_left_out() -> None:
    labels = [f"day{number}" for number in range(40)]
    svg = bars(labels, [Series("x", "new", [ChartMark(1)] * 40)])
    shown = re.findall(r">(day\d+)<", svg)
    assert 1 < len(shown) <= MAX_LABELS
    assert shown[0] == "day0"


def test_chinese_labels_of_lying_bars_get_more_room() -> None:
    def first_bar(name: str) -> float:
        svg = bars([name], [Series("x", "new", [ChartMark(3)])], lying=True)
        return float(re.findall(r"translate\(([\d.]+)", svg)[0])

    assert first_bar("新增或有变化") - first_bar("abcdef") == 6 * WIDE_EXTRA
