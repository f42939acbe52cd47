"""What a backup refuses before it writes anything."""

import os
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.topics.factories import NOON
from topics.errors import BackupError
from topics.installation.backup import make_backup
from topics.installation.backup_archive import data_files


@pytest.mark.parametrize("named", ["data", "link"])
@pytest.mark.parametrize("below", ["", "run"])
def test_a_file_in_the_data_folder_is_refused_by_whatever_path(
    tmp_path: Path, settings: Settings, named: str, below: str
) -> None:
    (tmp_path / "data" / "run").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "data")
    for folder in ("data", "link"):
        settings.DATA_DIR = tmp_path / folder
        with pytest.raises(BackupError, match="Choose a file outside the data folder"):
            make_backup(tmp_path / named / below / "x", NOON, with_keys=False, overwrite=False)


@pytest.mark.parametrize(
    "name", [b"a\\b.txt", b"a\nb.txt", b"a\rb.txt", b"\xff.txt", "\u2028.txt".encode()]
)
def test_a_name_that_cannot_be_restored_is_refused(tmp_path: Path, name: bytes) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / os.fsdecode(name)).write_text("x")

    with pytest.raises(BackupError, match=r"'plugins/.*\.txt', a name that cannot be restored"):
        list(data_files(tmp_path, []))
