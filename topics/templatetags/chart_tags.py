"""What templates need to show the numbers of a chart."""

from collections.abc import Iterable, Sequence

from django import template

from topics.charts.chart import Cell

register = template.Library()


@register.filter
def with_columns(row: Iterable[Cell], columns: Sequence[str]) -> list[tuple[str, Cell]]:
    """Return the cells of a row, each with the name of its column."""
    return list(zip(columns, row, strict=True))
