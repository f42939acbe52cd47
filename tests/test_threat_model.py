"""Each promise of the threat model names the tests that hold it, and they exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
PROMISES = TEXT.partition("## What we promise")[2].partition("\n## ")[0]
ROWS = [" ".join(row.split()) for row in re.split(r"^- ", PROMISES, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:60])
def test_a_promise_names_tests_that_exist(row: str) -> None:
    files = re.findall(r"`(tests/[\w/.]+\.py)`", row)

    assert files
    for file in files:
        assert "def test_" in (ROOT / file).read_text("utf-8"), file


def test_every_crash_and_trap_test_stands_behind_a_promise() -> None:
    named = set(re.findall(r"`(tests/[\w/.]+\.py)`", PROMISES))
    crashes = {f"tests/crashes/{file.name}" for file in (ROOT / "tests/crashes").glob("test_*.py")}

    assert crashes <= named
