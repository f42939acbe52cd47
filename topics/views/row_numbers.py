"""Numbers of rows, as requests name them."""

from collections.abc import Iterable

#: More digits do not fit into every database.
_MAX_DIGITS = 18


def row_numbers(texts: Iterable[str]) -> list[int]:
    """Return those of some texts that are numbers which a row can have, as numbers."""
    return [int(text) for text in texts if _is_row_number(text)]


def _is_row_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
