"""What `manage.py restore` says when a part of it cannot be done."""

import os
import subprocess
import sys
from pathlib import Path

from tests import databases

ROOT = Path(__file__).resolve().parents[4]
pytestmark = databases.sqlite_only


def manage(folder: Path, *words: str, **variables: str) -> tuple[int, str, str]:
    """Run a command on a data folder; its exit code, output and errors."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "FOCUSWEB_DATA": str(folder), **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def test_data_without_an_index_is_said_to_be_restored(tmp_path: Path) -> None:
    saved, copy = tmp_path / "saved", tmp_path / "copy"
    databases.make_tables(tmp_path / "data")
    assert manage(tmp_path / "data", "backup", str(saved))[0] == 0

    code, out, errors = manage(copy, "restore", str(saved), FOCUSWEB_SEARCH="missing")

    assert code == 1
    assert out.startswith("Restored the backup of ")
    assert "The data is restored, but its search index is not built: the search engine " in errors
    assert "whoosh. Correct that, then run: manage.py reindex" in errors
    assert manage(copy, "reindex")[:2] == (0, "The search index holds 0 pages.\n")
