"""Cells of a chart's table: how a value is shown, and which columns hold numbers."""

from datetime import date

import pytest
from django.utils.safestring import SafeString

from topics.charts.chart import Cell, Chart, share_text


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (Cell(None), "–"),
        (Cell(3), "3"),
        (Cell(0.456), "0.46"),
        (Cell(0.456, text="46 %"), "46 %"),
        (Cell("电网"), "电网"),
        (Cell(date(2026, 5, 1)), "2026-05-01"),
    ],
)
def test_a_cell_is_shown_as_people_read_it(cell: Cell, shown: str) -> None:
    assert cell.shown == shown


def test_columns_of_numbers_are_known() -> None:
    chart = Chart("x", "", "", ("Site", "Pages"), ((Cell("a"), Cell(1)),), SafeString())
    assert chart.heads == [("Site", False), ("Pages", True)]


def test_no_share_is_a_dash() -> None:
    assert (share_text(None), share_text(0.254)) == ("–", "25 %")
