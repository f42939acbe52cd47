"""Tables as CSV files that a spreadsheet opens safely."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

#: What a spreadsheet takes for the beginning of a formula (OWASP ASVS 5, 1.2.10).
_FORMULA = re.compile(r"^\s*[=+\-@\t\r]")


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """One line a row; a text that would be a formula begins with an apostrophe."""
    out = io.StringIO()
    # The byte order mark shows spreadsheets that the file is UTF-8.
    out.write("\ufeff")
    writer = csv.writer(out)
    writer.writerow([safe_cell(name) for name in columns])
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return out.getvalue()


def safe_cell(value: object) -> str:
    """Return a value as a cell; a number stays as it is, even a negative one."""
    text = "" if value is None else str(value)
    if isinstance(value, int | float):
        return text
    return f"'{text}" if _FORMULA.match(text) else text
