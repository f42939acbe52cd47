"""CSV files that a spreadsheet opens without running anything."""

import csv
import io

import pytest

from topics.pages.csv_file import csv_text, safe_cell


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "\t=1", " =1", "\r=1"])
def test_a_text_that_would_be_a_formula_is_quoted(text: str) -> None:
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize(("value", "cell"), [(-1.5, "-1.5"), (3, "3"), (None, ""), ("a=1", "a=1")])
def test_numbers_and_other_texts_stay(value: object, cell: str) -> None:
    assert safe_cell(value) == cell


def test_a_file_is_utf_8_with_a_mark_and_reads_back() -> None:
    text = csv_text(("名称", "n"), [("=a,b\n", 1), ('"', None)])
    assert text.startswith("\ufeff")
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert rows == [["名称", "n"], ["'=a,b\n", "1"], ['"', ""]]
