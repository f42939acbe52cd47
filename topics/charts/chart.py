"""A chart as the page and the CSV file have it: numbers with links, and a drawing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.safestring import SafeString, mark_safe

from focusweb.charts.chart_svg import Series

Value = str | int | float | date | datetime | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One number or name of the table, and where it leads; `text` is how it is shown."""

    value: Value
    href: str = ""
    text: str = ""

    @property
    def shown(self) -> str:
        """The cell as a person reads it."""
        if self.text or self.value is None:
            return self.text or "–"
        return f"{self.value:.2f}" if isinstance(self.value, float) else str(self.value)

    @property
    def is_number(self) -> bool:
        """Whether it stands on the right."""
        return self.value is None or isinstance(self.value, int | float)


@dataclass(frozen=True, slots=True)
class Key:
    """A colour of a drawing and what it stands for."""

    name: str
    colour: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart.

    Attributes
    ----------
    name : str
        Its part of an address.
    title, says : str
        What it is, and what it shows now, in one sentence each.
    rows : tuple of tuple of Cell
        Empty if there is nothing to show yet.
    drawing : str
        SVG.
    note : str
        What a reader must know to read the numbers right.
    """

    name: str
    title: str
    says: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    drawing: SafeString
    keys: tuple[Key, ...] = ()
    note: str = ""

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """Each column with whether it holds numbers."""
        cells = self.rows[0] if self.rows else ()
        return [(name, cell.is_number) for name, cell in zip(self.columns, cells, strict=False)]


def keys_of(series: Sequence[Series]) -> tuple[Key, ...]:
    """Return the colours of a drawing."""
    return tuple(Key(one.name, one.colour) for one in series)


def drawn(svg: str) -> SafeString:
    """Return a drawing of `chart_svg` for a template: every text in it is escaped there."""
    return mark_safe(svg)  # noqa: S308


def share_text(share: float | None) -> str:
    """Return a share as whole per cent."""
    return "–" if share is None else f"{round(share * 100)} %"
