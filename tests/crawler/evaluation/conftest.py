"""A snapshot to read and to serve."""

from pathlib import Path

import pytest

from tests.crawler.evaluation.small_snapshot import write_snapshot


@pytest.fixture
def snapshot_folder(tmp_path: Path) -> Path:
    """A sound snapshot of two pages."""
    folder = tmp_path / "snapshot"
    folder.mkdir()
    write_snapshot(folder)
    return folder
